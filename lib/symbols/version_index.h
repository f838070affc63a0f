// What each value of DT_VERSYM stands for in one object.
//
// Source: glibc elf/dl-version.c:_dl_check_map_versions, the table l_versions: filled from DT_VERNEED,
// then from DT_VERDEF but for its base record. Where it stays empty DT_VERSYM is not used at all.
#pragma once
#include <cstdint>
#include <vector>

#include "soresolve/elf.h"
#include "symbols/lookup_set.h"

namespace soresolve {

inline constexpr std::uint16_t kVersymHidden = 0x8000;
inline constexpr std::uint16_t kVersymIndex = 0x7fff;

/// Views borrow from the tables that it is made from.
class VersionIndex {
 public:
  VersionIndex() = default;
  explicit VersionIndex(const VersionTables& tables);

  [[nodiscard]] bool is_used() const { return !entries_.empty(); }
  /// The entry of a DT_VERSYM value; one without hash and name for all that have none.
  [[nodiscard]] const WantedVersion& at(std::uint16_t versym) const {
    const std::size_t index = versym & kVersymIndex;
    return index < entries_.size() ? entries_[index] : blank_;
  }

 private:
  std::vector<WantedVersion> entries_;
  WantedVersion blank_;
};

}  // namespace soresolve
