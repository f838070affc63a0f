// RPATH and RUNPATH of a link map: a document.
#pragma once
#include <string>
#include <vector>

#include "diagnose/rpath_entries.h"
#include "soresolve/document.h"
#include "soresolve/link_map.h"

namespace soresolve {

/// RPATH and RUNPATH entry by entry, and whom they served; borrowed.
struct RpathReport {
  const LinkMap& map;
  const std::vector<RpathTag>& tags;
  std::string file;  ///< as it was asked about
};
/// Data: "rpath".
Document document_of(const RpathReport& report);

}  // namespace soresolve
