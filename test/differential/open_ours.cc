// What the library predicts of a sequence of dlopen calls, in the terms of opener.cc.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "differential/open_case.h"
#include "soresolve/startup.h"
#include "soresolve/world.h"
#include "support/same_bindings.h"

namespace soresolve::test {
namespace {

void add_once(std::vector<std::string>& lines, std::string line) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
}

}  // namespace

Answer ask_ours(const Sandbox& box, const OpenCase& asked) {
  Answer answer;
  answer.start_end = "exit 0";
  const auto failed = [&](const Error& error) {
    answer.start_messages = {"error: " + error.to_string()};
    return answer;
  };
  WorldSettings settings;
  settings.root = box.root();
  settings.host = read_host_facts();
  settings.clean_env = true;
  if (asked.has_library_path) settings.env = {"LD_LIBRARY_PATH=/d"};
  settings.exe = std::string(kOpener);
  if (asked.user != 0) settings.user = std::to_string(asked.user);
  for (const OpenUser& user : open_users()) {
    if (user.uid == asked.user && asked.is_user_named) settings.user = user.name;
  }
  settings.loaded.assign(asked.openings.begin(), asked.openings.end() - 1);
  settings.mode = asked.openings.back().mode;
  settings.caller = asked.openings.back().caller;
  WorldSource source(settings);
  Result<World> world = source.open(asked.openings.back().file);
  if (!world && world.error().code == ErrorCode::Unreadable) {
    answer.start_end = "not executed";
    return answer;
  }
  if (!world) return failed(world.error());
  const std::shared_ptr<const System> system = world->system;
  const Process& process = world->process;
  const Result<LinkMap> map = load_world(*world, {});
  if (!map) return failed(map.error());
  const Result<StartFacts> facts =
      read_start_facts(*system, process, *map, {.own = OwnReferences::Counted});
  if (!facts) return failed(facts.error());
  const Result<Bindings> all = bind_symbols(*system, process, *map);
  if (!all) return failed(all.error());
  if (const auto differs = difference(*all, facts->bindings, map->openings.size())) {
    return failed({ErrorCode::Malformed, std::string(kOpener), {}, "all references, or without own: " + *differs});
  }
  std::size_t last = 0;
  for (std::size_t i = 1; i <= map->openings.size(); ++i) {
    const Opening& opening = map->openings[i - 1];
    const Startup opened = open_up(*system, process, *map, *facts, i, opening.mode.bind_time);
    last = i;
    if (opened.end == StartEnd::Crashes) answer.start_end = "signal";
    if (opened.ends_process) answer.start_end = "exit 127";
    if (opened.end == StartEnd::Runs) {
      answer.start_messages.push_back("ok");
    } else if (opening.is_absent) {
      answer.start_messages.push_back("null");
    } else {
      if (opened.fatal_line) answer.start_messages.push_back(opened.lines[*opened.fatal_line]);
      // Nothing is bound before all files and versions are found.
      const bool is_bound = opened.fatal_line && opened.lines[*opened.fatal_line].find(
                                                     ": undefined symbol: ") != std::string::npos;
      // RTLD_GLOBAL ends it after all else where there is no global scope.
      const bool is_last_step = opened.end == StartEnd::Crashes && opening.space != 0 && is_global(opening.mode.scope);
      if (!is_bound && !is_last_step) last = i - 1;
      break;
    }
  }
  // What fails is taken back.
  const std::size_t opened = static_cast<std::size_t>(
      std::count_if(answer.start_messages.begin(), answer.start_messages.end(),
                    [](const std::string& line) { return line == "ok" || line == "null"; }));
  for (const ObjectIndex index : map->list_order) {
    const LoadedObject& object = map->objects[index];
    const bool is_there = object.role == ObjectRole::Library && object.space == 0 && map->opening_of(index) <= opened;
    if (is_there && is_ours(object.path) && answer.start_end == "exit 0") {
      answer.trace.emplace_back(object.path);
    }
  }
  // LD_DEBUG is not heard then.
  if (process.secure) return answer;
  // What the failed opening bound before its error.
  bool is_over = false;
  all->for_each([&](const Bindings::Event& event) {
    if (event.binding == nullptr || is_over) return;
    const SymbolBinding& binding = *event.binding;
    std::size_t opening = map->openings.size();
    while (opening > 0 && binding.referrer < map->openings[opening - 1].first_new) --opening;
    if (opening == 0 || opening > last) return;
    if (binding.is_lazy && map->openings[opening - 1].mode.bind_time == BindTime::AsAsked) return;
    is_over = binding.is_undefined();
    if (!binding.is_bound() || !is_ours(map->objects[binding.referrer].path)) return;
    const auto shown = [&](ObjectIndex index) {
      const LoadedObject& object = map->objects[index];
      return std::string(object.path) + (object.space == 0 ? "" : "[" + std::to_string(object.space) + "]");
    };
    add_once(answer.bindings,
             shown(binding.referrer) + "\t" + std::string(binding.symbol) + "\t" + shown(binding.provider));
  });
  return answer;
}

}  // namespace soresolve::test
