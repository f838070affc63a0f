// What tracing prints (glibc elf/rtld.c:dl_main, rtld_mode_trace): messages, then the list, then with LD_VERBOSE the
// versions that each object needs.
//
// A trace goes on where a start ends: a library that is missing, a version that is not defined. It
// ends without a list where the walk or the check of versions cannot go on: a damaged file, an
// assertion, DT_RELR without its mark.
#include <algorithm>
#include <array>
#include <utility>

#include "loader/musl_walk.h"
#include "loader/process.h"
#include "loader/system.h"
#include "loader/tunables.h"
#include "soresolve/report.h"
#include "soresolve/symbols.h"
#include "symbols/audit_modules.h"
#include "symbols/map_versions.h"
#include "symbols/musl.h"
#include "symbols/startup.h"

namespace soresolve {
namespace {

using End = TraceAnswer::End;

bool is_version_failure(const LoadFailure& failure) {
  return failure.kind == LoadFailure::Kind::VersionFile || failure.kind == LoadFailure::Kind::VersionRecord;
}

/// Warnings about preloads, up to the failure that is the end.
void add_walk_messages(TraceAnswer& answer, const LinkMap& map, const LoadFailure* death, std::string_view argv0) {
  for (const LoadFailure& failure : map.failures) {
    if (&failure == death) return;
    if (failure.kind == LoadFailure::Kind::PreloadIgnored) answer.messages.push_back(failure.start_message(argv0));
  }
}

/// What of LD_VERBOSE is printed after the list: each version that is needed, and the path of the object that defines a
/// node of this name. Names alone are compared, in the global scope, from its end (elf/rtld.c:find_needed,
/// match_version).
std::string versions_text(const LinkMap& map) {
  const auto verbose = map.process->environment.value("LD_VERBOSE");
  if (!verbose || verbose->empty()) return {};
  MapVersions versions(map);
  const auto shown = [&](ObjectIndex index) {
    return index == 0 ? map.process->argv0 : std::string(map.objects[index].path);
  };
  const auto provider_of = [&](const VersionNeed& need) -> std::string {
    const auto at = std::find_if(map.search_list.rbegin(), map.search_list.rend(),
                                 [&](ObjectIndex index) { return map.objects[index].matches_name(need.file); });
    if (at == map.search_list.rend()) return "not found";
    const Result<VersionTables>& tables = versions.of(*at);
    const bool is_defined = tables && std::any_of(tables->defs.begin(), tables->defs.end(),
                                                  [&](const VersionDef& def) { return def.name == need.name; });
    return is_defined ? shown(*at) : "not found";
  };
  std::string text;
  for (const ObjectIndex index : map.list_order) {
    if (map.objects[index].role == ObjectRole::Placeholder) continue;
    const Result<VersionTables>& tables = versions.of(index);
    if (!tables || !tables->has_needs) continue;
    if (text.empty()) text = "\n\tVersion information:\n";
    text += "\t" + shown(index) + ":\n";
    for (const VersionNeed& need : tables->needs) {
      text.append("\t\t").append(need.file).append(" (").append(need.name).append(need.weak ? ") [WEAK] => " : ") => ");
      text += provider_of(need) + "\n";
    }
  }
  return text;
}

TraceAnswer finish(TraceAnswer answer, const LinkMap& map, std::string_view argv0, const LoadFailure* death) {
  if (death == nullptr) {
    answer.list = ldd_text(map) + versions_text(map);
    return answer;
  }
  switch (death->kind) {
    case LoadFailure::Kind::Crash: answer.end = End::Crashes; break;
    case LoadFailure::Kind::Block: answer.end = End::Blocks; break;
    default:
      answer.end = End::Fails;
      answer.messages.push_back(death->start_message(argv0));
      return answer;
  }
  answer.reason = death->object + ": " + death->text;
  return answer;
}

TraceAnswer end_with(TraceAnswer answer, End end, std::string reason = {}) {
  answer.end = end;
  answer.reason = std::move(reason);
  return answer;
}

/// musl's list: each file when it is mapped, and libc under the first of each of its names.
std::string musl_ldd_text(const LinkMap& map) {
  std::string text = "\t" + map.system->loader_path + "\n";
  std::array<bool, 16> is_reported{};
  const auto tell = [&](const Need& need) {
    if (need.target == kNoObject) return;
    const LoadedObject& target = map.objects[need.target];
    std::string name(need.name);
    if (target.role == ObjectRole::Loader) {
      // A file that turned out to be a libc.
      if (need.resolution == HowFound::ByFile) name = "libc.so";
      const auto number = reserved_musl_name(name);
      if (!number || std::exchange(is_reported[*number], true)) return;
    } else if (need.resolution != HowFound::Mapped) {
      return;
    }
    text += "\t" + name + " => " + std::string(target.path) + "\n";
  };
  for (const Need& need : map.main().needs) {
    if (need.kind == NeedKind::Preload) tell(need);
  }
  for (const ObjectIndex index : map.list_order) {
    for (const Need& need : map.objects[index].needs) {
      if (need.kind == NeedKind::Needed) tell(need);
    }
  }
  return text;
}

/// Listing relocates, too; only then does it end.
Result<TraceAnswer> musl_trace(const LinkMap& map) {
  const Result<StartFacts> facts = read_start_facts(map, {.own = OwnReferences::Counted});
  if (!facts) return Unexpected{facts.error()};
  Startup startup = start_up(map, *facts, BindTime::Now);
  TraceAnswer answer;
  answer.messages = std::move(startup.lines);
  answer.list = ldd_text(map);
  if (startup.death == kDiesOfMalloc) return answer;
  if (startup.end == StartEnd::Crashes) return end_with(std::move(answer), End::Crashes, startup.death);
  if (startup.end == StartEnd::Blocks) return end_with(std::move(answer), End::Blocks, startup.death);
  answer.lacks_version = startup.end != StartEnd::Runs;
  return answer;
}

}  // namespace

Result<TraceAnswer> trace(const LinkMap& map) {
  if (map.system->rules.libc == Libc::Musl) return musl_trace(map);
  const LoadFailure* const death = map.first_fatal_in_trace();
  TraceAnswer answer;
  if (map.process->start != Start::Dlopen) {
    answer.messages = Tunables(map.system->rules, *map.process).warnings();
    for (std::string& warning : audit_warnings(map)) answer.messages.push_back(std::move(warning));
  }
  add_walk_messages(answer, map, death, map.process->argv0);
  const bool is_start = map.process->start != Start::Dlopen && map.dlopen_calls.empty();
  if (!is_start || (death != nullptr && !is_version_failure(*death))) {
    return finish(std::move(answer), map, map.process->argv0, death);
  }
  MapVersions tables(map);
  const Result<VersionCheck> versions = check_versions(map, tables, VersionsFor::Trace);
  if (!versions) return Unexpected{versions.error()};
  answer.lacks_version = versions->has_error();
  for (const VersionMessage& message : versions->messages) {
    // The check of a normal start ends here; tracing goes on to what the walk knows.
    if (message.is_start_only) return finish(std::move(answer), map, map.process->argv0, death);
    if (message.is_crash) {
      const std::string object(map.objects[message.requirer].name());
      return end_with(std::move(answer), End::Crashes, object + ": " + message.text);
    }
    answer.messages.push_back(message.line(map, map.process->argv0));
    if (message.is_fatal_at_once) return end_with(std::move(answer), End::Fails);
  }
  if (!versions->tls_assertion.empty()) {
    answer.messages.push_back(versions->tls_assertion);
    return end_with(std::move(answer), End::Fails);
  }
  if (!versions->unreadable.empty()) {
    return end_with(std::move(answer), End::Crashes, versions->unreadable.front().to_string());
  }
  return finish(std::move(answer), map, map.process->argv0, death);
}

std::string ldd_text(const LinkMap& map) {
  if (map.system->rules.libc == Libc::Musl) return musl_ldd_text(map);
  std::string text;
  const bool is_dlopen = !map.main().elf.has_dynamic || !map.dlopen_calls.empty();
  const std::vector<bool> belongs = map.target_closure();
  if (!is_dlopen && !map.main().elf.has_needed()) return "\tstatically linked\n";
  for (const ObjectIndex index : map.list_order) {
    const LoadedObject& object = map.objects[index];
    if (index == 0 || object.role == ObjectRole::Vdso || !belongs[index]) continue;
    if (!map.dlopen_calls.empty() && index == map.subject_root()) continue;
    text += '\t';
    text += object.requested_name;
    if (object.role == ObjectRole::Placeholder) {
      text += " => not found";
    } else if (object.requested_name != object.path) {
      text += " => ";
      text += object.path;
    }
    text += '\n';
  }
  return text;
}

}  // namespace soresolve
