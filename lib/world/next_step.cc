// What leads on from an answer: the fix that comes first, else what else can be done, and the cause that a row of
// messages knows of the line that the host prints. One row serves a text that was pasted and a file that was judged.
//
// In this order: what the answer itself knows of the next step counts where no row knows more than the general; a
// library that is left to its process is asked about in that; a package is built again where nothing else is known. Not
// here: which text is which (catalogue/message_reader.cc), fixes and their order (remedies/).
#include "world/next_step.h"

#include <algorithm>

#include "base/path.h"
#include "diagnose/diagnosis_input.h"
#include "diagnose/hosts.h"
#include "packages/host_driver.h"
#include "python/interpreter.h"
#include "symbols/cxx_names.h"

namespace soresolve {

bool is_of_other_release(const Recognised& message) { return message.known->id.ends_with("-other-release"); }

namespace {

/// The row of a line that the loader, or the host that opens a file, prints; nullopt: it has none, or no next step.
std::optional<Recognised> known_cause(std::string_view line) {
  std::vector<Recognised> messages = recognise(line);
  const auto cause = std::find_if(messages.begin(), messages.end(), [](const Recognised& message) {
    return message.known->weight == Weight::Cause && !message.known->next.en.empty();
  });
  return cause == messages.end() ? std::nullopt : std::optional(std::move(*cause));
}

/// What the exception does not say itself: the module is there for another Python.
Statement cause_in_import(const PythonImport* import) {
  if (import == nullptr || import->other_python.empty()) return {};
  const std::string& file = import->other_python;
  if (import->exception.find(file) != std::string::npos) return {};
  const std::string_view name = file_name_of(file);
  const PythonTag tag = python_tag(name);
  return say("module-of-other-python", {{"module", name.substr(0, name.find('.'))},
                                        {"implementation", tag.implementation == "pypy" ? "PyPy" : "CPython"},
                                        {"version", tag.version()},
                                        {"minor", static_cast<std::uint64_t>(import->minor_number)},
                                        {"file", file}});
}

/// Does it say what stands in the place of a library (diagnose/other_file.h)?
bool is_other_file(const Problem& problem) {
  constexpr std::string_view kSentences[] = {"it-is-other-file", "is-other-file",  "is-linker-script",
                                             "is-lfs-pointer",   "is-object-file", "is-core-file"};
  const auto is_one = [&](const Statement& what) {
    return std::find(std::begin(kSentences), std::end(kSentences), what.sentence) != std::end(kSentences);
  };
  return is_one(problem.what) || (problem.code == ProblemCode::FatalCandidate && !problem.evidence.empty() &&
                                  is_one(problem.evidence.front().what));
}

/// Does the first problem say more of its cause than any row of messages, which knows the line alone? Where a library
/// that would do lies elsewhere, none of the reasons that a row has is it.
bool explains_itself(const Diagnosis& diagnosis) {
  if (diagnosis.problems.empty()) return false;
  const Problem& first = diagnosis.problems.front();
  const bool is_elsewhere =
      first.code == ProblemCode::MissingLibrary &&
      std::any_of(first.candidates.begin(), first.candidates.end(), [](const Candidate& one) { return one.serves; });
  // The row says that no driver is installed.
  const bool is_driver_here = first.code == ProblemCode::MissingLibrary && is_of_driver(first.name) &&
                              std::any_of(first.candidates.begin(), first.candidates.end(), [](const Candidate& one) {
                                return one.path.find("/stubs/") == std::string::npos;
                              });
  if (is_elsewhere || is_driver_here) return true;
  return first.code == ProblemCode::ForeignMachine || first.code == ProblemCode::ForeignLibc || is_other_file(first) ||
         first.what.sentence == "driver-file-empty" ||
         (first.code == ProblemCode::NoInterpreter && !diagnosis.next.empty());
}

/// The host to which a file leaves its symbols, by their names, in a verdict that says so; nullptr: another verdict.
const HostRow* host_in(const Statement& verdict) {
  for (const Argument& argument : verdict.arguments) {
    if (const auto* const parts = std::get_if<std::vector<Statement>>(&argument.value); parts && !parts->empty())
      return host_in(parts->front());
    const auto* const text = std::get_if<std::string>(&argument.value);
    if (verdict.sentence == "depends-on-host" && argument.name == "host" && text != nullptr)
      return host_of_title(*text);
  }
  return nullptr;
}

/// Of such a file: how to name that host.
Statement next_in_host(const HostRow* host, std::string_view file) {
  const std::vector<std::string> programs = host == nullptr ? std::vector<std::string>() : programs_of(*host);
  if (programs.empty()) return {};
  const CommandText command =
      "soresolve check --exe " + shell_path("/PATH/TO/" + programs.front()) + " " + shell_path(file);
  return say("next-host", {{"host", host->title}, {"command", command.text()}});
}

/// The package of the file built again for what is here; empty: nothing is known to do that.
Statement rebuild(std::string_view file, std::string_view library) {
  const HostRow* const host = host_of(file);
  const std::string command = installer_for(host, file, library);
  if (command.empty()) return {};
  return say("next-rebuild", {{"command", command}, {"package", package_of(*host, file)}});
}

/// A C++ class whose virtual functions nobody defines: the first symbol of it that nothing serves.
const UnresolvedSymbol* symbol_of_class(const Answer& answer) {
  if (answer.run() == nullptr || !answer.run()->check()) return nullptr;
  const std::vector<UnresolvedSymbol>& symbols = answer.run()->check()->symbols;
  const auto found = std::find_if(symbols.begin(), symbols.end(), [](const UnresolvedSymbol& symbol) {
    return !class_of_table(symbol.reference.name).empty();
  });
  return found == symbols.end() ? nullptr : &*found;
}

Statement next_of_class(const Answer& answer, const UnresolvedSymbol& symbol, bool is_left_to_process) {
  const std::string referrer = file_of(answer.run()->map(), symbol.reference.referrer);
  const std::string name = class_of_table(symbol.reference.name);
  const std::string_view file = file_name_of(referrer.empty() ? answer.file() : referrer);
  if (!is_left_to_process) return say("next-class-left-out", {{"class", name}, {"file", file}});
  return say("next-class-in-program", {{"class", name}, {"file", file}, {"typed", shell_path(answer.file())}});
}

/// Where there is no fix. Empty: the row that is known, if one, has it.
Statement next_of(const Answer& answer, const Diagnosis& diagnosis, const Recognised* known) {
  const std::string& file = answer.file();
  const bool has_row = known != nullptr && !known->known->is_general;
  const Problem* const first = diagnosis.problems.empty() ? nullptr : &diagnosis.problems.front();
  const bool lacks_library = first != nullptr && first->code == ProblemCode::MissingLibrary;
  const bool is_path = file.find('/') != std::string::npos;
  if (lacks_library && is_path && diagnosis.next.empty() && !answer.root().empty() && !has_row)
    return say("next-bundle", {{"command", ("soresolve bundle --into " + shell_path(answer.root()) + " FILE").text()}});
  if (Statement next = next_in_host(host_in(diagnosis.verdict), file); !next.empty()) return next;
  const bool lacks_symbol = first != nullptr && first->code == ProblemCode::SymbolMissing;
  if (lacks_symbol && known != nullptr && is_of_other_release(*known)) {
    if (Statement next = rebuild(file, {}); !next.empty()) return next;
  }
  if (has_row) return {};
  const UnresolvedSymbol* const of_class = symbol_of_class(answer);
  if (of_class != nullptr && diagnosis.next.sentence == "next-defined-nowhere")
    return next_of_class(answer, *of_class, false);
  if (!diagnosis.next.empty()) return step_of_host(diagnosis.next);
  const bool is_on_driver =
      std::any_of(diagnosis.problems.begin(), diagnosis.problems.end(), [](const Problem& problem) {
        return problem.what.sentence == "left-to-driver-rows" || problem.code == ProblemCode::MissingLibrary;
      });
  if (diagnosis.answer == Verdict::Depends && !is_on_driver && of_class != nullptr)
    return next_of_class(answer, *of_class, true);
  if (diagnosis.answer == Verdict::Depends && !is_on_driver)
    return say("next-in-program", {{"typed", shell_path(file)}});
  return known == nullptr ? Statement{} : rebuild(file, lacks_library ? first->name : std::string());
}

Statement next_of_copy(const Problem& problem) {
  const auto program = std::find_if(problem.what.arguments.begin(), problem.what.arguments.end(),
                                    [](const Argument& argument) { return argument.name == "program"; });
  return say("next-relink",
             {{"program", std::get<std::string>(program->value)}, {"library", file_name_of(problem.name)}});
}

}  // namespace

NextStep next_step_of(const Answer& answer) {
  const Diagnosis& diagnosis = answer.diagnosis_with_fixes();
  NextStep step;
  step.fix = answer.first_fix();
  // An import may fail although all that it has loaded is right.
  const PythonImport* const import = answer.run() == nullptr ? nullptr : answer.run()->import();
  if (step.fix == nullptr && diagnosis.answer == Verdict::Works && answer.host_line().empty()) {
    if (import == nullptr || import->grave_doubt() == nullptr) return step;
    const CommandText command =
        "soresolve confirm --import " + shell_word(import->module) + " --python " + shell_path(import->interpreter);
    step.next = say("next-confirm-import", {{"command", command.text()}});
    return step;
  }
  // Its process may define what it leaves open: no row that says why it is missing counts.
  const bool is_left_to_host = host_in(diagnosis.verdict) != nullptr;
  if (!is_left_to_host && !explains_itself(diagnosis)) step.row = known_cause(answer.host_line());
  step.cause = cause_in_import(import);
  if (!step.cause.empty()) {
    step.row.reset();
    const std::string_view name = file_name_of(import->other_python);
    // In the tree of the Python that it is built for, no pip of this one has put it.
    const std::string its = "python" + python_tag(name).version();
    const bool is_in_its_tree = import->other_python.find("/" + its + "/") != std::string::npos;
    const std::string_view module = name.substr(0, name.find('.'));
    const CommandText interpreter = shell_path(import->interpreter);
    step.next = is_in_its_tree
                    ? say("next-its-python", {{"module", module}, {"python", its}, {"interpreter", interpreter.text()}})
                    : say("next-other-python", {{"module", module}, {"interpreter", interpreter.text()}});
  } else if (step.fix == nullptr) {
    step.next = next_of(answer, diagnosis, step.row ? &*step.row : nullptr);
  }
  return step;
}

Statement next_of_warning(const Problem& problem) {
  if (problem.code == ProblemCode::PreloadIgnored) {
    const bool is_of_file = problem.loader_says.find("from /") != std::string::npos;
    return say(is_of_file ? "next-preload-file" : "next-preload-variable", {{"library", problem.name}});
  }
  if (problem.code == ProblemCode::VersionUnproven)
    return say("next-unversioned", {{"library", file_name_of(problem.name)}});
  if (problem.code == ProblemCode::CopySize) return next_of_copy(problem);
  if (problem.what.sentence != "own-symbols-elsewhere") return {};
  return say("next-own-symbols", {{"library", file_name_of(problem.name)}});
}

}  // namespace soresolve
