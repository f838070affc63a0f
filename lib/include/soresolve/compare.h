// What decides differently in two roots: the first step that differs, and what follows from it.
//
// Both link maps are walked side by side, request by request, in the loader's order. A request that is answered
// differently is explained by the recorded attempts: by the first place that serves it on one side, and by why the
// other side has no such place. What lies below a file that is another one already follows from that cause.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/command_text.h"
#include "soresolve/diagnose.h"
#include "soresolve/packages.h"
#include "soresolve/result.h"
#include "soresolve/statement.h"
#include "soresolve/survey.h"
#include "soresolve/world.h"

namespace soresolve SORESOLVE_API {

/// One of the two roots: A is where it was, B where it is to be.
enum class Side : std::uint8_t { A, B };
constexpr Side other_side(Side side) { return side == Side::A ? Side::B : Side::A; }

/// What makes two searches end differently.
enum class DecidedBy : std::uint8_t {
  MissingFile,   ///< the file that was asked about is on one side only, or cannot be loaded on one
  Environment,   ///< LD_LIBRARY_PATH, or another variable
  SearchTag,     ///< RPATH or RUNPATH of the needer
  Cache,         ///< ld.so.cache: an entry that one side has not, or one that leads elsewhere
  Directory,     ///< it is there on one side only
  File,          ///< likewise
  Target,        ///< the file that lies there is for another machine or class
  Permission,    ///< it may not be opened
  Refused,       ///< the file that lies there is refused for another reason
  Preload,       ///< LD_PRELOAD or ld.so.preload
  Rules,         ///< directories and names that the loader has built in
  Hwcaps,        ///< the processor's level
  LoadedBefore,  ///< a name is served by an object that is in the process already
  Needs,         ///< the file lists other libraries
  Content,       ///< a file of the same path is another one
  Unknown,       ///< it differs, and no attempt shows why
};
std::string_view name_of(DecidedBy by);  ///< "environment", "search-tag", …

/// One cause: what one side has and the other has not.
struct DecidingStep {
  DecidedBy by = DecidedBy::Unknown;
  std::string key;           ///< of the cause, the same for all that it decides
  Statement what;            ///< "LD_LIBRARY_PATH is not set in B"
  std::string value_a = {};  ///< what each side has in its place; empty: nothing
  std::string value_b = {};
  Statement also = {};                    ///< what would stand in the way next; empty: nothing is known to
  Side lacks = Side::B;                   ///< which side has not what the other one has
  std::string path = {};                  ///< the file, directory or needer that it is about; empty: none
  std::optional<LayerOfFile> layer = {};  ///< of an image: that made the path what it is on `layer_side`
  Side layer_side = Side::B;
};

enum class RequestChange : std::uint8_t {
  Went,          ///< found in A only
  Came,          ///< found in B only
  OtherFile,     ///< found at another place
  OtherContent,  ///< found at the same place, which has another file
  OnlyInA,       ///< asked for in A only
  OnlyInB,
};
std::string_view name_of(RequestChange change);  ///< "went", "came", "other-file", …

/// One request that is answered differently.
struct RequestDifference {
  std::string needer;  ///< its path in A, in B where A has none
  std::string name;    ///< as it is asked for
  RequestChange change = RequestChange::Went;
  std::string path_a;  ///< empty: nowhere
  std::string path_b;
};

/// A cause with all that it decides.
struct DifferenceCause {
  DecidingStep step;
  std::vector<RequestDifference> decided;  ///< by it alone; in the loader's order, never empty
  std::vector<RequestDifference> derived;  ///< below files that are other ones because of it
};

/// One row of the link maps side by side.
struct ComparedObject {
  enum class Change : std::uint8_t { Same, Went, Came, OtherFile, OtherContent, OtherOrder } change = Change::Same;
  std::string name;    ///< as it was asked for; of the program its path
  std::string path_a;  ///< empty: it is not in A's process
  std::string path_b;
};
std::string_view name_of(ComparedObject::Change change);  ///< "same", "went", …

/// Bindings of one referrer that have moved to another provider.
struct MovedBindings {
  std::string referrer;
  std::string provider_a;  ///< empty: nothing defines them
  std::string provider_b;
  std::size_t count = 0;
  std::vector<std::string> symbols;  ///< the first ones, "NAME" or "NAME@VERSION"
};

struct ComparedProblem {
  Side side = Side::B;  ///< where it is
  ProblemCode code = ProblemCode::Note;
  Statement what;
};

/// A change of B that was tried: what B answers with it was compared with A's answer.
struct ComparedFix {
  std::vector<CommandText> commands;  ///< to type, in this order
  Statement text;                     ///< what is left, or that nothing is
  RemedyVerdict verdict = RemedyVerdict::Untried;
};

struct FileComparison {
  std::string file;
  std::optional<Verdict> verdict_a;  ///< nullopt: it comes into no process there
  std::optional<Verdict> verdict_b;
  std::string prints_a;  ///< the loader's fatal line, or why the file cannot be loaded; empty: none
  std::string prints_b;
  std::vector<DifferenceCause> causes;  ///< in the loader's order
  std::vector<ComparedObject> objects;  ///< in A's order, what came behind its needer
  std::vector<MovedBindings> bindings;
  std::vector<ComparedProblem> problems;
  std::optional<ComparedFix> fix;
  [[nodiscard]] bool is_same() const {
    return causes.empty() && bindings.empty() && problems.empty() && verdict_a == verdict_b;
  }
};

/// A check of the machine that sees other things.
struct MachineDifference {
  std::string check;  ///< one of doctor_check_names()
  std::vector<Statement> a;
  std::vector<Statement> b;
};

/// One cause in a whole tree.
struct TreeCause {
  DecidingStep step;
  RequestDifference first;         ///< what it decides in the first file
  std::vector<std::string> files;  ///< programs and modules whose answer differs for it, ascending
  std::size_t requests = 0;        ///< that are answered differently for it, derived ones as well
  std::size_t now_fails = 0;       ///< of the files: those that work in A and fail in B
  std::optional<ComparedFix> fix;  ///< tried for one of these; nullopt: none is known, or too many causes go before
  std::string fixed_file;          ///< the one that it was tried for
  std::optional<std::size_t> package = {};  ///< into TreeComparison::packages: from whose change it follows
};

/// A package that is another one on the other side: by version, by name, or by not being there.
struct ComparedPackage {
  PackageRecord by = PackageRecord::Dpkg;
  std::string name;           ///< in A; of one that is in B only, there
  std::string name_b;         ///< in B, where another package has its files: libssl3t64 those of libssl3
  std::string version_a;      ///< empty: A has none of its files that could be loaded
  std::string version_b;      ///< likewise
  std::size_t files = 0;      ///< dynamic ones that differ
  std::size_t processes = 0;  ///< programs and modules whose answer differs for its files
  std::size_t now_fails = 0;  ///< of them, for the cause that breaks most
  [[nodiscard]] bool has_changed() const;
};

struct TreeComparison {
  std::vector<TreeCause> causes;          ///< by files that fail now, then by files; the most first
  std::vector<ComparedPackage> packages;  ///< that change; what breaks most first
  std::vector<std::string> came;          ///< dynamic files that are in B only, ascending
  std::vector<std::string> went;          ///< likewise in A
  std::vector<std::string> changed;       ///< in both, with other content
  std::vector<std::string> now_fails;     ///< of those that are in both: works in A, fails in B
  std::vector<std::string> now_works;
  std::vector<std::string> starts_in_neither;  ///< of those that a difference can reach: no loader searches, ascending
  bool has_loader_a = true;
  bool has_loader_b = true;
  std::size_t files_a = 0;  ///< dynamic ones
  std::size_t files_b = 0;
  std::size_t compared = 0;  ///< processes that a difference can reach, and that were walked in both
  std::size_t roots = 0;     ///< all that are in both
  std::size_t unread = 0;    ///< files and directories of either that could not be read
  [[nodiscard]] bool is_same() const { return causes.empty() && came.empty() && went.empty() && changed.empty(); }
};

struct Comparison {
  std::vector<FileComparison> files;  ///< one for each file that was asked about
  std::optional<TreeComparison> tree;
  std::vector<MachineDifference> machine;
  std::shared_ptr<const Place> place_a;  ///< where it was opened as one: an image has layers
  std::shared_ptr<const Place> place_b;
  [[nodiscard]] bool is_same() const;
  /// Files and directories that could not be read, and what the places should have and have not: what else differs is
  /// not known.
  [[nodiscard]] std::size_t unread_count() const;
};

struct CompareOptions {
  unsigned jobs = 1;
  bool compares_machine = true;
  /// How each root is called in what is typed: a directory's path, "/" for this machine. Of what is no directory, and
  /// where it is empty, commands say "$A" and "$B": where their user has unpacked it.
  std::string shown_a;
  std::string shown_b;
};

/// Compares `files` (as World::resolve() takes them) in two worlds; without files every program and module of both, and
/// what is opened later is left out then. Errors: those of the settings; NotFound where a file is in neither.
Result<Comparison> compare_roots(const WorldSettings& a, const WorldSettings& b, const std::vector<std::string>& files,
                                 const CompareOptions& options = {});

}  // namespace SORESOLVE_API
