// Needed libraries from which the needer binds nothing: what `ldd -u` is for.
//
// Source: glibc elf/rtld.c:dl_main (LD_DEBUG=unused): only the program is relocated, and what no
// lookup of its own ended in is unused. glibc then pairs its DT_NEEDED with the list of objects one
// by one, and so names others when one is missing or was loaded before; here each DT_NEEDED counts
// for the object that it led to.
#pragma once
#include <cstdint>
#include <vector>

#include "soresolve/link_map.h"
#include "soresolve/symbols.h"

namespace soresolve {

struct UnusedNeed {
  ObjectIndex needer = kNoObject;
  std::uint32_t need = 0;  ///< index into the needer's `needs`
  ObjectIndex target = kNoObject;
};

enum class Needers : std::uint8_t {
  File,  ///< the program, or the library that is asked about
  All,   ///< every object, in the order of the link map
};

/// DT_NEEDED entries that led to an object in which no reference of the needer ends. Others may use
/// it, and would miss it.
std::vector<UnusedNeed> find_unused_needs(const LinkMap& map, const Bindings& bindings, Needers needers);

}  // namespace soresolve
