// What the library predicts of a sequence of dlopen calls, in the terms of opener.cc.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "differential/open_case.h"
#include "soresolve/startup.h"
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
  Result<std::unique_ptr<FileSystem>> files = rooted_file_system(box.root());
  if (!files) return failed(files.error());
  Result<System> system = read_system(std::move(*files), "/lib64/ld-linux-x86-64.so.2");
  if (!system) return failed(system.error());
  Process process;
  process.argv0 = std::string(kOpener);
  if (asked.has_library_path) process.environment.add("LD_LIBRARY_PATH=/d");
  process.cpu = detect_host_cpu(system->rules.target, "x86_64");
  LoadOptions options;
  options.openings = asked.openings;
  const Result<LinkMap> map = load(*system, process, kOpener, options);
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
    const BindTime bind_time = asked.is_lazy[i - 1] ? BindTime::AsAsked : BindTime::Now;
    const Startup opened = open_up(*system, process, *map, *facts, i, bind_time);
    last = i;
    if (opened.end == StartEnd::Crashes) answer.start_end = "signal";
    if (opened.end == StartEnd::Runs) {
      answer.start_messages.push_back("ok");
    } else {
      if (opened.fatal_line) answer.start_messages.push_back(opened.lines[*opened.fatal_line]);
      // Nothing is bound before all files and versions are found.
      const bool is_bound = opened.fatal_line && opened.lines[*opened.fatal_line].find(
                                                     ": undefined symbol: ") != std::string::npos;
      if (!is_bound) last = i - 1;
      break;
    }
  }
  // What fails is taken back.
  const std::size_t opened = static_cast<std::size_t>(
      std::count(answer.start_messages.begin(), answer.start_messages.end(), "ok"));
  for (const ObjectIndex index : map->list_order) {
    const LoadedObject& object = map->objects[index];
    const bool is_there = object.role == ObjectRole::Library && map->opening_of(index) <= opened;
    if (is_there && is_ours(object.path) && answer.start_end == "exit 0") {
      answer.trace.emplace_back(object.path);
    }
  }
  // What the failed opening bound before its error.
  bool is_over = false;
  all->for_each([&](const Bindings::Event& event) {
    if (event.binding == nullptr || is_over) return;
    const SymbolBinding& binding = *event.binding;
    std::size_t opening = map->openings.size();
    while (opening > 0 && binding.referrer < map->openings[opening - 1].first_new) --opening;
    if (opening == 0 || opening > last) return;
    if (binding.is_lazy && asked.is_lazy[opening - 1]) return;
    is_over = binding.is_undefined();
    if (!binding.is_bound()) return;
    add_once(answer.bindings, std::string(map->objects[binding.referrer].path) + "\t" +
                                  std::string(binding.symbol) + "\t" +
                                  std::string(map->objects[binding.provider].path));
  });
  return answer;
}

}  // namespace soresolve::test
