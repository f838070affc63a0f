// What a policy demands of each process of a tree, beyond that it starts.
#pragma once
#include <vector>

#include "soresolve/survey.h"
#include "soresolve/world.h"
#include "survey/judge.h"
#include "survey/policy.h"

namespace soresolve {

/// Each demand that `run` does not meet, as a problem whose evidence has the files that are to blame. Libraries outside
/// of the tree are not to blame for a floor, and what is required of CUDA, a driver, a device or a framework does not
/// concern a process that has none of it.
std::vector<Problem> find_unmet(const Resolution& run, const SurveyDemands& demands, const IsInTree& is_in_tree);

/// The problems of `diagnosis` that the policy denies.
std::vector<Problem> find_denied(const Diagnosis& diagnosis, const SurveyDemands& demands);

}  // namespace soresolve
