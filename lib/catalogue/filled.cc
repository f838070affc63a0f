// Puts what a message captured into the phrases and commands of its catalogue entry.
#include <algorithm>

#include "soresolve/catalogue.h"

namespace soresolve {
namespace {

/// What stands in a command for a name that the message does not tell.
std::string placeholder(std::string_view name) {
  if (name == "object" || name == "requirer" || name == "consumer" || name == "program") return "FILE";
  std::string text(name);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

template <class Word>
std::string fill(std::string_view text, const Recognised& message, Word word) {
  std::string result;
  while (true) {
    const std::size_t open = text.find('{');
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) return result + std::string(text);
    const std::string_view name = text.substr(open + 1, close - open - 1);
    const std::string_view captured = message.captured(name);
    result += text.substr(0, open);
    result += captured.empty() ? placeholder(name) : word(captured);
    text.remove_prefix(close + 1);
  }
}

}  // namespace

std::string filled(std::string_view phrase, const Recognised& message) {
  return fill(phrase, message, [](std::string_view text) { return std::string(text); });
}

CommandText filled_command(std::string_view command, const Recognised& message) {
  return CommandText::of(fill(command, message, [](std::string_view text) { return shell_path(text).text(); }));
}

}  // namespace soresolve
