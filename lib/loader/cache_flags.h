// What the flags of a cache entry say of a library's machine (glibc sysdeps/*/dl-cache.h).
#pragma once
#include <cstdint>

#include "soresolve/elf.h"

namespace soresolve {

/// Which entry flags a loader accepts, and which one ends its search.
struct AcceptedFlags {
  std::int32_t first;
  std::int32_t second;
  std::int32_t exact;
};
AcceptedFlags cache_flags_for(const ElfTarget& target);

/// Where the extensions of a cache of the new format begin (glibc elf/dl-cache.h: cache_extension_magic).
inline constexpr std::uint32_t kExtensionMagic = static_cast<std::uint32_t>(-358342284);

}  // namespace soresolve
