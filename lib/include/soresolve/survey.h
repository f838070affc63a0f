// A whole tree: every program and module of it judged in its own process, and what is wrong, grouped by cause.
//
// Roots are programs, and files that no other file of the tree needs by name: modules, plug-ins, libraries that are
// there to be linked against. What a root loads is judged in the root's process and nowhere else; a library that is
// needed by name, but that no root has loaded, is judged as `check` judges it. Whose process a root has is decided as
// for a single file (world.h).
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/diagnose.h"
#include "soresolve/dlopens.h"
#include "soresolve/result.h"
#include "soresolve/statement.h"
#include "soresolve/world.h"

namespace soresolve SORESOLVE_API {

/// Position of a file in Survey::files.
using SurveyIndex = std::uint32_t;

/// How a dynamic file came to be judged.
enum class SurveyedAs : std::uint8_t {
  Program,   ///< has an interpreter: in its own process
  Root,      ///< no file of the tree needs it by name: in the process that it was made for, else alone
  Reached,   ///< a root has loaded it: in that process
  Library,   ///< needed by name, but no root has loaded it: as a root
  Unjudged,  ///< the survey was ended before its turn
};
std::string_view name_of(SurveyedAs as);  ///< "program", "root", "reached", "library", "unjudged"

/// One dynamic ELF file.
struct SurveyedFile {
  std::string path;                ///< in the root, without links
  std::string soname;              ///< empty: it has none
  std::vector<std::string> needs;  ///< DT_NEEDED, as written
  ElfTarget target;
  SurveyedAs as = SurveyedAs::Unjudged;
  Verdict verdict = Verdict::Works;       ///< of what was reached: of the root whose process it is
  std::optional<SurveyIndex> root;        ///< of what was reached: the first root by path that has loaded it
  std::optional<AssumedProcess> process;  ///< who opens it, where that was found
  Statement depends_on;                   ///< of Verdict::Depends
  std::vector<SurveyIndex> loads;  ///< of a root: the files of the tree in its process, without itself, ascending
  std::vector<std::string> loads_others;  ///< the paths of those that lie outside the tree
  [[nodiscard]] bool is_root() const {
    return as == SurveyedAs::Program || as == SurveyedAs::Root || as == SurveyedAs::Library;
  }
};

/// A change that was tried for members of a group.
struct GroupFix {
  std::string command;                             ///< to type; lines
  Statement text;                                  ///< what it is
  RemedyVerdict verdict = RemedyVerdict::Untried;  ///< of the group's first member
  std::size_t tried = 0;                           ///< members that it was tried for
  std::size_t works = 0;                           ///< for so many of them it is enough
};

/// One cause, and all files that suffer from it.
struct ProblemGroup {
  std::string key;                   ///< code, what is missing and its provider: stable from one survey to the next
  Problem problem;                   ///< as its first member has it; indices in it are of no use
  Statement headline;                ///< the cause without a particular needer
  std::vector<SurveyIndex> members;  ///< roots, ascending by path
  std::vector<std::string> needers;  ///< files that ask for what is missing, ascending, each once
  std::optional<GroupFix> fix;
  std::optional<PackageOwner> owner;  ///< of the needers, where all are of one package
};

/// What was found and not judged.
struct SurveySkip {
  std::string path;
  enum class Why : std::uint8_t {
    Unreadable,   ///< a file or directory that may not be read, or that vanished
    Damaged,      ///< begins as an ELF file and is none that a loader takes
    NoLoader,     ///< for a machine or libc whose loader is not in this root
    PseudoFiles,  ///< /proc, /sys
    Visited,      ///< a directory that is mounted a second time
    Limit,        ///< beyond a limit: see reason
  } why = Why::Unreadable;
  std::string reason;
};

struct SurveyCounts {
  std::size_t entries = 0;      ///< names in directories
  std::size_t files = 0;        ///< regular files
  std::size_t dynamic = 0;      ///< ELF files that a loader would load
  std::size_t not_dynamic = 0;  ///< ELF files that need no loader: static programs, object files, debug files
  std::size_t programs = 0;
  std::size_t roots = 0;  ///< processes that were judged
  std::size_t works = 0;  ///< of the roots
  std::size_t fails = 0;
  std::size_t depends = 0;
};

struct Survey {
  std::vector<SurveyedFile> files;   ///< by path
  std::vector<ProblemGroup> groups;  ///< what ends a start or breaks calls; the one with the most members first
  std::vector<SurveySkip> skipped;   ///< by path
  SurveyCounts counts;
  bool is_interrupted = false;  ///< ended before all was judged
};

enum class SurveyFixes : std::uint8_t { None, Tried };

struct SurveyProgress {
  std::size_t files = 0;   ///< dynamic ones that were found so far
  std::size_t judged = 0;  ///< of them
  bool is_finding = true;  ///< the tree is still being walked
};

struct SurveyOptions {
  unsigned jobs = 1;
  DlopenLevel dlopens = DlopenLevel::Known;  ///< what is opened later and counts
  bool judges_cuda = true;                   ///< whether CUDA calls will work counts as well
  SurveyFixes fixes = SurveyFixes::Tried;
  std::size_t max_tried = 8;  ///< members of a group that its fix is tried for
  /// Set by others (a signal): what is not judged by then stays so. Borrowed; null: nobody ends it.
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const SurveyProgress&)> progress = {};  ///< called from any of the threads, one at a time
};

/// Judges all below `places` (absolute paths in the root that `settings` name; directories or files; empty: the whole
/// root). The result does not depend on the number of threads. Fails when none of `places` can be looked at, and with
/// the errors of the settings.
Result<Survey> survey(const WorldSettings& settings, const std::vector<std::string>& places,
                      const SurveyOptions& options = {});

}  // namespace SORESOLVE_API
