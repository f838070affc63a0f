// Fixes in the environment of one process: LD_LIBRARY_PATH and LD_PRELOAD (ld.so(8)). Each is tried in memory before it
// is shown; that finds also that a set-uid program ignores them.
#include <algorithm>

#include "base/path.h"
#include "base/pieces.h"
#include "base/printable.h"
#include "cuda/driver_mount.h"
#include "diagnose/static_tls.h"
#include "diagnose/verdict.h"
#include "loader/process.h"
#include "loader/system.h"
#include "loader/tunables.h"
#include "packages/wheel_requirements.h"
#include "remedies/pip_command.h"
#include "remedies/proposals.h"
#include "soresolve/command_text.h"

namespace soresolve {

std::vector<Remedy> propose_library_path(const RemedyContext& context) {
  const std::vector<std::string> list = directories_of(context.replacements, ChosenFiles::OfTheVeryName);
  if (list.empty()) return {};
  Remedy remedy;
  remedy.kind = RemedyKind::LibraryPath;
  remedy.text = say("fix-library-path", {{"count", list.size()}});
  remedy.leads_to = list;
  remedy.commands = {"export LD_LIBRARY_PATH=" + shell_word(prepended(list, {})) +
                     "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"};
  if (prepended(list, {}).find_first_of(";$") != std::string::npos ||
      std::any_of(list.begin(), list.end(), [](const std::string& d) { return d.find(':') != std::string::npos; })) {
    return {untried(std::move(remedy), say("not-for-library-path"))};
  }
  WorldChange world_change;
  world_change.environment = {"LD_LIBRARY_PATH=" +
                              prepended(list, context.map.process->environment.value("LD_LIBRARY_PATH"))};
  return {context.trials.tried(std::move(remedy), world_change)};
}

std::vector<Remedy> propose_preloads(const RemedyContext& context) {
  std::string list;
  WorldChange opens;
  std::string statement = "import ctypes";
  bool is_literal = true;  // what stands in the strings of that statement means itself
  for (const Replacement& replacement : context.replacements.chosen) {
    if (replacement.candidate->soname != replacement.problem->name) continue;
    list += (list.empty() ? "" : ":") + replacement.candidate->path;
    opens.dlopen_calls.push_back({replacement.candidate->path, {.scope = OpenScope::Global}, {}, false});
    const std::string& path = replacement.candidate->path;
    is_literal = is_literal && path.find_first_of("\\\"") == std::string::npos && printable(path) == path;
    statement += "; ctypes.CDLL(\"" + replacement.candidate->path + "\", mode=ctypes.RTLD_GLOBAL)";
  }
  if (list.empty()) return {};
  std::vector<Remedy> remedies;
  Remedy remedy;
  remedy.kind = RemedyKind::Preload;
  remedy.text = say("fix-preload");
  remedy.commands = {"export LD_PRELOAD=" + shell_word(list) + "${LD_PRELOAD:+:$LD_PRELOAD}"};
  if (list.find_first_of(" \t") != std::string::npos) {
    remedies.push_back(untried(remedy, say("not-for-preload")));
  } else {
    WorldChange world_change;
    const auto old = context.map.process->environment.value("LD_PRELOAD");
    world_change.environment = {"LD_PRELOAD=" + list + (old && !old->empty() ? ":" + std::string(*old) : "")};
    remedies.push_back(context.trials.tried(remedy, world_change));
  }
  const bool is_python = file_name_of(context.map.main().name()).starts_with("python");
  if (context.map.requested.empty() || !is_python || !is_literal) return remedies;
  remedy.text = say("fix-preload-python");
  remedy.commands = {"python3 -c " + shell_word(statement + "; import …")};
  remedies.push_back(context.trials.tried(remedy, opens));
  return remedies;
}

std::vector<Remedy> propose_capabilities(const RemedyContext& context) {
  const std::shared_ptr<const DriverMount>& driver = context.map.system->driver;
  if (driver == nullptr || !driver->files_with || driver->capabilities.empty()) return {};
  std::vector<std::string> wanted = driver->capabilities;
  for (const WithheldLibrary& library : driver->withheld) {
    const bool is_missing = context.replacements.broken.find(library.soname) != context.replacements.broken.end();
    const bool is_known = std::find(wanted.begin(), wanted.end(), library.lacks) != wanted.end();
    if (is_missing && !library.lacks.empty() && !is_known) wanted.emplace_back(library.lacks);
  }
  if (wanted.size() == driver->capabilities.size()) return {};
  const std::string list = joined(wanted, ",");
  Remedy remedy;
  remedy.kind = RemedyKind::Capabilities;
  remedy.text = say("fix-capabilities", {{"capabilities", list}});
  remedy.commands = {"docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=" + shell_word(list) + " IMAGE"};
  Result<std::shared_ptr<const FileSystem>> files = driver->files_with(list);
  if (!files) return {untried(std::move(remedy), words_of_others(files.error().to_string()))};
  WorldChange world_change;
  world_change.instead = std::move(*files);
  world_change.environment = {"NVIDIA_DRIVER_CAPABILITIES=" + list};
  return {context.trials.tried(std::move(remedy), world_change)};
}

/// As glibc elf/rtld.c:handle_preload_list splits it.
std::vector<Remedy> propose_preload_entry(const RemedyContext& context) {
  constexpr std::size_t kMaxTrials = 8;
  const auto value = context.map.process->environment.value("LD_PRELOAD");
  if (!value || value->empty()) return {};
  std::vector<std::string_view> entries;
  for (std::string_view rest = *value; !rest.empty();) {
    const std::size_t end = rest.find_first_of(" :");
    if (end != 0) entries.push_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  for (std::size_t i = 0; i < std::min(entries.size(), kMaxTrials); ++i) {
    const std::string_view entry = entries[i];
    // One that is passed over changes nothing.
    const bool is_loaded =
        std::any_of(context.map.objects.begin(), context.map.objects.end(), [&](const LoadedObject& object) {
          return object.role == ObjectRole::Library && (object.requested_name == entry || object.path == entry);
        });
    if (!is_loaded) continue;
    std::string left;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      if (k != i) left.append(left.empty() ? "" : ":").append(entries[k]);
    }
    Remedy remedy;
    remedy.kind = RemedyKind::PreloadEntry;
    remedy.text = say("fix-preload-entry", {{"entry", entry}});
    remedy.commands = {left.empty() ? CommandText("unset LD_PRELOAD") : "export LD_PRELOAD=" + shell_word(left)};
    WorldChange world_change;
    world_change.environment = {"LD_PRELOAD=" + left};
    remedy = context.trials.tried(std::move(remedy), world_change);
    if (remedy.verdict == RemedyVerdict::Works) return {std::move(remedy)};
  }
  return {};
}

/// glibc elf/dl-tls.c: the tunable since 2.32. A library that is there from the start has room of its own.
std::vector<Remedy> propose_static_tls(const RemedyContext& context) {
  const auto full = std::find_if(context.problems.begin(), context.problems.end(),
                                 [](const Problem& problem) { return problem.code == ProblemCode::StaticTlsFull; });
  if (full == context.problems.end()) return {};
  std::vector<Remedy> remedies;
  const std::string old(context.map.process->environment.value("GLIBC_TUNABLES").value_or(""));
  std::uint64_t wanted = 0;
  for (const LoadedObject& object : context.map.objects) {
    if (object.role == ObjectRole::Library) wanted += std::min(static_tls_bytes(object.elf), std::uint64_t{1} << 32);
  }
  constexpr std::uint64_t kStep = 4096;
  const std::string tunable = "glibc.rtld.optional_static_tls=" + std::to_string((wanted / kStep + 1) * kStep);
  Remedy remedy;
  remedy.kind = RemedyKind::Tunable;
  remedy.text = say("fix-static-tls");
  const std::string value = old.empty() ? tunable : old + ":" + tunable;
  remedy.commands = {"export GLIBC_TUNABLES=" + shell_word(value)};
  WorldChange world_change;
  world_change.environment = {"GLIBC_TUNABLES=" + value};
  remedies.push_back(context.trials.tried(remedy, world_change));
  if (!full->name.starts_with('/') || full->name.find_first_of(" \t:") != std::string::npos) return remedies;
  remedy.kind = RemedyKind::Preload;
  remedy.text = say("fix-preload");
  remedy.commands = {"export LD_PRELOAD=" + shell_word(full->name) + "${LD_PRELOAD:+:$LD_PRELOAD}"};
  const auto preload = context.map.process->environment.value("LD_PRELOAD");
  world_change.environment = {"LD_PRELOAD=" + full->name + (preload ? ":" + std::string(*preload) : "")};
  remedies.push_back(context.trials.tried(std::move(remedy), world_change));
  return remedies;
}

namespace {

const Problem* find_exec_stack(const std::vector<Problem>& problems) {
  const auto found = std::find_if(problems.begin(), problems.end(), is_refused_for_stack);
  return found == problems.end() ? nullptr : &*found;
}

}  // namespace

/// glibc elf/dl-execstack-tunable.c: 2 gives every process such a stack at its start (2.42, and the branch of 2.41, as
/// Debian's 2.41-12 has it); where 0 forbids it, it is enough to say nothing.
std::vector<Remedy> propose_exec_stack(const RemedyContext& context) {
  if (find_exec_stack(context.problems) == nullptr) return {};
  constexpr std::string_view kTunable = "glibc.rtld.execstack=";
  std::string others;
  bool is_set = false;
  for_each_tunable(context.map.process->environment.value("GLIBC_TUNABLES").value_or(""), [&](std::string_view entry) {
    is_set = is_set || entry.starts_with(kTunable);
    if (!entry.starts_with(kTunable)) others.append(others.empty() ? "" : ":").append(entry);
  });
  Remedy remedy;
  remedy.kind = RemedyKind::Tunable;
  remedy.text = say("fix-exec-stack");
  const auto tried = [&](const std::string& value) {
    remedy.commands = {value.empty() ? CommandText("unset GLIBC_TUNABLES")
                                     : "export GLIBC_TUNABLES=" + shell_word(value)};
    WorldChange world_change;
    world_change.environment = {"GLIBC_TUNABLES=" + value};
    return context.trials.tried(remedy, world_change);
  };
  const std::string two = others + (others.empty() ? "" : ":") + std::string(kTunable) + "2";
  if (has_unknown_process(context.map)) {
    // A trial would run it by ld.so, which maps its argument before it looks at the tunable; a program is meant.
    remedy.commands = {"export GLIBC_TUNABLES=" + shell_word(two)};
    remedy.verdict = context.map.process->secure ? RemedyVerdict::Fails : RemedyVerdict::Works;
    return {std::move(remedy)};
  }
  if (is_set) {
    if (Remedy without = tried(others); without.verdict == RemedyVerdict::Works) return {std::move(without)};
  }
  return {tried(two)};
}

/// The runtime of AddressSanitizer before all others.
std::vector<Remedy> propose_sanitizer(const RemedyContext& context) {
  const auto late = std::find_if(context.problems.begin(), context.problems.end(),
                                 [](const Problem& problem) { return problem.what.sentence == "sanitizer-not-first"; });
  if (late == context.problems.end() || late->name.find_first_of(" \t:") != std::string::npos) return {};
  Remedy remedy;
  remedy.kind = RemedyKind::Preload;
  remedy.text = say("fix-preload");
  remedy.commands = {"export LD_PRELOAD=" + shell_word(late->name) + "${LD_PRELOAD:+:$LD_PRELOAD}"};
  WorldChange world_change;
  const auto old = context.map.process->environment.value("LD_PRELOAD");
  world_change.environment = {"LD_PRELOAD=" + late->name + (old && !old->empty() ? ":" + std::string(*old) : "")};
  return {context.trials.tried(std::move(remedy), world_change)};
}

void propose_newer_wheel(const LinkMap& map, Diagnosis& diagnosis, const PackageOwners& owners) {
  const Problem* const problem = find_exec_stack(diagnosis.problems);
  if (problem == nullptr) return;
  const std::string file = absolute_path(problem->name, map.process->cwd);
  const std::optional<PackageOwner> owner = owners.owner_of(file);
  if (!owner || owner->by != PackageRecord::Wheel || !is_wheel_name(owner->name)) return;
  Remedy remedy;
  remedy.kind = RemedyKind::Install;
  remedy.text = say("fix-newer-wheel", {{"package", owner->name}});
  remedy.fixes = {problem->name};
  remedy.leads_to = {std::string(directory_of(file))};
  remedy.commands = {pip_place(map, file, {}).command + "--upgrade " + shell_word(owner->name)};
  diagnosis.remedies.push_back(untried(std::move(remedy), say("newer-may-need-none")));
}

}  // namespace soresolve
