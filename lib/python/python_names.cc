// The words of a source, without its comments; and the ways in which code makes names that it does not spell.
#include "python/python_names.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "python/python_lines.h"
#include "python/python_words.h"

namespace soresolve {
namespace {

/// The lines that are not comments alone.
std::string without_comments(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos || line[first] != '#') kept += line;
    text.remove_prefix(end);
  }
  return kept;
}

/// Does it stand there as a name of its own?
bool has_name(std::string_view text, std::string_view name) {
  const auto is_of_name = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_of_name(text[at - 1])) && (end == text.size() || !is_of_name(text[end]))) return true;
  }
  return false;
}

}  // namespace

bool may_give_name(std::string_view source, std::string_view name) {
  const std::string text = without_comments(source);
  constexpr std::string_view kMakers[] = {"__getattr__", "import *", "globals()", "locals()",   "vars(",
                                          "setattr(",    "exec(",    "__dict__",  "sys.modules"};
  return has_name(text, name) || std::any_of(std::begin(kMakers), std::end(kMakers), [&](std::string_view maker) {
           return text.find(maker) != std::string::npos;
         });
}

bool may_make_modules(std::string_view source) {
  constexpr std::string_view kMakers[] = {"sys.modules", "__path__", "meta_path", "exec(", "_LazyModule", "lazy"};
  return std::any_of(std::begin(kMakers), std::end(kMakers),
                     [&](std::string_view maker) { return source.find(maker) != std::string_view::npos; });
}

namespace {

/// What `from …` in this line gives the name; an empty name: nothing.
PythonOrigin origin_in_import(const PythonLine& line, std::string_view name) {
  const std::vector<std::string_view> words = import_words(line.text.substr(std::string_view("from").size()));
  PythonOrigin origin;
  std::size_t at = 0;
  for (; at < words.size() && words[at] != "import"; ++at) {
    const std::size_t dots = std::min(words[at].find_first_not_of('.'), words[at].size());
    origin.level += static_cast<std::uint32_t>(dots);
    origin.module += words[at].substr(dots);
  }
  for (++at; at < words.size(); ++at) {
    const bool has_other = at + 2 < words.size() && words[at + 1] == "as";
    if (words[at + (has_other ? 2 : 0)] == name) origin.name = words[at];
    if (has_other) at += 2;
  }
  return origin;
}

}  // namespace

PythonOrigin python_origin(std::string_view source, std::string_view name) {
  PythonOrigin last;
  for (const PythonLine& line : read_python_lines(source)) {
    if (line.indent != 0 || line.text.find(name) == std::string_view::npos) continue;
    if (begins_with_word(line.text, "def")) {
      if (bare_text(line.text.substr(3, std::max<std::size_t>(line.text.find('('), 3) - 3)) == name)
        last = {.is_function = true, .name = std::string(name)};
    } else if (begins_with_word(line.text, "from")) {
      PythonOrigin origin = origin_in_import(line, name);
      if (!origin.name.empty()) last = std::move(origin);
    }
  }
  return last;
}

bool may_open_libraries(std::string_view source) {
  constexpr std::string_view kOpeners[] = {"CDLL(", "PyDLL(", "LoadLibrary(", "dlopen(", "load_library("};
  return std::any_of(std::begin(kOpeners), std::end(kOpeners),
                     [&](std::string_view opener) { return source.find(opener) != std::string_view::npos; });
}

std::string_view lines_before(std::string_view text, std::uint32_t line) {
  std::size_t at = 0;
  for (std::uint32_t i = 1; i < line && at < text.size(); ++i) {
    const std::size_t end = text.find('\n', at);
    at = end == std::string_view::npos ? text.size() : end + 1;
  }
  return text.substr(0, at);
}

}  // namespace soresolve
