// One request's search as text: the stages in ld.so's order, each with what was there.
#pragma once
#include <string>

#include "soresolve/report.h"

namespace soresolve {

/// Numbered stages, those included that had nothing to search, so that a reader sees that they were
/// not forgotten. Lines are indented by two.
std::string trace_text(const LinkMap& map, const NeedRef& request, const WhyOptions& options);

}  // namespace soresolve
