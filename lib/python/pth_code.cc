// Reads what code in .pth files does, without running it.
//
// Source: CPython Lib/site.py:addpackage; setuptools' editable finders (setuptools/command/editable_wheel.py), those of
// scikit-build-core, meson-python and maturin, namespace packages of old (setuptools/namespaces.py).
//
// Code that touches neither finders, nor sys.modules, nor search paths makes no module: most lines set a hook of a
// profiler. An editable installation has a finder that names what it finds, a namespace package sets sys.modules by
// name; so only what their text has as a word may come of them. Any other finder may find whatever it likes, and so may
// code that is not there to be read.
#include "python/pth_code.h"

#include <algorithm>
#include <iterator>

#include "base/path.h"
#include "base/small_file.h"

namespace soresolve::python {
namespace {

bool is_word_letter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_letter(text[at - 1]);
    if (begins && (end == text.size() || !is_word_letter(text[end]))) return true;
  }
  return false;
}

/// The name that stands at the start, dots included.
std::string_view name_at(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (is_word_letter(text[end]) || text[end] == '.')) ++end;
  return text.substr(0, end);
}

/// Of an editable installation.
bool is_editable_finder(std::string_view file) {
  const std::string_view name = file_name_of(file);
  return name.starts_with("__editable__") || name.find("_editable") != std::string_view::npos;
}

}  // namespace

PthCode::PthCode(const FileSystem& files, const PythonEnvironment& python, PythonFinder& finder)
    : standard_library_("/lib/python3." + std::to_string(python.minor_number) + "/") {
  for (const PthLine& line : python.code_lines) {
    read_text(line.file, line.text);
    read_line(files, line.text, finder);
  }
}

bool PthCode::may_make(std::string_view module) const {
  const std::string_view top = module.substr(0, module.find('.'));
  return is_anything_possible_ ||
         std::any_of(texts_.begin(), texts_.end(), [&](const std::string& text) { return has_word(text, top); });
}

/// The modules of its import statements, and of __import__('name').
void PthCode::read_line(const FileSystem& files, std::string_view line, PythonFinder& finder) {
  for (const std::string_view word : {"import ", "import\t", "__import__('", "__import__(\""}) {
    for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
      std::string_view rest = line.substr(at + word.size());
      while (true) {
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
        const std::string_view name = name_at(rest);
        if (!name.empty()) read_module(files, name, finder);
        rest.remove_prefix(name.size());
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
        if (!rest.starts_with(',')) break;
        rest.remove_prefix(1);
      }
    }
  }
}

void PthCode::read_module(const FileSystem& files, std::string_view name, PythonFinder& finder) {
  std::vector<std::string> places = finder.path();
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('.'));
    name.remove_prefix(std::min(part.size() + 1, name.size()));
    const std::optional<PythonModule> module = finder.find(part, places);
    if (!module && is_built_in_module(part)) return;
    if (!module || texts_.size() >= kMaxPthSources) {
      is_anything_possible_ = true;
      return;
    }
    const bool is_of_python = module->file.find(standard_library_) != std::string::npos &&
                              module->file.find("-packages/") == std::string::npos;
    if (is_of_python) return;
    places = module->search;
    if (module->kind == PythonModule::Kind::Namespace) continue;
    constexpr std::uint64_t kMostBytes = 1u << 20;
    const auto text =
        module->kind == PythonModule::Kind::Source ? read_small_file(files, module->file, kMostBytes) : std::nullopt;
    if (text)
      read_text(module->file, *text);
    else
      is_anything_possible_ = true;
  }
}

void PthCode::read_text(std::string_view file, std::string_view text) {
  const bool is_editable = is_editable_finder(file);
  constexpr std::string_view kAnywhere[] = {"meta_path", "path_hooks", "addsitedir", "sys.path"};
  const bool finds = std::any_of(std::begin(kAnywhere), std::end(kAnywhere),
                                 [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
  if (finds && !is_editable) is_anything_possible_ = true;
  const bool makes =
      text.find("sys.modules") != std::string_view::npos || text.find("__path__") != std::string_view::npos;
  if (is_editable || makes) texts_.emplace_back(text);
}

}  // namespace soresolve::python
