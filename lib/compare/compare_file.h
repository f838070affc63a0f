// One file in two worlds.
#pragma once
#include <string>

#include "compare/map_pairs.h"
#include "soresolve/answer.h"
#include "soresolve/compare.h"

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

/// Is the libc of another release, or another libc?
bool has_other_release(const LoaderRules& a, const LoaderRules& b);
/// That as a cause, whose key is kRulesKey.
DecidingStep rules_step(const LoaderRules& a, const LoaderRules& b);
inline constexpr const char* kRulesKey = "rules|version";

/// Errors: NotFound where it is in neither; those of the settings.
Result<FileComparison> compare_file(const ComparedWorld& a, const ComparedWorld& b, SameFiles& same,
                                    const std::string& file, CompareDepth depth);

/// May files of B be replaced by those of A? Not where they work: that they are others is no fault of theirs.
enum class Replaces : std::uint8_t { No, Yes };

/// What a process comes to on one side.
struct Answered {
  std::optional<Answer> answer;           ///< nullopt: the question could not be asked
  std::optional<Error> error;             ///< why it comes into no process
  std::optional<AssumedProcess> process;  ///< that both sides were asked in, where none was named
  [[nodiscard]] const Resolution* run() const { return answer ? answer->run() : nullptr; }
  /// nullopt: its symbols cannot be read, or it could not be asked.
  [[nodiscard]] std::optional<Verdict> verdict() const;
  /// The line that ends it, or why there is no verdict.
  [[nodiscard]] std::string prints() const;
};
/// The file in `world`, in the process that A has assumed for it.
Answered answer_like(const Answered& in_a, World& world, const WorldSettings& settings, const std::string& file);
/// Both maps; what makes one of them fail comes before what only leads elsewhere.
ComparedMaps compare_in_order(const Answered& a, const Answered& b, SameFiles& same);

/// Changes B step by step as the causes say, in memory, until it answers as A; nullopt: no change that is known does.
std::optional<ComparedFix> find_compared_fix(const ComparedWorld& a, const ComparedWorld& b, const Answered& in_a,
                                             const Answered& in_b, const std::string& file,
                                             const std::vector<DifferenceCause>& causes, FileIds ids);

}  // namespace soresolve
