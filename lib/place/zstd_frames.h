// How far the Zstandard frames at the front of a file go. A decompressor takes what follows them for a damaged frame.
#pragma once
#include <cstdint>

#include "place/content.h"

namespace soresolve {

/// The bytes of the frames that lie side by side at the front of `range`; the size of the range where one is damaged.
/// Source: RFC 8878, 3.1.1 and 3.1.2.
std::uint64_t zstd_frames_bytes(const ByteRange& range);

}  // namespace soresolve
