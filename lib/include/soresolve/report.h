// The answers as documents, which are rendered to text, JSON and HTML (document.h). Nothing is printed here.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/answer.h"
#include "soresolve/api.h"
#include "soresolve/bundle.h"
#include "soresolve/catalogue.h"
#include "soresolve/command_text.h"
#include "soresolve/compare.h"
#include "soresolve/cuda.h"
#include "soresolve/diagnose.h"
#include "soresolve/dlopens.h"
#include "soresolve/doctor.h"
#include "soresolve/document.h"
#include "soresolve/link_map.h"
#include "soresolve/result.h"
#include "soresolve/survey.h"
#include "soresolve/symbols.h"

namespace soresolve {
/// What a second reader of ELF says of a file (witness/second_reading.h).
struct SecondReading;
/// What the files of a tree weigh, and what no program of it loads (survey/who.h).
struct LayerSurvey;
struct SurveySizes;
struct Unused;
}  // namespace soresolve

namespace soresolve SORESOLVE_API {

/// What tracing prints, without addresses and without the vDSO:
/// "\tNAME => PATH", "\tNAME => not found", "\tPATH", "\tstatically linked".
std::string ldd_text(const LinkMap& map);

/// Tracing (LD_TRACE_LOADED_OBJECTS=1, what ldd runs) as a whole.
struct TraceAnswer {
  /// How the loader ends: with status 0, with 127, of a signal, or never.
  enum class End : std::uint8_t { Good, Fails, Crashes, Blocks } end = End::Good;
  std::vector<std::string> messages;  ///< the lines on standard error
  std::string list;                   ///< ldd_text(), with LD_VERBOSE the versions; empty where it dies before
  std::string reason;                 ///< "OBJECT: WHY" of a crash or of what blocks
  bool lacks_version = false;         ///< a start ends with status 1 where this goes on
};
/// The walk's failures, then the check of versions, of which only some end a trace. What a dlopen
/// has loaded is not checked for versions here.
/// Source: glibc elf/rtld.c:dl_main, rtld_mode_trace. Errors: as check_versions().
Result<TraceAnswer> trace(const LinkMap& map);

/// The list as a document; borrowed. Data: "ldd", every object, need and attempt.
struct LddReport {
  const LinkMap& map;
  std::string_view file;  ///< as it was asked about
};
Document document_of(const LddReport& report);

struct TreeOptions {
  unsigned max_depth = 32;  ///< edges from the root
  enum class Seen : std::uint8_t {
    Once,
    Again
  } seen = Seen::Once;  ///< repeat subtrees or not; Again up to 100,000 lines
  enum class Show : std::uint8_t { Names, Paths } show = Show::Names;
};
struct TreeReport {
  const LinkMap& map;
  std::string_view file;
  const Dlopens& dlopens;
};
/// The dependency tree, each edge with how it was found; edges that would fail on their own are
/// marked "fragile". What an object opens later stands behind what it needs. Data: "tree".
Document document_of(const TreeReport& report, const TreeOptions& options = {});

/// A question that could not be asked, or of which there is nothing to say.
struct ErrorReport {
  std::string_view command;  ///< "why"
  Error error;
};
/// "soresolve: PATH: MESSAGE". Data: "error".
Document document_of(const ErrorReport& report);

/// What one library defines and requires, and the answers to what was asked of it.
struct SymversReport {
  const VersionedLibrary& library;
  const std::vector<NeedAnswer>& needs;
  const std::vector<ForAnswer>& needers;
  const std::vector<SecondReading>* witness = nullptr;  ///< of the library and each needer, if wanted; borrowed
};
/// Data: "symvers".
Document document_of(const SymversReport& report, Detail detail = Detail::Folded);

/// Whether one library can stand where another one stood.
struct LibraryDiffReport {
  const VersionedLibrary& old;
  const VersionedLibrary& now;
  const LibraryDiff& diff;
};
/// Verdict, losses, what is new. Data: "library_diff".
Document document_of(const LibraryDiffReport& report, Detail detail = Detail::Folded);

using TextSink = std::function<void(std::string_view)>;

/// "REFERRER\tSYMBOL\tVERSION\tPROVIDER" for each of them, "-" for no version.
void write_bindings(const LinkMap& map, const Bindings& bindings, const BindingFilter& filter, const TextSink& write);

/// Does a library that leaves symbols to its process fail?
enum class Strict : std::uint8_t { No, Yes };

enum class CheckForm : std::uint8_t {
  Whole,      ///< the verdict, then the proof
  Line,       ///< the verdict alone
  NamedLine,  ///< the verdict behind the name of the file, for lists of several
  NamedWhole,
};

/// How an answer is shown.
struct View {
  /// Why: the causes, each with its proof, and the fixes. Check: the verdict and all that is wrong. Ldd and Tree: of a
  /// file that comes into no process alone, in whose place these commands show why.
  enum class As : std::uint8_t { Check, Why, Ldd, Tree } as = As::Why;
  CheckForm form = CheckForm::Whole;  ///< of a check
  Detail detail = Detail::Folded;
  Strict strict = Strict::No;  ///< Yes: a library that leaves symbols to its process fails
  /// Has the data of a check the objects of the map, as that of a tree has them, so that a page can draw it?
  enum class Objects : std::uint8_t { LeftOut, Drawn } objects = Objects::LeftOut;
  /// Does a check have the line to type, for which fixes are tried?
  enum class Steps : std::uint8_t { Shown, LeftOut } steps = Steps::Shown;
  RemedyOptions fixes = {};
};
/// A document that keeps the answer alive. Check: the verdict, what else the loader prints, all that is wrong, and what
/// is worth knowing; where the line would be "ok", but a requirement is not met or a library is lost later, the first
/// line says so, and the second what the loader says. Why: the diagnosis. Data: "check", "why", "ldd", "tree".
Document view(Answer answer, const View& how);

/// What a command ends with, as the design has it: 0, 1, and 2 where something that was asked about could not be read.
enum class AnswerStatus : std::uint8_t { Good, Problem, NotKnown };
AnswerStatus status_of(const Answer& answer, const View& how);

/// The verdict: "ok", or the line with which the loader ends the start, byte for byte; in words of our own where it
/// would crash or block. "ok" is the same in every language. Of an answer of which nothing is unreadable.
std::string check_line(const Answer& answer, Language language = Language::English);

/// A line for each check; what does not pass is unfolded: why it matters, what was seen, what to do. Full: all of it.
/// Data: "doctor".
Document document_of(const DoctorReport& report, Detail detail = Detail::Folded);

/// The code of one file, and what it comes to on a device if one was asked about.
struct GpuReport {
  std::string_view file;
  const GpuCode& code;
  const GpuDevice* device = nullptr;
  const GpuVerdict* verdict = nullptr;
  const CudaLibrary* library = nullptr;  ///< if it is one of CUDA's
  const GpuInside* inside = nullptr;     ///< if its code was looked into
};

enum class GpuForm : std::uint8_t {
  Table,  ///< the targets as a table: kind, target, pieces, containers that have it, sizes
  Line,   ///< "libx.so: sm_75 sm_80 compute_90 (PTX 8.3)"; "no GPU code"
};
/// Data: "gpu".
Document document_of(const GpuReport& report, GpuForm form = GpuForm::Table, Detail detail = Detail::Folded);

/// A tree in which nothing is to be judged: most often another one was meant.
enum class EmptyTree : std::uint8_t { Refused, Allowed };

struct SurveyReport {
  const Survey& survey;  ///< borrowed
  std::string root;      ///< of the tree, as it was named; "/" for the host
  Strict strict = Strict::No;
  /// Policy and baseline that say what counts, as they were named; the first line of the text and of the data has them.
  std::vector<std::string> ruled_by = {};
  const SurveySizes* sizes = nullptr;   ///< borrowed; for the page
  const Unused* unused = nullptr;       ///< likewise
  const LayerSurvey* layers = nullptr;  ///< of an image, what each layer did; borrowed; null: that was not asked
  EmptyTree empty = EmptyTree::Refused;
};
enum class SurveyAnswer : std::uint8_t {
  Good,      ///< all that was asked about was judged, and works
  Fails,     ///< there is a cause of failure; under Strict::Yes what depends on its process is one
  NotKnown,  ///< something was not judged, whatever is known of the rest; or nothing was there to be judged
};
SurveyAnswer answer_of(const SurveyReport& report);
inline bool is_good(const SurveyReport& report) { return answer_of(report) == SurveyAnswer::Good; }
/// The verdict, then cause by cause. Data: JSON Lines ("scan" in the schema), one object a line: a header, each file,
/// each problem, what was skipped, the counts.
Document document_of(const SurveyReport& report, Detail detail = Detail::Folded);

/// Where SARIF and annotations show a result, since an ELF file has no lines that a reviewer could open.
struct ResultAnchor {
  std::string file;  ///< of the repository: "Dockerfile"; empty: the ELF file itself
  std::uint32_t line = 1;
};
/// SARIF 2.1.0, one result a group, with partialFingerprints that stay the same while the cause does. At most 5,000
/// results, which is what GitHub shows.
void write_sarif(const SurveyReport& report, const ResultAnchor& anchor, const WritePart& write);
/// JUnit XML: a test case for each root, failed ones with what is wrong.
void write_junit(const SurveyReport& report, const WritePart& write);
/// Workflow commands of GitHub Actions ("::error …"): ten at most, and a line of the rest.
void write_annotations(const SurveyReport& report, const ResultAnchor& anchor, const WritePart& write);
/// DOT: the roots that fail, what they load, and what is missing.
void write_dot(const SurveyReport& report, const WritePart& write);

struct CompareReport {
  const Comparison& comparison;  ///< borrowed
  std::string root_a;            ///< as they were named; "/" for the host
  std::string root_b;
};
enum class CompareLayout : std::uint8_t {
  Unified,  ///< a line for each side, "-" and "+" before it
  Columns,  ///< side by side
};
struct CompareForm {
  CompareLayout layout = CompareLayout::Unified;
  Detail detail = Detail::Folded;  ///< Full: what is the same, and long lists, as well
};
/// The first step that differs, what it comes to, what to type; then cause by cause. Data: "diff".
Document document_of(const CompareReport& report, const CompareForm& form = {});

struct BundleReport {
  const Bundle& bundle;                 ///< borrowed
  std::vector<std::string> files = {};  ///< as they were asked about
  std::string root = {};                ///< of the source, as it was named; empty: the host
  std::string into = {};                ///< the target likewise; empty: an empty root
  CommandText words = {};               ///< behind "soresolve bundle" and its --format, to ask the same
};
/// The verdict in the target, what to type, then the list. Data: "bundle".
Document document_of(const BundleReport& report, Detail detail = Detail::Folded);

/// Names in a Dockerfile.
struct BundleStages {
  std::string source = "build";  ///< stage or image that has the files
  std::string base = {};         ///< of the stage that gets them; empty: scratch, or "base" where there is a target
};
/// Each returns why it cannot be written: a name that the format has no way to write, or a path that differs where it
/// has only one. Nothing is written then.
/// Paths for tar(1): `tar --no-recursion -T -`, each with "./" in front.
std::optional<Error> write_bundle_list(const BundleReport& report, const WritePart& write);
/// A stage for the links, which COPY would follow, then a COPY line for each file.
std::optional<Error> write_bundle_dockerfile(const BundleReport& report, const BundleStages& stages,
                                             const WritePart& write);
/// What the kernel's usr/gen_init_cpio reads; files by their paths outside of the root.
std::optional<Error> write_bundle_cpio_list(const BundleReport& report, const WritePart& write);

}  // namespace SORESOLVE_API
