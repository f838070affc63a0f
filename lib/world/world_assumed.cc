// A library that lacks something on its own is judged again in the process that it was most likely made for. The rules
// that find one are in whose_process.cc; here each proposal is walked and bound as if the user had named it.
#include <algorithm>
#include <set>
#include <utility>

#include "base/log_line.h"
#include "base/path.h"
#include "diagnose/verdict.h"
#include "symbols/startup.h"
#include "world/whose_process.h"
#include "world/world_state.h"

namespace soresolve {
namespace {

/// What is missing and undefined, of what the map is about.
Lacks lacks_of(const LinkMap& map, const Check& check) {
  Lacks lacks;
  for (const UnresolvedLibrary& library : check.libraries) {
    if (is_left_to_driver(map, library.failure)) continue;
    if (library.failure.kind == LoadFailure::Kind::Missing) {
      lacks.libraries.push_back(library.failure.object);
    } else {
      ++lacks.others;
    }
  }
  for (const VersionGap& gap : check.versions) lacks.others += gap.message.is_error;
  for (const UnresolvedSymbol& symbol : check.symbols) {
    if (symbol.reference.has_version) {
      // ld.so asks for malloc and the like itself, in the name of the program.
      if (!symbol.entry_offset && symbol.from == kNoObject) continue;
      lacks.others += symbol.from == kNoObject || map.objects[symbol.from].role != ObjectRole::Placeholder;
    } else {
      lacks.symbols.push_back(symbol.reference.name);
    }
  }
  if (lacks.count() == 0 && !check.is_ok()) ++lacks.others;
  return lacks;
}

/// Libraries that are missing of what the map is about, as the walk tells.
std::vector<std::string> missing_libraries(const LinkMap& map) {
  std::set<std::string> names;
  for (const LoadFailure& failure : map.failures) {
    const bool is_ours = failure.is_fatal_at_start && failure.dlopen_call == map.subject();
    if (!is_ours || failure.kind != LoadFailure::Kind::Missing || is_left_to_driver(map, failure)) continue;
    names.insert(failure.object);
  }
  return {names.begin(), names.end()};
}

/// Something ends the start before it comes to what the map is about.
bool ends_before(const LinkMap& map) {
  return std::any_of(map.failures.begin(), map.failures.end(), [&](const LoadFailure& failure) {
    return failure.is_fatal_at_start && failure.dlopen_call < map.subject();
  });
}

/// Does it lack anything at all, as far as the walk tells?
bool lacks_libraries(const LinkMap& map) { return map.first_fatal() != nullptr; }

}  // namespace

/// What `file` lacks in that process. Where as many libraries are missing as in `alone`, which makes it no better,
/// these are all that is told: nothing is bound.
Lacks World::State::lacks_in(const AssumedProgram& process, const std::string& file, const Lacks& alone) {
  Lacks nowhere;
  nowhere.is_started = false;
  Result<Target> target = find_target(file);
  if (!target) return nowhere;
  Result<Prepared> prepared = prepare_in_process(std::move(target).value(), process);
  if (!prepared || !prepared->is_dynamic) return nowhere;
  const Result<LinkMap> map = prepared->walk({.on_fatal = OnFatal::Continue});
  if (!map || map->dlopen_calls_left != 0 || map->subject() == 0 || !map->taken_back.empty()) return nowhere;
  // A program that needs it has loaded this very file by then, and not another of its name.
  const ObjectIndex root = map->dlopen_calls.back().asked;
  const bool is_there_before = root != kNoObject && map->dlopen_call_of(root) < map->subject();
  if (process.rule == ProcessRule::Reached && !is_there_before) return nowhere;
  if (ends_before(*map)) return nowhere;
  if (Lacks lacks{missing_libraries(*map)};
      lacks.libraries.size() >= std::max<std::size_t>(1, alone.libraries.size())) {
    return lacks;
  }
  const Result<Check> check = check_what_lacks(*map, {.own = OwnReferences::Settled});
  if (!check) return nowhere;
  Lacks lacks = left_to_driver(*map, *check).empty() ? lacks_of(*map, *check) : Lacks();
  for (std::size_t before = 0; lacks.is_started && before < map->subject(); ++before) {
    const Startup start =
        before == 0 ? start_up(*map, check->facts, BindTime::Now) : open_up(*map, check->facts, before, BindTime::Now);
    lacks.is_started = start.end == StartEnd::Runs;
  }
  return lacks;
}

/// The same question in a process that was found for it; nullopt: it lacks nothing, or none was found.
/// A plain library that an environment's interpreter was taken to open, for its DT_RPATH: where the libraries fit, and
/// all that is left are symbols which the library leaves open by itself as well, another one opens it.
std::optional<Result<Resolution>> World::State::resolve_without_rpath(const Resolution& run, const std::string& file,
                                                                      const ResolveOptions& options) {
  const Result<Check>& check = run.check();
  if (options.look_for != LookFor::Symbols || !check || check->is_ok()) return std::nullopt;
  const Lacks lacks = lacks_of(run.map(), *check);
  if (!lacks.libraries.empty() || lacks.others != 0 || lacks.symbols.empty()) return std::nullopt;
  may_open_by_rpath_ = false;
  Result<Resolution> alone = resolve(file, options);
  may_open_by_rpath_ = true;
  if (!alone || !alone->check()) return std::nullopt;
  const Lacks left = lacks_of(alone->map(), *alone->check());
  const auto is_left = [&](const std::string& symbol) {
    return std::find(left.symbols.begin(), left.symbols.end(), symbol) != left.symbols.end();
  };
  if (!left.libraries.empty() || !std::all_of(lacks.symbols.begin(), lacks.symbols.end(), is_left)) return std::nullopt;
  return alone;
}

std::optional<Result<Resolution>> World::State::resolve_where_it_belongs(const Resolution& alone,
                                                                         const std::string& file,
                                                                         const ResolveOptions& options) {
  if (options.look_for == LookFor::Nothing) return std::nullopt;
  const LinkMap& map = alone.map();
  if (!lacks_libraries(map) && options.look_for == LookFor::Libraries) return std::nullopt;
  const Result<Check>& check = alone.check();
  if (!check || check->is_ok() || !left_to_driver(map, *check).empty()) return std::nullopt;
  const Lacks lacks = lacks_of(map, *check);
  const std::string path = absolute_path(map.file, cwd_);
  const ElfObject& elf = map.main().elf;
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  const LoneFile lone{path, std::string(elf.soname.value_or(name)), elf.target, lacks, python_choice()};
  const JudgeIn judge = [this, &lacks](const AssumedProgram& proposed, const std::string& opened) {
    Lacks there = lacks_in(proposed, opened, lacks);
    log_line(settings_.log.get(), LogLevel::Debug, [&] {
      return "try " + proposed.path + " as the process of " + opened + ": " +
             (there.is_started
                  ? std::to_string(there.count()) + " of " + std::to_string(lacks.count()) + " still missing"
                  : "it does not open the file");
    });
    return there;
  };
  const std::string directory(directory_of(path));
  std::optional<AssumedProgram> process;
  if (!near_) near_ = std::make_unique<Neighbourhood>(*files_);
  if (last_exporter_.directory == directory) {
    process = try_exporter(*near_, environment_, last_exporter_.program, lone, judge);
  }
  if (!process) process = find_process(*near_, environment_, read_surroundings(*near_, path), lone, judge);
  if (process && process->rule == ProcessRule::Exporter && process->loaded.empty()) {
    last_exporter_ = {directory, process->path};
  }
  if (!process) return std::nullopt;
  Result<Target> target = find_target(file);
  if (!target) return std::nullopt;
  Result<Prepared> prepared = prepare_in_process(std::move(target).value(), *process);
  if (!prepared) return std::nullopt;
  return walk(std::move(prepared).value(), file, options);
}

}  // namespace soresolve
