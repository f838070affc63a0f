// One question, and all that is known of its answer.
//
// `why`, `check`, `explain`, a row of `scan`, the C interface and Python ask here; view() (report.h) writes what each
// of them shows, so that none knows a cause or a fix that another lacks. What an answer stands on is computed at the
// first use: a verdict costs a walk, its versions and symbols; causes run the detectors; fixes are tried one by one.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/catalogue.h"
#include "soresolve/diagnose.h"
#include "soresolve/dlopens.h"
#include "soresolve/remedies.h"
#include "soresolve/result.h"
#include "soresolve/world.h"

namespace soresolve SORESOLVE_API {

/// Is what CUDA asks of the whole process judged, beyond what the loader does?
enum class JudgeCuda : std::uint8_t { No, Yes };

/// What somebody wants to know of one file or import. Another process is another World.
struct Question {
  std::string file;        ///< as World::resolve() takes it; a module where `process` is that of an import
  std::string about = {};  ///< one library of its process (see Answer::about); empty: all that is wrong
  std::optional<ProcessSettings> process = {};  ///< who opens it, instead of the World's
  std::vector<OpenRequest> dlopen_calls = {};   ///< as ResolveOptions has them
  DlopenLevel later = DlopenLevel::Known;       ///< what is judged of what is opened later
  JudgeCuda cuda = JudgeCuda::Yes;
  std::vector<Requirement> requirements = {};
  std::shared_ptr<const GpuContracts> contracts = {};  ///< for requirements; null: the built-in ones
  Attempts attempts = Attempts::Discard;
  LookFor look_for = LookFor::Symbols;
  OwnReferences references = OwnReferences::Counted;  ///< Settled: a line of a list, for which no fix is tried
  RefusalFixes refusal = RefusalFixes::Tried;         ///< where the file comes into no process
  unsigned jobs = 1;
};

/// What leads on from an answer.
struct NextStep {
  const Remedy* fix = nullptr;         ///< the one to try first: best_remedy()
  Statement next = {};                 ///< else what to do; empty: `row` says it, or nothing is known
  Statement cause = {};                ///< what an import does not say itself
  std::optional<Recognised> row = {};  ///< of the host's line; its cause counts, unless the row is general
};

/// What is known of it. Cheap to copy; owns all it speaks of, so that the World may be gone. Can be asked by several
/// threads at a time; what is returned by reference lives as long as one of the copies.
class Answer {
 public:
  /// Of a walk that was made already; `later`: what is opened later, found and checked by the caller.
  /// Errors: as judge_requirements().
  static Result<Answer> of_walk(Resolution run, Question question = {},
                                std::shared_ptr<const PackageOwners> owners = {}, std::optional<Dlopens> later = {});

  [[nodiscard]] const Question& question() const;
  /// As it was asked about; the program of a process or an image where no file was named.
  [[nodiscard]] const std::string& file() const;
  /// World::root_name() of the World that was asked: what is typed there changes that root.
  [[nodiscard]] const std::string& root() const;
  /// Works, fails, or depends on the process that loads it: of the loader, the import, what is opened later, what CUDA
  /// asks for, and the requirements. Of what unreadable() names it says nothing.
  [[nodiscard]] Verdict verdict() const;
  /// What the loader, or the host that opens the file, prints of it: the exception of an import, else the line that
  /// ends the process, or that on the first problem, or on what depends on its process. Empty: nothing.
  [[nodiscard]] const std::string& host_line() const;
  /// What keeps symbols or libraries that are opened later from being judged: then there is no verdict on them.
  [[nodiscard]] const std::optional<Error>& unreadable() const;

  /// The process as walked; nullptr: the file comes into none, because the kernel or its rights refuse it, or because
  /// it is static.
  [[nodiscard]] const Resolution* run() const;
  /// What the process opens later, as Question::later wants it, with versions and symbols.
  [[nodiscard]] const Dlopens& later() const;
  /// Where it comes into no process: the error that World::resolve() gives for it.
  [[nodiscard]] const std::optional<Error>& refused_as() const;
  /// What goes wrong at a call although all of it loads: find_call_problems().
  [[nodiscard]] const std::vector<Problem>& call_problems() const;
  /// In the order of Question::requirements.
  [[nodiscard]] const std::vector<RequirementVerdict>& requirements() const;
  /// What the loader passes over without a word (a cache that it cannot use).
  [[nodiscard]] const std::vector<Error>& warnings() const;

  /// The causes in order: what is wrong, and what is right but surprising.
  [[nodiscard]] const Diagnosis& diagnosis() const;
  /// The same with fixes that were tried in memory, and the packages of the files. The first call says how. Takes
  /// longer than all the rest. Of `how` it sets the import itself, and the owners where none are given.
  [[nodiscard]] const Diagnosis& diagnosis_with_fixes(const RemedyOptions& how = {}) const;

  /// The one to try first: best_remedy() of those. nullptr: there is none that can be typed.
  [[nodiscard]] const Remedy* first_fix() const;
  /// What to type, or what leads on, and the cause in words that know more than the first problem's.
  [[nodiscard]] const NextStep& next_step() const;

  /// Does a file of its process need the library? What is opened later is not looked at.
  [[nodiscard]] bool asks_for(std::string_view library) const;
  /// The answer on one library of the same process. A name without its version or its "lib" stands for the one that it
  /// fits: libhelper and helper for libhelper.so.1.
  [[nodiscard]] Answer about(std::string library) const;

 private:
  struct State;
  friend Result<Answer> ask(World& world, Question question);
  explicit Answer(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

/// Walks, and judges what the question requires. Errors: as World::resolve(), but what refuses a program is an answer
/// (World::refusal); as judge_requirements().
Result<Answer> ask(World& world, Question question);

}  // namespace SORESOLVE_API
