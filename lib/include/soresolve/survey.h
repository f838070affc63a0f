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
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/command_text.h"
#include "soresolve/diagnose.h"
#include "soresolve/dlopens.h"
#include "soresolve/link_map.h"
#include "soresolve/result.h"
#include "soresolve/statement.h"
#include "soresolve/world.h"

namespace soresolve {
/// What a policy requires of each process (survey/policy.h).
struct SurveyDemands;
}  // namespace soresolve

namespace soresolve SORESOLVE_API {

/// Position of a file in Survey::files; from its end on, in Survey::outside.
using SurveyIndex = std::uint32_t;
inline constexpr SurveyIndex kNoFile = 0xffffffff;

/// How a dynamic file came to be judged.
enum class SurveyedAs : std::uint8_t {
  Program,   ///< has an interpreter, or is a static PIE: in its own process
  Root,      ///< no file of the tree needs it by name: in the process that it was made for, else alone
  Reached,   ///< a root has loaded it: in that process
  Library,   ///< needed by name, but no root has loaded it: as a root
  Unjudged,  ///< the survey was ended before its turn
};
std::string_view name_of(SurveyedAs as);  ///< "program", "root", "reached", "library", "unjudged"

/// How a file comes into a process other than by a DT_NEEDED.
enum class SurveyLinkKind : std::uint8_t {
  Filter,     ///< DT_FILTER
  Auxiliary,  ///< DT_AUXILIARY
  Preload,    ///< LD_PRELOAD, ld.so.preload
  Process,    ///< the process that a root was made for has opened it before: SurveyedFile::process
  Note,       ///< opened later: a note of the file says so
  Known,      ///< opened later: a table of packages says so
};
std::string_view name_of(SurveyLinkKind kind);  ///< "filter", "auxiliary", "preload", "process", "note", "known"

/// One of them. What a script opens, and what the process brings along, is reported at the root.
struct SurveyLink {
  SurveyLinkKind kind = SurveyLinkKind::Note;
  std::string name;              ///< as written
  SurveyIndex target = kNoFile;  ///< kNoFile: not found
  bool operator==(const SurveyLink&) const = default;
};

/// A need that leads elsewhere in one process than it commonly does.
struct SurveyException {
  SurveyIndex root = kNoFile;  ///< whose process it is
  std::uint32_t need = 0;      ///< index into SurveyedFile::needs
  SurveyIndex target = kNoFile;
  bool operator==(const SurveyException&) const = default;
};

/// One dynamic ELF file; or a script whose interpreter is missing, which has no target.
struct SurveyedFile {
  std::string path;                ///< in the root, without links
  std::string soname;              ///< empty: it has none
  std::vector<std::string> needs;  ///< DT_NEEDED, as written
  /// Where each of them leads, as it was in the first process that loaded the file: programs by path, then roots and
  /// libraries; kNoFile: nowhere. Empty: no process has loaded it.
  std::vector<SurveyIndex> targets;
  std::vector<SurveyException> exceptions;  ///< of other processes, by their order; most files have none
  std::vector<SurveyLink> links;            ///< in whatever process; in the order in which they were met
  ElfTarget target;
  SurveyedAs as = SurveyedAs::Unjudged;
  Verdict verdict = Verdict::Works;       ///< of what was reached: of the root whose process it is
  std::optional<SurveyIndex> root;        ///< of what was reached: the first root by path that has loaded it
  std::optional<AssumedProcess> process;  ///< who opens it, where that was found
  Statement depends_on;                   ///< of Verdict::Depends
  bool is_optional = false;               ///< it fails, for optional groups only
  bool is_suppressed = false;             ///< it fails, for groups only that are suppressed or optional
  /// Of a root: the files of the tree in its process, also those that are opened later, without itself; ascending.
  std::vector<SurveyIndex> loads;
  std::vector<std::string> loads_others;  ///< the paths of those that lie outside the tree
  [[nodiscard]] bool is_root() const {
    return as == SurveyedAs::Program || as == SurveyedAs::Root || as == SurveyedAs::Library;
  }
};

/// A file that lies outside the places, and that roots have loaded.
struct OutsideFile {
  std::string path;  ///< without links
  std::string soname;
  std::vector<std::string> needs;           ///< DT_NEEDED, as written
  std::vector<SurveyIndex> targets;         ///< as SurveyedFile::targets
  std::vector<SurveyException> exceptions;  ///< as SurveyedFile::exceptions
  std::vector<SurveyLink> links;            ///< as SurveyedFile::links
};

/// A change that was tried for members of a group.
struct GroupFix {
  std::vector<CommandText> commands;               ///< to type, in this order
  Statement text;                                  ///< what it is
  RemedyVerdict verdict = RemedyVerdict::Untried;  ///< of the group's first member
  std::size_t tried = 0;                           ///< members that it was tried for
  std::size_t works = 0;                           ///< for so many of them it is enough
};

/// Why a cause does not count.
struct Suppression {
  enum class By : std::uint8_t {
    Baseline,  ///< it was known before
    Ignore,    ///< the policy says so
  } by = By::Baseline;
  std::string reason;  ///< of an ignore
};

/// The search for what is missing, of the first who asks for it.
struct GroupSearch {
  struct Place {
    SearchStep step = SearchStep::Path;
    std::string owner;  ///< whose RPATH or RUNPATH has it; empty: nobody's
    std::string entry;  ///< of the list, as written
    std::string path;   ///< that is opened; where none is, the directory or the cache
    Outcome outcome = Outcome::NoSuchFile;
  };
  std::string needer;
  std::string name;           ///< as asked for
  std::vector<Place> places;  ///< in the loader's order
};

/// One cause, and all files that suffer from it.
///
/// A cause is optional if all that fails for it are plug-ins and libraries that no file needs by name, no program and
/// no module of Python, and what is missing is nowhere in the tree and in no package's record: packages bring such
/// parts along for those who have the rest (a transport for a network that is not here). So is the loader of programs
/// for 32 bits, where no program for 32 bits starts and others do.
struct ProblemGroup {
  std::string key;                    ///< code, what is missing and its provider: stable from one survey to the next
  Problem problem;                    ///< as its first member has it; indices in it are of no use
  Statement headline;                 ///< the cause without a particular needer
  std::vector<SurveyIndex> members;   ///< roots, ascending by path
  std::vector<std::string> needers;   ///< files that ask for what is missing, ascending, each once
  std::optional<GroupSearch> search;  ///< of the first member; nullopt: nothing was searched for in vain
  std::optional<GroupFix> fix;
  bool is_optional = false;
  std::optional<Suppression> suppression;  ///< of all its members
  std::optional<PackageOwner> owner;       ///< of the needers, where all are of one package
  /// Of an image: that took away what is missing, or brought what is wrong, then of the needers, where all are of one.
  std::vector<LayerOfFile> layers;
};

/// What was found and not judged.
struct SurveySkip {
  std::string path;
  enum class Why : std::uint8_t {
    Unreadable,   ///< a file or directory that may not be read, or that vanished
    Damaged,      ///< begins as an ELF file and is none that a loader takes
    NoLoader,     ///< for a machine or libc whose loader is not in this root
    Unjudged,     ///< a dynamic file for which that could not be found out: see reason
    PseudoFiles,  ///< /proc, /sys
    Visited,      ///< a directory that was searched already: a mount, a place inside another
    Limit,        ///< beyond a limit: see reason
  } why = Why::Unreadable;
  std::string reason;
  /// Something that a process could load may be in it, and nobody knows whether it would work. Not so of what is for
  /// another machine than everything that starts here, of a file that vanished, and of what a policy passes over.
  bool is_open = false;
};
/// As what an ignore of a policy names it, where problems have their code.
inline constexpr std::string_view kNotJudgedCode = "not-judged";

struct SurveyCounts {
  std::size_t entries = 0;          ///< names in directories
  std::size_t files = 0;            ///< regular files
  std::size_t dynamic = 0;          ///< ELF files that a loader would load
  std::size_t not_dynamic = 0;      ///< ELF files that need no loader: static programs, object files, debug files
  std::size_t static_programs = 0;  ///< of these: programs, which no loader is involved in
  std::size_t programs = 0;
  std::size_t roots = 0;  ///< processes that were judged
  std::size_t works = 0;  ///< of the roots
  std::size_t fails = 0;  ///< without those that are optional or suppressed
  std::size_t depends = 0;
  std::size_t optional = 0;    ///< fail for optional causes only
  std::size_t suppressed = 0;  ///< fail for causes only that are known or to be ignored
  std::size_t unjudged = 0;  ///< dynamic files, and files and directories that may have some, of which nothing is known
};

struct Survey {
  std::vector<SurveyedFile> files;   ///< by path
  std::vector<OutsideFile> outside;  ///< in the order in which they were met
  std::vector<ProblemGroup> groups;  ///< what ends a start or breaks calls; the one with the most members first,
                                     ///< optional ones last
  std::vector<SurveySkip> skipped;   ///< by path
  SurveyCounts counts;
  std::vector<Statement> remarks;  ///< on the policy and the baseline: what matches nothing, has ended or is gone
  bool is_interrupted = false;     ///< ended from outside before all was judged
  bool is_out_of_memory = false;   ///< ended at SurveyOptions::max_resident_bytes
  [[nodiscard]] const std::string& path_of(SurveyIndex index) const {
    return index < files.size() ? files[index].path : outside[index - files.size()].path;
  }
};

enum class SurveyFixes : std::uint8_t { None, Tried };

/// What is looked for in each process.
enum class SurveyLooksFor : std::uint8_t {
  Problems,  ///< whether it works, and what is wrong
  Edges,     ///< which file leads to which; nothing is judged, so that everything works
};

struct SurveyProgress {
  std::size_t files = 0;   ///< dynamic ones that were found so far
  std::size_t judged = 0;  ///< of them
  bool is_finding = true;  ///< the tree is still being walked
};

struct SurveyOptions {
  unsigned jobs = 1;
  SurveyLooksFor looks_for = SurveyLooksFor::Problems;
  DlopenLevel dlopens = DlopenLevel::Known;  ///< what is opened later and counts
  bool judges_cuda = true;                   ///< whether CUDA calls will work counts as well
  SurveyFixes fixes = SurveyFixes::Tried;
  std::shared_ptr<const SurveyDemands> demands = {};  ///< of each process, beyond that it works; null: none
  std::size_t max_tried = 8;                          ///< members of a group that its fix is tried for
  /// Of the whole process, as the system counts it; what is not judged when it is reached stays so. 0: no bound.
  std::size_t max_resident_bytes = 0;
  /// Set by others (a signal): what is not judged by then stays so. Borrowed; null: nobody ends it.
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const SurveyProgress&)> progress = {};  ///< called from any of the threads, one at a time
};

/// Judges all below `places` (absolute paths in the root that `settings` name; directories or files; empty: the whole
/// root). The result does not depend on the number of threads. Fails when none of `places` can be looked at, and with
/// the errors of the settings.
Result<Survey> survey(const WorldSettings& settings, const std::vector<std::string>& places,
                      const SurveyOptions& options = {});

/// Judges what the process of `settings.live` has loaded: whether it would start and make the same dlopen calls again,
/// with the files as they are now. Its files are the survey's, its dlopen calls the roots besides the program. Errors:
/// as World::resolve_running().
Result<Survey> survey_process(const WorldSettings& settings, const SurveyOptions& options = {});

/// Does the cause count? Not if it is suppressed, nor if it is optional.
inline bool counts(const ProblemGroup& group) { return !group.is_optional && !group.suppression; }

}  // namespace SORESOLVE_API
