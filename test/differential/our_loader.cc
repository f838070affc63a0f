// Asks the library the questions that real_loader.cc answers by LD_DEBUG: attempts, list, bindings, order, end of the
// start. It also holds `why` against the start, and bindings with and without own references against each other.
#include "differential/our_loader.h"

#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "diagnose/diagnose.h"
#include "loader/cpu.h"
#include "loader/dependency_sort.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/catalogue.h"
#include "soresolve/diagnose.h"
#include "soresolve/file_system.h"
#include "soresolve/report.h"
#include "soresolve/symbols.h"
#include "support/borrowed.h"
#include "support/explained.h"
#include "support/same_bindings.h"
#include "symbols/startup.h"

namespace soresolve::test {
namespace {

std::string kernel_release() {
  utsname names{};
  return uname(&names) == 0 ? names.release : "";
}

bool is_version_failure(const LoadFailure& failure) {
  return failure.kind == LoadFailure::Kind::VersionFile || failure.kind == LoadFailure::Kind::VersionRecord;
}

Cpu processor_of(const GlibcRoot& root, const ElfTarget& target) {
  if (!root.processor) return detect_host_cpu(target, "x86_64");
  Cpu cpu = default_cpu(target);
  cpu.platform = root.processor->platform;
  cpu.hwcaps_usable = static_cast<int>(root.processor->hwcaps.size());
  cpu.legacy_names = root.processor->legacy_names;
  cpu.legacy_bits = root.processor->legacy_bits;
  return cpu;
}

/// Each line once, as in LoaderAnswer.
std::vector<std::string> bindings(const LinkMap& map, const Bindings& all, const Process& process) {
  std::vector<std::string> lines;
  std::unordered_set<std::string> seen;
  const auto name = [&](ObjectIndex object) {
    return object == 0 ? process.argv0 : std::string(map.objects[object].path);
  };
  all.for_each([&](const Bindings::Event& event) {
    // What is repeated stood here before, or is a relocation of thread-local storage without a symbol.
    if (event.binding == nullptr || event.binding->is_repeated || !event.binding->is_bound()) return;
    const SymbolBinding& binding = *event.binding;
    if (map.objects[binding.referrer].role == ObjectRole::Vdso) return;
    std::string line = name(binding.referrer);
    line.append("\t").append(binding.symbol).append("\t");
    line.append(binding.version.empty() ? "-" : binding.version);
    line.append("\t").append(name(binding.provider));
    if (seen.insert(line).second) lines.push_back(std::move(line));
  });
  return lines;
}

std::vector<std::string> relocations(const LinkMap& map) {
  std::vector<std::string> paths;
  for (const ObjectIndex index : relocation_order(map)) {
    const LoadedObject& object = map.objects[index];
    // Without a libc the search for malloc fails before this (2.32 to 2.40).
    const bool is_loader = object.role == ObjectRole::Loader;
    const bool has_libc = std::any_of(map.objects.begin(), map.objects.end(),
                                      [](const auto& other) { return other.elf.soname == "libc.so.6"; });
    if (is_loader && !has_libc && !map.system->rules.dlopen_sorts_anew) continue;
    paths.push_back(index == 0 ? map.process->argv0 : std::string(object.path));
  }
  return paths;
}

}  // namespace

AsUser::AsUser(std::uint32_t user) : is_other_(user != 0) {
  if (is_other_) syscall(SYS_setresuid, -1, user, -1);
}
AsUser::~AsUser() {
  if (is_other_) syscall(SYS_setresuid, -1, 0, -1);
}

LoaderAnswer failed(const Error& error) {
  LoaderAnswer answer;
  answer.trace_messages = answer.start_messages = answer.now_messages = {"error: " + error.to_string()};
  answer.trace_end = answer.start_end = answer.now_end = "no answer";
  return answer;
}

std::vector<std::string> lines_in(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string end_of(const Startup& startup) {
  switch (startup.end) {
    case StartEnd::Runs: return "exit 0";
    case StartEnd::Fails: return "exit 127";
    case StartEnd::Versions: return "exit 1";
    case StartEnd::Crashes: return "signal";
    case StartEnd::Blocks: return endless_end(startup.death);
  }
  return "?";
}

std::string end_of(const TraceAnswer& trace) {
  switch (trace.end) {
    case TraceAnswer::End::Good: return "exit 0";
    case TraceAnswer::End::Fails: return "exit 127";
    case TraceAnswer::End::Crashes: return "signal";
    case TraceAnswer::End::Blocks: return endless_end(trace.reason);
  }
  return "?";
}

std::string why_differs(const System& system, const Process& process, const std::string& file, const Startup& start) {
  const Result<LinkMap> map =
      load(system, process, file, {.attempts = Attempts::Record, .on_fatal = OnFatal::Continue});
  if (!map) return "why: " + map.error().to_string();
  const Diagnosis diagnosis = diagnose(*map, file);
  // A set-uid program may bind lazily whatever is asked: symbols that are missing end it later.
  const bool is_later =
      process.secure && system.rules.secure_binds_lazily && start.end == StartEnd::Runs &&
      std::all_of(diagnosis.problems.begin(), diagnosis.problems.end(), [](const Problem& problem) {
        return severity_of(problem.code) != Severity::Fatal || problem.code == ProblemCode::SymbolMissing;
      });
  if (!is_later && diagnosis.starts != (start.end == StartEnd::Runs))
    return "why: " + sentence(diagnosis.verdict, Language::English);
  const bool has_line = start.fatal_line && (start.end == StartEnd::Fails || start.end == StartEnd::Versions);
  // Of several missing versions it may be another one than the start ends in.
  if (has_line && std::find(start.lines.begin(), start.lines.end(), diagnosis.loader_prints) == start.lines.end()) {
    return "why: the loader prints " + diagnosis.loader_prints;
  }
  const bool has_foreign = std::any_of(diagnosis.problems.begin(), diagnosis.problems.end(),
                                       [](const Problem& problem) { return problem.code == ProblemCode::ForeignLibc; });
  for (const Problem& problem : diagnosis.problems) {
    const std::string differs = taken_otherwise(problem);
    // What comes of a file of the other libc is taken for that.
    const bool is_of_foreign = has_foreign && differs.ends_with("[foreign-libc]");
    // Of a name that is too long for it musl's text is that of what failed before; no pattern reads those of 1 KiB.
    if (system.rules.libc == Libc::Musl && problem.name.size() > 255) continue;
    // Where musl has no directories of the system to search, the text is that of its path file, or of what failed
    // before.
    const bool is_of_path_file =
        system.rules.libc == Libc::Musl && system.rules.system_dirs.empty() && differs.ends_with("[fatal-candidate]");
    if (!differs.empty() && !is_of_foreign && !is_of_path_file) return "explain: " + differs;
  }
  return {};
}

Process process_of(const Tree& tree, const System& system, Cpu cpu) {
  Process process;
  process.argv0 = tree.launch == Launch::Kernel ? tree.argv0 : tree.file;
  process.start = tree.launch == Launch::Kernel ? Start::Kernel : Start::Argument;
  process.environment = Environment(tree.environment);
  process.cwd = tree.cwd;
  process.secure = tree.is_secure;
  process.has_proc = tree.proc == Proc::Mounted;
  process.cpu = std::move(cpu);
  apply_tunables(process, system.rules);
  process.os_release = kernel_release();
  return process;
}

LoaderAnswer ask_our_loader(const Sandbox& box, const GlibcRoot& root, const Tree& tree, Runs runs) {
  const AsUser as_user(tree.is_secure ? 0 : tree.user);
  Result<std::unique_ptr<FileSystem>> files = rooted_file_system(box.root());
  if (!files) return failed(files.error());
  Result<System> system = read_system(std::move(*files), root.machine->interp);
  if (!system) return failed(system.error());
  const Process process = process_of(tree, *system, processor_of(root, system->rules.target));

  Result<LinkMap> map = load(*system, process, tree.file, {.attempts = Attempts::Record});
  if (!map) return failed(map.error());

  const LoadFailure* const fatal = map->first_fatal();
  const bool is_found = fatal == nullptr || is_version_failure(*fatal);
  std::optional<Result<StartFacts>> facts;
  Bindings named;
  if (is_found) {
    facts = read_start_facts(*map, {.own = OwnReferences::Counted});
    if (!*facts) return failed(facts->error());
    Result<Bindings> all = bind_symbols(*map);
    if (!all) return failed(all.error());
    if (const auto differs = difference(*all, (*facts)->bindings)) {
      return failed({ErrorCode::Malformed, tree.file, {}, "all references, or without own: " + *differs});
    }
    named = std::move(all).value();
  }

  LoaderAnswer answer;
  if (runs == Runs::TraceAndStart) {
    Result<TraceAnswer> traced = trace(*map);
    if (!traced) return failed(traced.error());
    answer.trace_end = end_of(*traced);
    answer.trace_messages = std::move(traced->messages);
    answer.trace = lines_in(traced->list);
    for (const SearchTrace& trace : map->traces) {
      answer.has_left_out |= trace.left_out != 0;
      for (const Attempt& attempt : trace.attempts)
        if (attempt.is_printed) answer.attempts.push_back(attempt.candidate);
    }
  }
  for (const LoadFailure& failure : map->failures)
    answer.is_endless |=
        failure.kind == LoadFailure::Kind::Crash && failure.text.find("lead in a circle") != std::string::npos;
  const StartFacts none;
  const StartFacts& known = facts ? **facts : none;
  const Startup lazy = start_up(*map, known, BindTime::AsAsked);
  answer.start_end = end_of(lazy);
  answer.start_messages = lazy.lines;
  const Startup now = start_up(*map, known, BindTime::Now);
  answer.now_end = end_of(now);
  answer.now_messages = now.lines;
  // Of a library alone it leaves open what the process that opens it may define.
  if (process.start == Start::Kernel) {
    const std::string as_asked = why_differs(*system, process, tree.file, lazy);
    if (!as_asked.empty()) answer.start_messages.push_back(as_asked);
    Process asks_now = process;
    asks_now.environment.add("LD_BIND_NOW=1");
    const std::string difference = why_differs(*system, asks_now, tree.file, now);
    if (!difference.empty()) answer.now_messages.push_back(difference);
  }
  if (is_found && !process.secure) {
    answer.relocations = relocations(*map);
    answer.bindings = bindings(*map, named, process);
  }
  return answer;
}

}  // namespace soresolve::test
