// The symbol tables of a snapshot as columns, without what follows from the names (see snapshot_symbols.cc).
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "place/snapshot_data.h"

namespace soresolve {

/// All symbols together are no larger than that.
inline constexpr std::uint64_t kMostSymbolBytes = std::uint64_t{1} << 29;

/// The columns, each a section of the file.
enum class SymbolColumn : std::uint8_t { Orders, Names, Kinds, Values, Sizes };
inline constexpr std::size_t kSymbolColumns = 5;
using SymbolColumns = std::array<std::string, kSymbolColumns>;

/// The stream of symbols as columns.
SymbolColumns fold_symbols(const SnapshotData& data);
/// The stream from what fold_symbols() has made; nullopt where the two do not fit together. The strings and the
/// contents are there.
std::optional<std::string> unfold_symbols(const SnapshotData& data, const SymbolColumns& columns);

}  // namespace soresolve
