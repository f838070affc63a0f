// What is required of every process of a tree, what is known and what is to be ignored, so that a pipeline fails for
// what is new.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/diagnose.h"
#include "soresolve/result.h"
#include "soresolve/survey.h"
#include "soresolve/symbols.h"
#include "symbols/floor.h"

namespace soresolve {

/// What has to be so of every process, beyond that it works: what is not makes the process fail.
struct SurveyDemands {
  /// As of `check --contract`; one of CUDA, cuDNN, NCCL, a driver, a device or a framework does not concern a process
  /// that has none of it.
  std::vector<Requirement> requirements;
  std::vector<FloorBound> floors;   ///< for the files of the tree
  std::vector<std::string> denied;  ///< patterns of codes of problems that otherwise are warnings or notes
};

/// A day of the calendar.
struct SurveyDay {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  auto operator<=>(const SurveyDay&) const = default;
};

/// Causes that a policy passes over. Patterns are those of fnmatch(3), in which `*` matches slashes, too.
struct SurveyIgnore {
  std::string files = "*";         ///< pattern of the roots' paths
  std::string code = "*";          ///< of codes of problems
  std::string library = "*";       ///< of what is missing
  std::string reason;              ///< never empty
  std::optional<SurveyDay> until;  ///< the last day on which it counts
  std::uint32_t line = 0;          ///< in the policy's file
};
struct SurveyPolicy {
  std::string path;  ///< of its file
  std::vector<SurveyIgnore> ignores;
  SurveyDemands demands;
};
/// A TOML document with tables [[ignore]]: files, code, library, reason, until; [require]: requirements as in
/// read_contract(), and `floor` with bounds; and `deny`, a list of codes' patterns. Errors: Malformed with line and
/// reason, Unsupported where soresolve was built without TOML.
Result<SurveyPolicy> parse_policy(std::string_view toml, std::string_view path);

/// The causes of a survey with their roots, as a TOML document.
std::string baseline_of(const Survey& survey);
struct SurveyBaseline {
  struct Known {
    std::string key;
    std::vector<std::string> roots;  ///< ascending
  };
  std::string path;
  std::vector<Known> known;  ///< by key
};
/// What baseline_of() has written. Errors: as parse_policy().
Result<SurveyBaseline> parse_baseline(std::string_view toml, std::string_view path);

/// Marks what is known or to be ignored, splits groups of which that is a part, counts anew, and remarks on what
/// matches nothing, has ended before `today`, or is gone.
void apply_policy(Survey& survey, const SurveyPolicy& policy, const SurveyBaseline& baseline, const SurveyDay& today);

}  // namespace soresolve
