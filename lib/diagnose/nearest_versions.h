// Version names that look like one that is missing.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace soresolve {

/// The versions that one library defines, sorted once for however many are missing.
class NearestVersions {
 public:
  /// The names must outlive it.
  explicit NearestVersions(std::vector<std::string_view> defined);

  /// Those with the same letters before the first digit, two below and two above `wanted` in the order of
  /// version numbers; the first four of the list if no letters agree.
  [[nodiscard]] std::vector<std::string> to(std::string_view wanted) const;
  [[nodiscard]] std::size_t defined_count() const { return defined_.size(); }

 private:
  std::vector<std::string_view> defined_;                     ///< as they are listed
  std::map<std::string_view, std::vector<std::string>> kin_;  ///< by the letters, in the order of numbers
};

}  // namespace soresolve
