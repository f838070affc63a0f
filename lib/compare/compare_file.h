// One file in two worlds.
#pragma once
#include <string>

#include "compare/map_pairs.h"
#include "soresolve/compare.h"
#include "soresolve/world.h"

namespace soresolve {

/// One root, and the settings that it was made from, to try changes in it.
struct ComparedWorld {
  const WorldSettings& settings;
  World& world;
  std::string shown;  ///< as CompareOptions has it
};

/// How far one file is compared.
enum class CompareDepth : std::uint8_t {
  Search,  ///< which files its process gets, and whether it works
  Fix,     ///< what would make B answer as A as well
  All,     ///< and bindings and problems
};

/// Errors: NotFound where it is in neither; those of the settings.
Result<FileComparison> compare_file(const ComparedWorld& a, const ComparedWorld& b, SameFiles& same,
                                    const std::string& file, CompareDepth depth);

/// May files of B be replaced by those of A? Not where they work: that they are others is no fault of theirs.
enum class Replaces : std::uint8_t { No, Yes };

/// Changes B step by step as the causes say, in memory, until it answers as A, or nothing is left to change.
std::optional<ComparedFix> find_compared_fix(const ComparedWorld& a, const ComparedWorld& b, const LinkMap& in_a,
                                             const std::string& file, const std::vector<DifferenceCause>& causes,
                                             FileIds ids, Replaces replaces);

}  // namespace soresolve
