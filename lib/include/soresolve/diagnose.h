// What is wrong with a link map, and what is right but surprising.
#pragma once
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
#include "soresolve/cuda.h"
#include "soresolve/dlopens.h"
#include "soresolve/link_map.h"
#include "soresolve/packages.h"
#include "soresolve/place.h"
#include "soresolve/problem_codes.h"
#include "soresolve/result.h"
#include "soresolve/statement.h"
#include "soresolve/symbols.h"

namespace soresolve SORESOLVE_API {

/// A file that could stand for a library that is missing or wrong.
struct Candidate {
  std::string path;
  std::string soname;          ///< empty when it has none
  Statement place;             ///< how it was come by: "in ld.so.cache", "CUDA toolkit"
  bool is_asked_name = false;  ///< its SONAME or file name is the one that is asked for
  bool serves = false;         ///< it has what the files that need it require of it
  Statement reason;            ///< why, or why not
  std::optional<PackageOwner> owner = {};
  std::vector<std::string> judged_by = {};  ///< files whose requirements were compared: of the map, of their package
  /// Why it is none for this file although it may serve: of another environment, or another release. Empty: it is.
  Statement foreign = {};
  bool is_unproven = false;       ///< another release, and nothing that is required of it shows that it fits
  std::string refused_by = {};    ///< one of them that lacks a version or symbol in it
  std::string dlerror_tail = {};  ///< what the loader says behind its path of a version that it lacks
};

/// A change, and what came of it when it was tried in memory.
struct Remedy {
  RemedyKind kind = RemedyKind::LibraryPath;
  RemedyVerdict verdict = RemedyVerdict::Untried;
  Statement text;                          ///< what it is, in one sentence
  std::vector<CommandText> commands;       ///< to type, in this order
  std::vector<std::string> fixes;          ///< libraries that are found and right with it
  std::vector<std::string> brings;         ///< libraries that an Install is meant to bring
  std::string loader_says;                 ///< the loader's line if it fails, or what is left
  std::vector<Statement> also;             ///< what else changes
  Statement reason;                        ///< why it fails or was not tried, where the loader's line is no proof
  Statement checked;                       ///< how far it was looked
  Statement foreign = {};                  ///< as of a candidate that it makes use of; such fixes come last
  std::vector<std::string> writes = {};    ///< files that it changes or moves
  std::vector<std::string> leads_to = {};  ///< directories that the loader, or what is installed, then comes to
  FixChoice choice = FixChoice::IsNone;    ///< its place among the fixes, which stand in this order
};

/// One thing that shows a problem, and where it is seen.
struct Evidence {
  Statement what;                            ///< one line
  std::string path = {};                     ///< of the file that shows it; empty: it is no file
  std::optional<std::uint64_t> offset = {};  ///< in this file
  std::optional<std::uint32_t> line = {};    ///< of a text, from 1
  bool operator==(const Evidence&) const = default;
};

/// A file that a problem is about, or that asks for what is missing, and the package that brought it.
struct OwnedFile {
  std::string path;
  PackageOwner owner;
  bool operator==(const OwnedFile&) const = default;
};

struct Problem {
  ProblemCode code = ProblemCode::Note;
  Phase phase = Phase::Start;
  std::string name;                ///< the library or file that it is about
  ObjectIndex object = kNoObject;  ///< the object that it is about, if it is in the map
  /// Who refers to a symbol that is missing, where no version names the library that should have it.
  ObjectIndex referrer = kNoObject;
  std::vector<NeedRef> requests;         ///< whose requests it concerns, in the loader's order
  Statement what;                        ///< one sentence
  std::vector<Evidence> evidence;        ///< further lines: paths, entries
  std::vector<OwnedFile> owners;         ///< of its files; empty where no record has them
  std::vector<LayerOfFile> layers = {};  ///< of an image: of its files, and of those that were taken away
  std::vector<Candidate> candidates;
  Statement candidates_note;  ///< where the search for them was cut short
  std::string loader_says;    ///< the loader's line; empty when it says nothing
  std::string dlerror_says;   ///< the same as dlerror(3), and so Python, words it
  /// Wheels, in the releases that would be right: "nvidia-cudnn-cu12==9.1.0.70"; empty: none is known.
  std::vector<std::string> wheels = {};

  /// The program starts; the first call of what is missing ends it.
  [[nodiscard]] bool is_met_later() const { return phase == Phase::Call && severity_of(code) == Severity::Fatal; }
};

// Will it start, or load into a running process? And if not, what is wrong: all of it.
//
// The loader stops at the first thing that is wrong; start_up() plays that. Here stands the rest as
// well: every library, version and symbol that is missing, and what is there in its place.

/// A file that the walk asks for in vain, once for all who ask.
struct UnresolvedLibrary {
  LoadFailure failure;               ///< of the first that asks
  std::vector<ObjectIndex> needers;  ///< in the loader's order
};

/// A version that is required and not simply there.
struct VersionGap {
  VersionMessage message;
  std::vector<std::string> nearest;  ///< versions that the provider does define, closest by name
  std::size_t defined_count = 0;     ///< how many it defines, without the base record
};

/// What an object refers to in vain, lazily if all its references to it are lazy, and the file that
/// its version is required from.
struct UnresolvedSymbol {
  UndefinedSymbol reference;
  std::string file;                                ///< vn_file; empty: no version is asked for
  ObjectIndex from = kNoObject;                    ///< the object that goes by this name, maybe a placeholder
  std::optional<std::uint64_t> entry_offset = {};  ///< of its entry in the referrer's dynamic symbol table
  /// Objects that carry the name but do not serve; looked for of the first few symbols only.
  std::vector<AskedObject> other_versions;
  /// Objects that the process opened before with RTLD_LOCAL and that define it; likewise.
  std::vector<ObjectIndex> out_of_scope;
  /// Of C++: what it was probably meant to be; likewise.
  std::vector<NearSymbol> near_misses = {};
};

/// Of what the check is about: the start, or the last dlopen call of the map.
struct StartCounts {
  std::size_t objects = 0;       ///< files that it needs, itself included
  std::size_t versions = 0;      ///< requirements that were looked at
  std::size_t references = 0;    ///< symbol references, equal ones of an object merged
  std::size_t unbound_weak = 0;  ///< weak ones that stay without definition
  std::size_t lazy = 0;          ///< bound that wait for their first call unless LD_BIND_NOW is set
};

/// The answer to `check`.
struct Check {
  StartFacts facts;
  Startup now;                               ///< with LD_BIND_NOW=1; a dlopen call with RTLD_NOW
  Startup as_asked;                          ///< as the environment says; a dlopen call with RTLD_LAZY
  bool asks_now = false;                     ///< LD_BIND_NOW is set in the environment
  bool opens_lazily = false;                 ///< what is asked about is opened with RTLD_LAZY
  std::vector<UnresolvedLibrary> libraries;  ///< those that end the start
  std::vector<VersionGap> versions;
  std::vector<UnresolvedSymbol> symbols;  ///< in the order of relocation
  StartCounts counts;

  /// What was asked: with LD_BIND_NOW=1, a dlopen call in its own mode.
  [[nodiscard]] const Startup& answer() const { return opens_lazily ? as_asked : now; }
  [[nodiscard]] bool is_ok() const { return answer().end == StartEnd::Runs; }
};

/// Judges a map that was made with OnFatal::Continue: its last dlopen call, or its start if nothing is opened.
/// Errors as read_start_facts.
Result<Check> check_start(const LinkMap& map, const BindOptions& options = {});

/// What a check comes to, with what is opened later: a library that must be there then counts as one that is missing.
Verdict verdict_of(const LinkMap& map, const Check& check, const Dlopens& later);
/// And with what CUDA asks of the process: calls that will fail although everything loads are a failure.
Verdict verdict_of(const LinkMap& map, const Check& check, const Dlopens& later, const std::vector<Problem>& cuda);

/// What the process ends with: 127, or 1 for versions; nullopt where the program's own status counts,
/// for signals, and in a dlopen.
std::optional<int> exit_status_of(const LinkMap& map, const Startup& startup);

/// The answer to `why`.
struct Diagnosis {
  bool starts = true;                   ///< no fatal problem, or only such as are met later
  std::string loader_prints;            ///< its first fatal line (dlerror's for a library); empty if none
  Verdict answer = Verdict::Works;      ///< of all that was asked about; of `asked` only whether it is found
  Statement verdict;                    ///< one line
  std::vector<Problem> problems;        ///< fatal ones first, in the loader's order
  std::string asked;                    ///< the library that was asked about; empty for none
  std::vector<Remedy> remedies;         ///< in the order of choice
  Statement next = {};                  ///< what leads on where no fix is left; empty: nothing is known
  std::vector<NeedRef> asked_requests;  ///< every request for it, in the loader's order
  Dlopens dlopens;                      ///< what is opened later; of the library that was asked about only

  [[nodiscard]] bool has_fatal() const;
};

/// What goes wrong once the process calls what is loaded: what CUDA asks of the whole process and is not so (parts of
/// different builds, no driver, a stub, one that is too old), and symbols that are bound to another kind than the code
/// that refers to them was compiled for. `check`: what check_start() says of the map.
std::vector<Problem> find_call_problems(const LinkMap& map, const Check& check, const Dlopens& dlopens);

// What a program's start is to be gated by: "cuda=12.1", "driver>=530.30.02", each proved or refuted.

enum class RequiredThing : std::uint8_t {
  Cuda,  ///< the CUDA runtime of the process
  Cudnn,
  Nccl,
  Driver,     ///< the driver's library in reach, else its kernel module
  Glibc,      ///< the release of the loader
  Framework,  ///< torch or tensorflow whose libraries are in the process
  Device,     ///< GPU code of the process runs on it
};

enum class Relation : std::uint8_t { Within, NotWithin, Equal, Less, LessEqual, Greater, GreaterEqual };

struct Requirement {
  std::string text;  ///< as written
  RequiredThing thing = RequiredThing::Cuda;
  std::string name;  ///< of the framework or device
  Relation relation = Relation::Within;
  DottedVersion version;  ///< empty for a device, and for a framework of any release
};

struct RequirementVerdict {
  Requirement requirement;
  bool is_met = false;
  bool is_absent = false;  ///< the process has nothing of the kind
  Statement seen;          ///< what is there: "CUDA 12.4"; "no CUDA runtime"
  std::vector<Evidence> evidence;
};

/// Judges each against the process of `map`; what is opened later counts as far as `dlopens` tells. A device is
/// judged by all GPU code of the process: one file that has none for it refutes.
/// Errors: Usage for a device that is not known.
Result<std::vector<RequirementVerdict>> judge_requirements(const LinkMap& map, const Dlopens& dlopens,
                                                           const GpuContracts& contracts,
                                                           const std::vector<Requirement>& requirements);

}  // namespace SORESOLVE_API
