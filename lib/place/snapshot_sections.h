// The sections of a snapshot's file, for its writer and its reader.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "place/snapshot_data.h"
#include "place/snapshot_symbols.h"

namespace soresolve {

enum Section : std::uint32_t {
  kMachineSection,
  kNames,
  kFlags,
  kTargets,
  kCounts,
  kModes,
  kSizes,
  kTimes,
  kOwners,
  kNumbers,
  kContents,
  kFirstColumn,  ///< of the symbols
  kFirstStream = 16,
};
static_assert(kFirstColumn + kSymbolColumns == kFirstStream);
inline constexpr std::size_t kSections = kFirstStream + kPieceKinds;
inline constexpr std::size_t kTableEntryBytes = 16;  ///< unpacked and packed size
inline constexpr std::size_t kHeaderBytes = 16;      ///< magic, version, number of sections

using Sections = std::vector<std::string>;

/// In the section of flags; the lowest six bits are the two kinds.
enum Flag : std::uint64_t {
  kListed = 1 << 6,
  kComplete = 1 << 7,
  kHasStatus = 1 << 8,
  kOpened = 1 << 9,
  kNosuid = 1 << 10,
  kHasError = 1 << 11,
  kHasOpenError = 1 << 12,
  kHasCapabilities = 1 << 13,
  kNoexec = 1 << 14,
};

}  // namespace soresolve
