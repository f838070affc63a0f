// DT_GNU_HASH tables, which follow from the names of the symbols: a snapshot holds their sizes only.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "place/snapshot_data.h"

namespace soresolve {

/// The stream of tables without what can be computed.
std::string fold_hashes(const SnapshotData& data);
/// The stream from what fold_hashes() has made; nullopt where the two do not fit together. The other streams and the
/// contents are there.
std::optional<std::string> unfold_hashes(const SnapshotData& data, std::string_view folded);

}  // namespace soresolve
