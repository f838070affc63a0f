// Version names that look like one that is missing.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/version_tables.h"

namespace soresolve {

/// The versions that one library defines, sorted once for however many are missing.
class NearestVersions {
 public:
  /// The names must outlive it.
  explicit NearestVersions(std::vector<std::string_view> defined);
  /// Those that the tables define, without the base record.
  explicit NearestVersions(const VersionTables& tables);

  /// All of the family of `wanted` (the same letters before the first digit: GLIBCXX_, not CXXABI_), nearest first:
  /// neighbours in the order of version numbers, the older before the newer where both are as near. Empty if the
  /// library has none of that family.
  [[nodiscard]] std::vector<std::string> family_of(std::string_view wanted) const;
  /// Of these the two below and the two above `wanted`; the first four of the list if there is no family.
  [[nodiscard]] std::vector<std::string> to(std::string_view wanted) const;
  /// Where the family lies beside `wanted`.
  enum class Side : std::uint8_t { None, Older, Newer, Both };
  [[nodiscard]] Side side_of(std::string_view wanted) const;
  [[nodiscard]] std::size_t defined_count() const { return defined_.size(); }

 private:
  [[nodiscard]] std::vector<std::string> around(std::string_view wanted, std::size_t each_side) const;

  std::vector<std::string_view> defined_;                     ///< as they are listed
  std::map<std::string_view, std::vector<std::string>> kin_;  ///< by the letters, in the order of numbers
};

}  // namespace soresolve
