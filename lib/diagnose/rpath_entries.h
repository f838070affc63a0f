// RPATH and RUNPATH of a link map, entry by entry.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/link_map.h"

namespace soresolve {

enum class RpathState : std::uint8_t {
  Exists,
  Missing,
  NoDirectory,  ///< there is something else
  Unknown,      ///< it could not be looked at
  Dropped,      ///< a token in it has no value here: the loader passes it over
};
std::string_view name_of(RpathState state);  ///< "exists", "missing", …

/// A request that was found through an entry.
struct RpathServed {
  std::string name;
  ObjectIndex needer = kNoObject;
  ObjectIndex target = kNoObject;
};

struct RpathEntry {
  std::string written;
  std::string directory;  ///< expanded, with its trailing slash; empty if it is dropped
  std::string normal;     ///< absolute, without "..", links and trailing slash as they are written
  RpathState state = RpathState::Exists;
  std::optional<std::size_t> same_as;  ///< an entry before it that is the same directory
  bool is_default = false;             ///< the loader searches it anyway
  bool is_writable_by_all = false;
  std::vector<RpathServed> serves;  ///< in the loader's order; empty: nothing at this start
};

struct RpathTag {
  ObjectIndex owner = kNoObject;
  SearchStep step = SearchStep::Runpath;
  std::string path;      ///< of the file that has the tag
  bool is_void = false;  ///< an RPATH beside a RUNPATH, which disables it
  std::vector<RpathEntry> entries;
  std::size_t left_out = 0;  ///< entries beyond the limits
};

/// Of the file that was asked about and what it needs, in the order of the map. `map` is made with Attempts::Record.
std::vector<RpathTag> read_rpaths(const LinkMap& map);

}  // namespace soresolve
