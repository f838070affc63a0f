// Names are cut by their characters, calls by their brackets; strings and comments are skipped as a whole.
#include "python/python_words.h"

#include "base/pieces.h"
#include "python/python_lines.h"
#include "python/python_text.h"

namespace soresolve {

bool is_python_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool begins_with_word(std::string_view text, std::string_view word) {
  return text.starts_with(word) && (text.size() == word.size() || !is_python_name(text[word.size()]));
}

std::vector<std::string_view> import_words(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '#') {
      i = skip_literal(text, i);
    } else if (is_python_name(c) || c == '.') {
      std::size_t end = i;
      while (end < text.size() && (is_python_name(text[end]) || text[end] == '.')) ++end;
      words.push_back(text.substr(i, end - i));
      i = end;
    } else {
      if (c == ',' || c == '*' || c == ';') words.push_back(text.substr(i, 1));
      ++i;
    }
  }
  return words;
}

std::optional<std::string_view> arguments_of_call(std::string_view text, std::string_view call) {
  if (text.find(call) == std::string_view::npos) return std::nullopt;  // the cheap question first
  const std::string_view name = call.substr(0, call.size() - 1);
  std::size_t at = find_outside(text, name);
  while (at != std::string_view::npos && !text.substr(at).starts_with(call)) at = find_outside(text, name, at + 1);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t open = at + name.size();
  const std::size_t close = closing_bracket(text, open);
  if (close == std::string_view::npos) return std::nullopt;
  return text.substr(open + 1, close - open - 1);
}

std::string_view keyword_of_argument(std::string_view argument) {
  std::size_t end = 0;
  while (end < argument.size() && is_python_name(argument[end])) ++end;
  const std::size_t equals = argument.find_first_not_of(" \t\n", end);
  const bool is_keyword = end != 0 && equals != std::string_view::npos && argument[equals] == '=' &&
                          !argument.substr(equals).starts_with("==");
  return is_keyword ? argument.substr(0, end) : std::string_view();
}

std::string_view behind_equals(std::string_view argument) { return argument.substr(argument.find('=') + 1); }

std::optional<bool> python_truth(std::string_view value) {
  if (value == "True" || value == "1") return true;
  if (value == "False" || value == "0" || value == "None") return false;
  return std::nullopt;
}

std::string_view bare_text(std::string_view text) { return trimmed(text, " \t\r\n\\"); }

}  // namespace soresolve
