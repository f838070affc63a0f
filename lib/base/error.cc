// The text of an error: path, message, offset in hexadecimal. std::to_chars writes the number, so that no locale
// changes it. The texts are English only; reports translate what they show by the error's code.
#include <charconv>

#include "soresolve/result.h"

namespace soresolve {

std::string_view name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::NotFound: return "not-found";
    case ErrorCode::Unreadable: return "unreadable";
    case ErrorCode::NotElf: return "not-elf";
    case ErrorCode::Truncated: return "truncated";
    case ErrorCode::Malformed: return "malformed";
    case ErrorCode::Unsupported: return "unsupported";
    case ErrorCode::NoLoader: return "no-loader";
    case ErrorCode::LimitReached: return "limit-reached";
    case ErrorCode::Usage: return "usage";
    case ErrorCode::NotDynamic: return "not-dynamic";
  }
  return "";
}

std::string Error::to_string() const {
  std::string text = path.empty() ? message : path + ": " + message;
  if (offset) {
    char digits[17];
    const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, *offset, 16);
    text += " (at offset 0x";
    text.append(digits, end.ptr);
    text += ')';
  }
  return text;
}

}  // namespace soresolve
