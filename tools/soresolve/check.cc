// soresolve check: will it start?
#include <CLI/CLI.hpp>

#include "command.h"
#include "soresolve/startup.h"

namespace soresolve::tool {
namespace {

struct CheckOptions {
  WorldOptions world;
  unsigned jobs = 1;
  bool quiet = false;
};

template <class Done>
Exit answer(WorldOpener& opener, const CheckOptions& options, const std::string& file, Done done) {
  Result<World> world = open_dynamic(opener, file);
  if (!world) return report_error(world.error());
  LoadOptions load_options;
  load_options.log = opener.log();
  load_options.on_fatal = OnFatal::GoOn;
  const Result<LinkMap> map = load_world(*world, load_options);
  if (!map) return report_error(map.error());
  const Result<StartFacts> facts =
      read_start_facts(*world->system, world->process, *map, {.jobs = options.jobs});
  if (!facts) return report_error(facts.error());
  const Startup start = start_up(*world->system, world->process, *map, *facts, BindTime::Now);
  for (const std::string& line : start.lines) write_out(line + "\n");
  if (start.end == StartEnd::Runs) write_out("ok\n");
  if (!start.death.empty()) write_out("death " + start.death + "\n");
  return done(start.end == StartEnd::Runs ? Exit::Good : Exit::Problem);
}

}  // namespace

Exit run_check(int argc, char** argv) {
  CheckOptions options;
  std::vector<std::string> files;
  if (are_plain_files(argc, argv)) {
    files.assign(argv + 1, argv + argc);
  } else {
    CLI::App app("Will it start? What the loader would say with LD_BIND_NOW=1, and why.", "check");
    app.add_option("FILE", files, "programs or libraries")->required();
    app.add_flag("-q,--quiet", options.quiet, "print only the files that fail");
    app.add_option("-j,--jobs", options.jobs, "threads")->check(CLI::Range(1u, 256u));
    add_world_options(app, options.world);
    if (const auto exit = parse_arguments(app, argc, argv)) return *exit;
  }
  WorldOpener opener(options.world);
  for_each_file(files, false, [&](const std::string& file, auto done) {
    return answer(opener, options, file, done);
  });
}

}  // namespace soresolve::tool
