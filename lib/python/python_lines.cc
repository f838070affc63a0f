// Cuts a Python source into logical lines. One pass; what a string or a bracket leaves open ends with the source.
#include "python/python_lines.h"

#include <algorithm>
#include <string>

namespace soresolve {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool is_long = text.substr(at).starts_with(std::string(3, quote));
  // In a raw string, too, a backslash keeps the quote behind it from ending the string.
  for (std::size_t i = at + (is_long ? 3 : 1); i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (is_long ? text.substr(i).starts_with(std::string(3, quote)) : text[i] == quote) {
      return i + (is_long ? 3 : 1);
    } else if (text[i] == '\n' && !is_long) {
      return i;
    }
  }
  return text.size();
}

/// Columns of the blanks at the start of a line.
std::size_t indent_of(std::string_view line) {
  std::size_t columns = 0;
  for (const char c : line) {
    if (c == ' ') {
      ++columns;
    } else if (c == '\t') {
      columns = (columns / 8 + 1) * 8;
    } else if (c != '\f') {
      break;
    }
  }
  return columns;
}

}  // namespace

std::size_t skip_literal(std::string_view text, std::size_t at) {
  if (text[at] == '#') return std::min(text.find('\n', at), text.size());
  return text[at] == '"' || text[at] == '\'' ? end_of_string(text, at) : at;
}

std::size_t find_outside(std::string_view text, std::string_view mark, std::size_t from) {
  int depth = 0;
  for (std::size_t i = from; i < text.size();) {
    if (const std::size_t end = skip_literal(text, i); end != i) {
      i = end;
      continue;
    }
    if (depth == 0 && text.substr(i).starts_with(mark)) {
      const bool is_name = is_word(mark.front());
      const bool begins = !is_name || i == 0 || !is_word(text[i - 1]);
      const bool ends = !is_name || i + mark.size() == text.size() || !is_word(text[i + mark.size()]);
      if (begins && ends) return i;
    }
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if ((text[i] == ')' || text[i] == ']' || text[i] == '}') && depth > 0) --depth;
    ++i;
  }
  return std::string_view::npos;
}

std::vector<PythonLine> read_python_lines(std::string_view source) {
  std::vector<PythonLine> lines;
  std::uint32_t number = 1;
  std::size_t at = 0;
  if (source.starts_with("\xEF\xBB\xBF")) at = 3;
  while (at < source.size()) {
    PythonLine line{indent_of(source.substr(at)), number, {}};
    const std::size_t start = std::min(source.find_first_not_of(" \t\f", at), source.size());
    std::size_t end = start;
    int depth = 0;
    while (end < source.size()) {
      end = std::min(source.find_first_of("\n\\#\"'([{)]}", end), source.size());
      if (end == source.size()) break;
      const char c = source[end];
      if (c == '\n' && depth == 0) break;
      if (c == '\n') ++number;
      if (c == '\\' && end + 1 < source.size()) {
        if (source[end + 1] == '\n') ++number;
        end += 2;
        continue;
      }
      if (const std::size_t past = skip_literal(source, end); past != end) {
        number += static_cast<std::uint32_t>(std::count(source.begin() + static_cast<std::ptrdiff_t>(end),
                                                        source.begin() + static_cast<std::ptrdiff_t>(past), '\n'));
        end = past;
        continue;
      }
      if (c == '(' || c == '[' || c == '{') ++depth;
      if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
      ++end;
    }
    line.text = source.substr(start, std::min(end, source.size()) - start);
    while (line.text.ends_with('\r') || line.text.ends_with(' ')) line.text.remove_suffix(1);
    if (!line.text.empty() && !line.text.starts_with('#')) lines.push_back(line);
    at = end + 1;
    ++number;
  }
  return lines;
}

}  // namespace soresolve
