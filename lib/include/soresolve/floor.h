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
#include <optional>
#include <string>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/bindings.h"

namespace soresolve SORESOLVE_API {

struct Floor {
  std::string family;                ///< "glibc", "libstdc++ GLIBCXX", "libstdc++ CXXABI", "libgcc", "CUDA libcudart"
  std::string product;               ///< what is released: "glibc", "GCC", "CUDA", "cuDNN"
  std::string release;               ///< the oldest one of it that will do; empty: not known
  std::string node;                  ///< the node that is required, "GLIBC_2.34"
  std::string file;                  ///< of which file (vn_file)
  ObjectIndex consumer = kNoObject;  ///< who requires it
  /// A reference of the consumer's that carries the node; empty if none does.
  std::string symbol;
  /// The symbol, not the node, shows that so new a release is needed: older ones have the node, too.
  bool is_set_by_symbol = false;
  ObjectIndex provider = kNoObject;  ///< the file that serves here; kNoObject: none
  std::string here;                  ///< its highest node of that family; empty if it has none
  bool is_met = false;               ///< it defines the node, or no versions at all, and the symbol
};

/// One entry for each family of which the closure requires something, in the order glibc, libstdc++,
/// libgcc, CUDA and cuDNN by library. Errors: a file that was open for the walk cannot be opened
/// again.
Result<std::vector<Floor>> find_floors(const LinkMap& map, const Bindings& bindings);

/// Are the numbers of `a` lower than those of `b`, part by part? 2.9 < 2.17 < 2.34.
bool is_lower_version(std::string_view a, std::string_view b);

}  // namespace SORESOLVE_API
