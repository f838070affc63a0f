// Where does a text stand in a file, however large?
#pragma once
#include <cstdint>
#include <functional>
#include <string_view>

#include "soresolve/file_system.h"

namespace soresolve {

/// Reads up to `max_bytes` of `file` from offset `from` on, in pieces, and calls `visit` for each place where `needle`
/// (at least one byte, at most 64) stands, with its offset and the bytes from there on, as many as there are up to 256.
/// Stops when `visit` returns false. A file that cannot be read ends like one that is over.
void for_each_place(const File& file, std::string_view needle, std::uint64_t from, std::uint64_t max_bytes,
                    const std::function<bool(std::uint64_t offset, std::string_view bytes)>& visit);

}  // namespace soresolve
