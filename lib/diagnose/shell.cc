// Quotes a word for a POSIX shell (XCU 2.2.2 "Single-Quotes"); plain words stay as they are. Not for csh, fish or cmd.
#include "diagnose/shell.h"

namespace soresolve {

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%^";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace soresolve
