// Wording that the reports on versions share.
#pragma once
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "report/paint.h"
#include "soresolve/symvers.h"

namespace soresolve {

inline std::string hex(std::uint64_t value) {
  char digits[17];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, value, 16);
  return "0x" + std::string(digits, end.ptr);
}

/// "1 symbol", "2 symbols".
inline std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// "PATH (SONAME NAME)".
inline std::string title_of(const VersionedLibrary& library) {
  return printable(library.path) +
         (library.soname.empty() ? " (no SONAME)" : " (SONAME " + printable(library.soname) + ")");
}

/// "f@V1", or "f" when it has no version.
inline std::string versioned_name(std::string_view name, std::string_view version) {
  return printable(name) + (version.empty() ? "" : "@" + printable(version));
}

/// How many entries of a long list are shown unless everything is asked for.
inline constexpr std::size_t kListShown = 12;

}  // namespace soresolve
