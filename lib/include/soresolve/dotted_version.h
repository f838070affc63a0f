// A version as people write it: numbers with dots between.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"

namespace soresolve SORESOLVE_API {

/// "525.60.13", "12.4". Compared number by number; "12" is less than "12.0".
struct DottedVersion {
  std::string text;                  ///< as written: "450.80.02"
  std::vector<std::uint32_t> parts;  ///< never empty once it is read

  [[nodiscard]] bool empty() const { return parts.empty(); }
  [[nodiscard]] std::uint32_t major_number() const { return parts.empty() ? 0 : parts[0]; }
  [[nodiscard]] std::uint32_t minor_number() const { return parts.size() < 2 ? 0 : parts[1]; }
  /// "12.4" of "12.4.127"; fewer numbers where it has fewer.
  [[nodiscard]] DottedVersion first(std::size_t count) const;
  /// Is it `prefix`, or `prefix` and further numbers? "8.9.2" is within "8.9" and "8", not within "8.90".
  [[nodiscard]] bool is_within(const DottedVersion& prefix) const;

  bool operator==(const DottedVersion& other) const { return parts == other.parts; }
  std::strong_ordering operator<=>(const DottedVersion& other) const { return parts <=> other.parts; }
};

/// Digits and dots only, at most six numbers below 2^31; nullopt for anything else.
std::optional<DottedVersion> parse_dotted(std::string_view text);

/// The version that `text` begins with: "2.15.0" of "2.15.0+cu132"; nullopt without one.
std::optional<DottedVersion> leading_version(std::string_view text);

/// 12040 is 12.4: how CUDA counts its releases (CUDART_VERSION, cuDriverGetVersion).
DottedVersion cuda_release_of(std::uint32_t number);

}  // namespace SORESOLVE_API
