// The words of a message's row, for the pages of why, check and explain alike.
#include "report/known_cause.h"
#include <algorithm>

#include "base/path.h"
#include "packages/host_driver.h"
#include "packages/what_brings.h"
#include "python/interpreter.h"
#include "report/tones.h"
#include "soresolve/remedies.h"

namespace soresolve {

std::optional<Recognised> known_cause(std::string_view line) {
  std::vector<Recognised> messages = recognise(line);
  const auto cause = std::find_if(messages.begin(), messages.end(), [](const Recognised& message) {
    return message.known->weight == Weight::Cause && !message.known->next.en.empty();
  });
  return cause == messages.end() ? std::nullopt : std::optional(std::move(*cause));
}

Words filled_words(const Phrase& phrase, const Recognised& message) {
  return Words::filled(filled(phrase.en, message), filled(phrase.zh, message));
}

Prose next_line(Words next) {
  constexpr std::size_t kHang = 6;
  return {std::move(next), kHang, say("next-step")};
}

namespace {

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

Words try_line(const Remedy& fix, const std::string& root) {
  Words line = Words(say("try")) + Words::command(typed_in(root, fix));
  if (fix.verdict == RemedyVerdict::Partly) line += say("try-partly", {{"libraries", NameList{fix.fixes, 0}}});
  const bool has_remark = fix.verdict == RemedyVerdict::Untried && !fix.reason.empty();
  return has_remark ? std::move(line) + dim("   # " + Words(fix.reason)) : line;
}

}  // namespace

bool is_of_other_release(const Recognised& message) { return message.known->id.ends_with("-other-release"); }

std::string installer_for(const HostRow* host, std::string_view file, std::string_view library) {
  const bool is_distributions = file.starts_with("/usr/lib") || file.starts_with("/usr/share/");
  if (host == nullptr || (is_distributions && !library.empty() && what_brings(library))) return {};
  return installer_of(*host, file);
}

std::string without_guess(std::string text) {
  constexpr std::string_view kGuess = "(most likely due to a circular import)";
  if (const std::size_t at = text.find(kGuess); at != std::string::npos) text.replace(at, kGuess.size(), "(…)");
  return text;
}

std::string shown_exception(const PythonImport& import) {
  return import.other_python.empty() ? import.exception : without_guess(import.exception);
}

namespace {

/// Rows that say no more of a file that is here than its own proof does.
bool is_general(const Recognised& known) {
  constexpr std::string_view kGeneral[] = {
      "missing-library",       "missing-library-short",     "symbol-missing", "version-missing",
      "version-missing-short", "symbol-missing-in-version", "start-failed",   "program-or-interpreter-missing"};
  return std::find(std::begin(kGeneral), std::end(kGeneral), known.known->id) != std::end(kGeneral);
}

/// Does it say what stands in the place of a library (diagnose/other_file.h)?
bool is_other_file(const Problem& problem) {
  constexpr std::string_view kSentences[] = {"it-is-other-file", "is-other-file", "is-linker-script", "is-lfs-pointer"};
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
std::optional<Block> next_in_host(const Diagnosis& diagnosis, std::string_view file) {
  const HostRow* const host = host_in(diagnosis.verdict);
  const std::vector<std::string> programs = host == nullptr ? std::vector<std::string>() : programs_of(*host);
  if (programs.empty()) return std::nullopt;
  const CommandText command =
      "soresolve check --exe " + shell_path("/PATH/TO/" + programs.front()) + " " + shell_path(file);
  return Line{Words(say("next-step")) + say("next-host", {{"host", host->title}, {"command", command.text()}})};
}

/// What builds the package again, where the file was built for another release of its host; empty: nothing is known.
std::string rebuilds(const Diagnosis& diagnosis, const std::optional<Recognised>& known, std::string_view file) {
  const bool lacks_symbol =
      !diagnosis.problems.empty() && diagnosis.problems.front().code == ProblemCode::SymbolMissing;
  if (!known || !lacks_symbol || !is_of_other_release(*known)) return {};
  return installer_for(host_of(file), file, {});
}

/// Node.js has builds for the two libc as packages of their own: sharp-linuxmusl-x64 and sharp-linux-x64,
/// rollup-linux-x64-musl and rollup-linux-x64-gnu.
std::string of_other_libc(const std::string& package, bool is_for_glibc) {
  const std::pair<std::string_view, std::string_view> kNames[] = {{"-linuxmusl-", "-linux-"}, {"-musl", "-gnu"}};
  for (const auto& [musl, glibc] : kNames) {
    const std::string_view from = is_for_glibc ? musl : glibc;
    const std::size_t at = package.find(from);
    if (at == std::string::npos) continue;
    std::string other = package;
    return other.replace(at, from.size(), is_for_glibc ? glibc : musl);
  }
  return package;
}

/// What gets another build of a file, in the words of the host that it is for: nobody types pip for a module of
/// Node.js.
Statement step_of_host(const Statement& next) {
  constexpr std::string_view kInstalls[] = {"next-install-here", "next-install-again", "next-copy-again"};
  const bool is_for_glibc = next.sentence == "next-build-for-glibc";
  const bool is_of_libc = is_for_glibc || next.sentence == "next-build-for-musl";
  const bool is_install = std::find(std::begin(kInstalls), std::end(kInstalls), next.sentence) != std::end(kInstalls);
  const auto* const file = next.arguments.empty() ? nullptr : std::get_if<std::string>(&next.arguments.front().value);
  const HostRow* const host = file != nullptr && (is_of_libc || is_install) ? host_of(*file) : nullptr;
  if (host == nullptr) return next;
  const std::string package = package_of(*host, *file);
  if (host->title == "Python") {
    const std::string_view sentence = is_install     ? "next-python-here"
                                      : is_for_glibc ? "next-python-for-glibc"
                                                     : "next-python-for-musl";
    return say(sentence, {{"file", file_name_of(*file)}});
  }
  const std::string command = installer_of(*host, *file);
  if (command.empty()) return next;
  if (host->title != "Node.js") return say("next-rebuild", {{"command", command}, {"package", package}});
  const std::string wanted = is_of_libc ? of_other_libc(package, is_for_glibc) : package;
  if (wanted != package) return say("next-node-libc", {{"typed", shell_word(wanted)}, {"package", package}});
  constexpr std::string_view kPlatforms[] = {"-darwin", "-win32", "-linux", "-musl", "-android", "-freebsd"};
  const bool is_platforms = std::any_of(std::begin(kPlatforms), std::end(kPlatforms), [&](std::string_view platform) {
    return package.find(platform) != std::string::npos;
  });
  return is_platforms ? say("next-node-platform", {{"package", package}})
                      : say("next-node-here", {{"command", command}});
}

/// The line of its own that leads on where there is no fix.
std::optional<Block> next_of(const Diagnosis& diagnosis, const std::optional<Recognised>& known, std::string_view file,
                             const std::string& root) {
  const bool is_known = known && !is_general(*known);
  const bool lacks_library =
      !diagnosis.problems.empty() && diagnosis.problems.front().code == ProblemCode::MissingLibrary;
  const bool is_needed = file.find('/') != std::string_view::npos;
  if (lacks_library && is_needed && diagnosis.next.empty() && !root.empty() && !is_known)
    return Line{Words(say("next-step")) +
                say("next-bundle", {{"command", ("soresolve bundle --into " + shell_path(root) + " FILE").text()}})};
  if (std::optional<Block> next = next_in_host(diagnosis, file)) return next;
  if (const std::string command = rebuilds(diagnosis, known, file); !command.empty())
    return Line{Words(say("next-step")) +
                say("next-rebuild", {{"command", command}, {"package", package_of(*host_of(file), file)}})};
  if (!diagnosis.next.empty() && !is_known) return Line{Words(say("next-step")) + Words(step_of_host(diagnosis.next))};
  if (is_known) return next_line(filled_words(known->known->next, *known));
  const bool is_on_driver =
      std::any_of(diagnosis.problems.begin(), diagnosis.problems.end(), [](const Problem& problem) {
        return problem.what.sentence == "left-to-driver-rows" || problem.code == ProblemCode::MissingLibrary;
      });
  if (diagnosis.answer == Verdict::Depends && !is_on_driver)
    return Line{Words(say("next-step")) + Words::command("soresolve check --exe PROGRAM " + shell_path(file))};
  const HostRow* const host = known ? host_of(file) : nullptr;
  const std::string library = lacks_library ? diagnosis.problems.front().name : std::string();
  if (const std::string installer = installer_for(host, file, library); !installer.empty())
    return Line{Words(say("next-step")) +
                say("next-rebuild", {{"command", installer}, {"package", package_of(*host, file)}})};
  if (known) return next_line(filled_words(known->known->next, *known));
  return std::nullopt;
}

}  // namespace

std::optional<Block> next_of_warning(const Problem& problem) {
  if (problem.code == ProblemCode::PreloadIgnored) {
    const bool is_of_file = problem.loader_says.find("from /") != std::string::npos;
    return next_line(say(is_of_file ? "next-preload-file" : "next-preload-variable", {{"library", problem.name}}));
  }
  if (problem.code == ProblemCode::VersionUnproven)
    return next_line(say("next-unversioned", {{"library", file_name_of(problem.name)}}));
  if (problem.what.sentence != "own-symbols-elsewhere") return std::nullopt;
  return next_line(say("next-own-symbols", {{"library", file_name_of(problem.name)}}));
}

CommandText typed_in(const std::string& root, const Remedy& fix) {
  const CommandText command = joined_commands(fix.commands);
  return root.empty() || fix.kind == RemedyKind::Capabilities ? command : command.without_sudo();
}

Words root_remark(const Remedy& fix, const std::string& root) {
  return root.empty() || fix.kind == RemedyKind::Capabilities ? Words()
                                                              : Words(dim(say("inside-root", {{"root", root}})));
}

std::vector<Block> step_lines(const Diagnosis& diagnosis, std::string_view host_line, std::string_view file,
                              const std::string& root, const PythonImport* import) {
  constexpr std::size_t kHang = 14;
  const Remedy* const best = best_remedy(diagnosis);
  std::vector<Block> blocks;
  if (best != nullptr) blocks.push_back(Line{try_line(*best, root) + root_remark(*best, root)});
  // An import may fail although all that it has loaded is right.
  if (best == nullptr && diagnosis.answer == Verdict::Works && host_line.empty()) return blocks;
  // Its process may define what it leaves open: no row that says why it is missing counts.
  const bool is_left_to_host = host_in(diagnosis.verdict) != nullptr;
  const std::optional<Recognised> known =
      is_left_to_host || explains_itself(diagnosis) ? std::nullopt : known_cause(host_line);
  const Statement cause = cause_in_import(import);
  if (best == nullptr && !cause.empty()) {
    const std::string_view name = file_name_of(import->other_python);
    blocks.push_back(next_line(say("next-other-python", {{"module", name.substr(0, name.find('.'))},
                                                         {"interpreter", shell_path(import->interpreter).text()}})));
  } else if (best == nullptr) {
    if (std::optional<Block> next = next_of(diagnosis, known, file, root)) blocks.push_back(std::move(*next));
  }
  if (!cause.empty())
    blocks.push_back(Prose{Words(cause), kHang, say("head-cause"), 2});
  else if (known && !is_general(*known))
    blocks.push_back(Prose{filled_words(known->known->cause, *known), kHang, say("head-cause"), 2});
  return blocks;
}

}  // namespace soresolve
