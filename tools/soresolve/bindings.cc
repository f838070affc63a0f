// soresolve bindings: which definition each symbol reference binds to.
#include <CLI/CLI.hpp>

#include "command.h"
#include "soresolve/report_bindings.h"

namespace soresolve::tool {
namespace {

struct BindingsOptions {
  WorldOptions world;
  unsigned jobs = 1;
};

template <class Done>
Exit answer(WorldOpener& opener, const BindingsOptions& options, const std::string& file, Done done) {
  Result<World> world = open_dynamic(opener, file);
  if (!world) return report_error(world.error());
  LoadOptions load_options;
  load_options.log = opener.log();
  load_options.on_fatal = OnFatal::GoOn;
  const Result<LinkMap> map = load_world(*world, load_options);
  if (!map) return report_error(map.error());
  const Result<Bindings> bindings =
      bind_symbols(*world->system, world->process, *map, {.jobs = options.jobs});
  if (!bindings) return report_error(bindings.error());
  write_bindings(world->process, *map, *bindings, {}, write_out);
  return done(map->first_fatal() != nullptr ? Exit::Problem : Exit::Good);
}

}  // namespace

Exit run_bindings(int argc, char** argv) {
  BindingsOptions options;
  std::vector<std::string> files;
  if (are_plain_files(argc, argv)) {
    files.assign(argv + 1, argv + argc);
  } else {
    CLI::App app("Every symbol reference that a start with LD_BIND_NOW=1 resolves, and the definition "
                 "that it binds to.",
                 "bindings");
    app.add_option("FILE", files, "programs or libraries")->required();
    app.add_option("-j,--jobs", options.jobs, "threads")->check(CLI::Range(1u, 256u));
    add_world_options(app, options.world);
    if (const auto exit = parse_arguments(app, argc, argv)) return *exit;
  }
  WorldOpener opener(options.world);
  for_each_file(files, !options.world.json, [&](const std::string& file, auto done) {
    return answer(opener, options, file, done);
  });
}

}  // namespace soresolve::tool
