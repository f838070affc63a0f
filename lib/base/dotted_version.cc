// Parses and shortens dotted versions: at most six numbers of 31 bits each. leading_version() stops before a suffix
// such as "rc1"; suffixes are never compared. cuda_release_of(): 1000 * major + 10 * minor, as cuda.h defines
// CUDA_VERSION.
#include "soresolve/dotted_version.h"

#include <algorithm>
#include <charconv>

namespace soresolve {

std::optional<DottedVersion> parse_dotted(std::string_view text) {
  constexpr std::size_t kMaxParts = 6;
  constexpr std::uint32_t kMaxNumber = 0x7fffffff;
  DottedVersion version;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::uint32_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number > kMaxNumber || version.parts.size() == kMaxParts) return std::nullopt;
    version.parts.push_back(number);
    if (stop == end) break;
    if (*stop != '.') return std::nullopt;
    at = stop + 1;
  }
  version.text = text;
  return version;
}

std::optional<DottedVersion> leading_version(std::string_view text) {
  std::string_view head = text.substr(0, std::min(text.find_first_not_of("0123456789."), text.size()));
  while (head.ends_with('.')) head.remove_suffix(1);
  return parse_dotted(head);
}

DottedVersion DottedVersion::first(std::size_t count) const {
  if (count >= parts.size()) return *this;
  DottedVersion shorter;
  std::size_t end = 0;
  for (std::size_t i = 0; i < count; ++i) end = text.find('.', end + (i == 0 ? 0 : 1));
  shorter.text = text.substr(0, end);
  shorter.parts.assign(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(count));
  return shorter;
}

bool DottedVersion::is_within(const DottedVersion& prefix) const {
  return parts.size() >= prefix.parts.size() && std::equal(prefix.parts.begin(), prefix.parts.end(), parts.begin());
}

DottedVersion cuda_release_of(std::uint32_t number) {
  const std::uint32_t major_number = number / 1000;
  const std::uint32_t minor_number = number % 1000 / 10;
  return {std::to_string(major_number) + "." + std::to_string(minor_number), {major_number, minor_number}};
}

}  // namespace soresolve
