// Two link maps side by side: which object of one stands for which of the other, and which requests differ.
#pragma once
#include <string>
#include <vector>

#include "compare/same_file.h"
#include "soresolve/compare.h"
#include "soresolve/link_map.h"

namespace soresolve {

/// Two maps of one file. Both were made with Attempts::Record.
struct MapPair {
  const LinkMap& a;
  const LinkMap& b;
  SameFiles& same;
  [[nodiscard]] const LinkMap& map(Side side) const { return side == Side::A ? a : b; }
};

struct ComparedMaps {
  std::vector<DifferenceCause> causes;
  std::vector<ComparedObject> objects;
};
ComparedMaps compare_maps(const MapPair& maps);

/// Why the request is answered differently. `in_a`, `in_b`: the same request in each map.
DecidingStep deciding_step(const MapPair& maps, const NeedRef& in_a, const NeedRef& in_b);

/// The object's path in its file system, without `.` and doubled slashes; the program's where it has none.
std::string path_of(const LinkMap& map, ObjectIndex object);

}  // namespace soresolve
