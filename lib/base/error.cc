// The text of an error: path, message, offset in hexadecimal. std::to_chars writes the number, so that no locale
// changes it. The texts are English only; reports translate what they show by the error's code.
#include <charconv>

#include "base/enum_names.h"
#include "soresolve/result.h"

namespace soresolve {

std::string_view name_of(ErrorCode code) {
  using enum ErrorCode;
  static constexpr auto kNames = enum_names<ErrorCode>({{NotFound, "not-found"},
                                                        {Unreadable, "unreadable"},
                                                        {NotElf, "not-elf"},
                                                        {Truncated, "truncated"},
                                                        {Malformed, "malformed"},
                                                        {Unsupported, "unsupported"},
                                                        {NoLoader, "no-loader"},
                                                        {LimitReached, "limit-reached"},
                                                        {Usage, "usage"},
                                                        {NotDynamic, "not-dynamic"}});
  return kNames[code];
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
