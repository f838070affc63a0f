// Candidates and remedies, as text and JSON.
#pragma once
#include <string>

#include "report/json_parts.h"
#include "report/paint.h"
#include "soresolve/diagnose.h"

namespace soresolve {

/// What else is there, judged; with a heading.
std::string candidates_text(const Problem& problem, const Paint& paint, const WhyOptions& options);
/// The fixes in their order, each with its verdict.
std::string remedies_text(const std::vector<Remedy>& remedies, const Paint& paint, Language language);

Json to_json(const Candidate& candidate);
Json to_json(const Remedy& remedy);

}  // namespace soresolve
