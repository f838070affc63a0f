// What of a file is kept when its archive passes by.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "place/content.h"

namespace soresolve {

/// How many of its first bytes may be asked for: all of configuration, records of packages and sources that imports
/// read, the lines in front of what may be started, little of anything else.
std::uint64_t bytes_asked_for(std::string_view path, std::uint32_t mode, std::uint64_t size_bytes);

/// Bytes of a file from `offset` up to `end`.
struct Window {
  std::uint64_t offset = 0;
  std::uint64_t end = 0;
};

/// Of an ELF file too large to be held, by its first bytes: where what loader_parts() looks at lies. Ascending, and
/// none touches another.
std::vector<Window> large_file_windows(std::span<const std::byte> head, std::uint64_t size_bytes);

/// Of an ELF file, whose bytes are known as far as `known` has them: what the loader and the tables of symbols take,
/// and what tells where they are. All of it for a loader or libc, whose own words are searched.
std::vector<KeptContent::Part> loader_parts(std::vector<KeptContent::Part> known, std::uint64_t size_bytes);

}  // namespace soresolve
