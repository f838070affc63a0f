// What is wrong with a link map, and what is right but surprising.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/dlopens.h"
#include "soresolve/link_map.h"
#include "soresolve/loader.h"
#include "soresolve/problem.h"
#include "soresolve/process.h"
#include "soresolve/system.h"

namespace soresolve SORESOLVE_API {

/// The answer to `why`.
struct Diagnosis {
  bool starts = true;                   ///< no fatal problem, or only such as are met later
  std::string loader_prints;            ///< its first fatal line (dlerror's for a library); empty if none
  Statement verdict;                    ///< one line
  std::vector<Problem> problems;        ///< fatal ones first, in the loader's order
  std::string asked;                    ///< the library that was asked about; empty for none
  std::vector<Remedy> remedies;         ///< see remedy.h; smallest first
  std::vector<NeedRef> asked_requests;  ///< every request for it, in the loader's order
  Dlopens dlopens;                      ///< what is opened later; of the library that was asked about only

  [[nodiscard]] bool has_fatal() const;
};

/// Every request of the map for a library, in the loader's order, those of LinkMap::subject_objects()
/// first: by the name asked for, by the
/// SONAME, path or file name of what was found.
std::vector<NeedRef> requests_for(const LinkMap& map, std::string_view library);

/// Looks through a map that was made with Attempts::Record and OnFatal::GoOn. `asked` restricts the
/// answer to one library name; empty for all. `dlopens`: what find_dlopens() says of the map.
Diagnosis diagnose(const LinkMap& map, std::string_view file, std::string_view asked = {}, Dlopens dlopens = {});

/// What CUDA asks of the whole process of `map` and is not so: parts of different builds, no driver, a stub, one
/// that is too old, and the like. Quick and empty where the process has no CUDA libraries.
std::vector<Problem> find_cuda_problems(const LinkMap& map, const Dlopens& dlopens);

}  // namespace SORESOLVE_API
