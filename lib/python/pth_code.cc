// Reads what code in .pth files does, without running it.
//
// Source: CPython Lib/site.py:addpackage; setuptools' editable finders (setuptools/command/editable_wheel.py), those of
// scikit-build-core, meson-python and maturin, namespace packages of old (setuptools/namespaces.py).
//
// Code that touches neither finders, nor sys.modules, nor search paths makes no module: most lines set a hook of a
// profiler. Finders in sys.meta_path name what they find (an editable installation, an old name of a package), a
// namespace package sets sys.modules by name; so only what their text has as a word may come of them. What adds
// directories, looks into files of any kind or takes names from elsewhere may make anything, and so may code that is
// not there to be read.
#include "python/pth_code.h"

#include <algorithm>
#include <initializer_list>

#include "base/path.h"
#include "base/small_file.h"
#include "python/tokens.h"

namespace soresolve::python {
namespace {

/// The name that stands at the start, dots included.
std::string_view name_at(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (is_of_name(text[end]) || text[end] == '.')) ++end;
  return text.substr(0, end);
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

}  // namespace

PthCode::PthCode(const FileSystem& files, const PythonEnvironment& python, PythonFinder& finder)
    : standard_library_("/lib/python3." + std::to_string(python.minor_number) + "/") {
  std::string cwd = finder.take_cwd();
  for (const PthLine& line : python.code_lines) {
    read_text(line.file, line.text);
    read_line(files, line.text, finder);
  }
  finder.put_cwd(std::move(cwd));
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
  const std::string_view name = file_name_of(file);
  // Such a one has the directories of the package that is edited.
  const bool is_editable = name.starts_with("__editable__") || name.find("_editable") != std::string_view::npos;
  if (!is_editable &&
      has_any(text, {"path_hooks", "addsitedir", "sys.path", "FileFinder", "entry_points", "json.load"})) {
    is_anything_possible_ = true;
  }
  if (is_editable || has_any(text, {"meta_path", "sys.modules", "__path__"})) texts_.emplace_back(text);
}

}  // namespace soresolve::python
