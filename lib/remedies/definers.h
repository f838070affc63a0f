// Which library of this machine defines what is missing? One that nothing in the process needs: whoever refers to its
// symbols was linked without it.
//
// The usual report is "undefined symbol: curandCreateGenerator" of an extension that was built by hand: its author
// forgot -lcurand, and it worked as long as another module had loaded the library before. The libraries are those that
// a missing one is looked for among (candidates.h), each asked by the Bloom filter of its DT_GNU_HASH first. Not here:
// another copy of a library that the referrer does need (replacements.cc), and a near miss of a C++ symbol.
#pragma once
#include <string>
#include <vector>

#include "remedies/candidates.h"
#include "soresolve/diagnose.h"

namespace soresolve {

/// A library that is to be required by a file that refers to its symbols.
struct MissingNeed {
  ObjectIndex referrer = kNoObject;
  std::vector<std::string> symbols;  ///< that it defines, of those that are missing
  std::string path;
  std::string soname;
  bool is_found_by_name = false;  ///< a search of the referrer's for the SONAME leads to it
};

/// Adds to each problem about symbols of no library in particular which library defines them. `check`: of this map.
/// Left to the process that opens the file, and so no failure yet: only a library that defines them all counts.
std::vector<MissingNeed> find_missing_needs(const LinkMap& map, const CandidateSearch& search, const Check& check,
                                            std::vector<Problem>& problems);

/// Is the evidence that of a library or program of another release (diagnose/): it defines a part of what is asked of
/// it, or newer versions only? Who really defines the rest of the symbols takes its place.
bool is_of_other_release(const Evidence& evidence);

/// Is there a problem that it could find something for?
bool may_lack_need(const std::vector<Problem>& problems);

}  // namespace soresolve
