// The contents of a snapshot as they come together: equal ones once, each piece behind the others of its kind.
#pragma once
#include <cstdint>
#include <unordered_map>

#include "place/snapshot_data.h"
#include "place/snapshot_pieces.h"

namespace soresolve {

class ContentStore {
 public:
  /// Fills the streams and contents of `data`, which must outlive it.
  explicit ContentStore(SnapshotData& data) : data_(data) {}

  /// The number of the content (index + 1), a new one or an equal one's.
  std::uint32_t add(HeldContent held);

 private:
  [[nodiscard]] bool is_same(const SnapshotContent& content, const HeldContent& held) const;

  SnapshotData& data_;
  std::unordered_multimap<std::size_t, std::uint32_t> known_;  ///< by a hash of what is held
};

}  // namespace soresolve
