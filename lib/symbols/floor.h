// The oldest glibc, libstdc++ and CUDA that a whole closure can run with, and what sets it.
//
// The version check ends a start for every version that is required and not there, whoever needs it,
// so the highest node that anything in the closure requires is the floor. What a family's own
// libraries require of each other does not count: an older release brings its own. Nodes that are
// only weakly required do not count either.
//
// Sources: glibc's version nodes are named by the release; GLIBCXX and CXXABI by libstdc++'s manual,
// "ABI Policy and Guidelines"; CUDA see symbols/cuda_releases.h.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/link_map.h"
#include "soresolve/result.h"
#include "soresolve/symbols.h"

namespace soresolve {

struct Floor {
  std::string family;              ///< "glibc", "libstdc++ GLIBCXX", "libstdc++ CXXABI", "libgcc", "CUDA libcudart"
  std::string product;             ///< what is released: "glibc", "GCC", "CUDA", "cuDNN"
  std::string release;             ///< the oldest one of it that will do; empty: not known
  std::string node;                ///< the node that is required, "GLIBC_2.34"
  std::string file;                ///< of which file (vn_file)
  ObjectIndex needer = kNoObject;  ///< who requires it
  /// A reference of the needer's that carries the node; empty if none does.
  std::string symbol;
  /// The symbol, not the node, shows that so new a release is needed: older ones have the node, too.
  bool is_set_by_symbol = false;
  ObjectIndex provider = kNoObject;  ///< the file that serves here; kNoObject: none
  std::string here;                  ///< its highest node of that family; empty if it has none
  bool is_met = false;               ///< it defines the node, or no versions at all, and the symbol
};

/// One entry for each family of which the closure of what was asked about requires something (not the program that
/// only opens it), in the order glibc, libstdc++, libgcc, CUDA and cuDNN by library. Errors: a file that was open for
/// the walk cannot be opened again.
Result<std::vector<Floor>> find_floors(const LinkMap& map, const Bindings& bindings);

/// A bound on the floor: of one family, or a policy of wheels as a set of them.
struct FloorBound {
  std::string text;     ///< as it was given
  std::string family;   ///< "glibc", "glibcxx", "cxxabi", "libgcc", "libstdc++", "gcc", "cuda", "cudnn"; or the policy
  std::string highest;  ///< empty for a policy
};
/// "glibc<=2.28", "GLIBCXX<=3.4.25", "libstdc++<=9", "cuda<=11.8"; "manylinux_2_28", "manylinux2014", "musllinux_1_2".
std::optional<FloorBound> parse_floor_bound(std::string_view text);

struct FloorSymbol {
  std::string name;
  bool is_weak = false;  ///< the reference
};
/// A requirement above a bound.
struct FloorExcess {
  std::string node;
  std::string file;     ///< of which it is required
  std::string release;  ///< that has it; empty: unknown
  std::string product;
  ObjectIndex needer = kNoObject;
  bool is_weak = false;                   ///< VER_FLG_WEAK: all references are weak, and the start goes on without it
  std::vector<FloorSymbol> symbols = {};  ///< references of the needer that carry the node
};
/// A library that is neither brought along nor one that the policy lets a wheel take from the system.
struct FloorForeign {
  std::string library;
  ObjectIndex needer = kNoObject;
};
struct FloorVerdict {
  FloorBound bound;
  std::vector<FloorExcess> excesses;  ///< in the order of the map
  std::vector<FloorForeign> foreign;
  std::size_t left_out = 0;           ///< excesses beyond the limit
  [[nodiscard]] bool is_met() const;  ///< weak ones do not count
};
/// A bound of one family counts for all objects, as find_floors() does; a policy for the file and what it finds by
/// RPATH and RUNPATH, which a wheel brings along. Errors: as find_floors().
Result<FloorVerdict> judge_floor(const LinkMap& map, const Bindings& bindings, const FloorBound& bound);

/// Are the numbers of `a` lower than those of `b`, part by part? 2.9 < 2.17 < 2.34.
bool is_lower_version(std::string_view a, std::string_view b);

}  // namespace soresolve
