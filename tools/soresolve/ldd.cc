// soresolve ldd: the loader's own list.
#include <CLI/CLI.hpp>

#include "command.h"
#include "soresolve/report.h"

namespace soresolve::tool {
namespace {

template <class Done>
Exit answer(WorldHere& world, const WorldOptions& options, const std::string& file, Done done) {
  const Result<Resolution> run =
      world.resolve(file, {.attempts = options.json ? Attempts::Record : Attempts::Forget, .on_fatal = OnFatal::Stop});
  if (!run && run.error().code == ErrorCode::NotDynamic) {
    write_error("\tnot a dynamic executable\n");
    return Exit::Problem;
  }
  if (!run) return report_error(run.error());
  const LinkMap& map = run->map();
  if (options.json) write_out(ldd_json(map, run->file()));
  const Result<TraceAnswer> traced = trace(map);
  if (!traced) return report_error(traced.error());
  for (const std::string& message : traced->messages) write_error_as_loader(message + "\n");
  switch (traced->end) {
    case TraceAnswer::End::Good: break;
    case TraceAnswer::End::Fails: return Exit::Problem;
    case TraceAnswer::End::Crashes:
      write_error_as_loader("soresolve: the loader would crash on " + traced->reason + "\n");
      return Exit::Problem;
    case TraceAnswer::End::Blocks:
      write_error_as_loader("soresolve: the loader would wait forever on " + traced->reason + "\n");
      return Exit::Problem;
  }
  if (!options.json) write_as_loader(traced->list);
  return done(map.first_fatal() != nullptr || traced->lacks_version ? Exit::Problem : Exit::Good);
}

}  // namespace

Exit run_ldd(int argc, char** argv) {
  WorldOptions options;
  std::vector<std::string> files;
  if (are_plain_files(argc, argv)) {
    files.assign(argv + 1, argv + argc);
  } else {
    CLI::App app(
        "The list that the loader itself would print, without addresses and without running "
        "anything.",
        "ldd");
    add_files(app, files, "programs, libraries, or library names to dlopen");
    add_world_options(app, options);
    add_examples(app, {
                          {"soresolve ldd /usr/bin/python3", "What ldd would print, without running the loader."},
                          {"soresolve ldd --root /srv/image /usr/bin/python3", "The same in an unpacked image."},
                      });
    if (const auto exit = parse_arguments(app, argc, argv)) return *exit;
    if (const auto exit = complete_files(app, options, files)) return *exit;
  }

  // The loader's own list of a file needs nobody who opens it.
  if (options.pid == 0) options.process.opened_by = OpenedBy::Nobody;
  WorldHere world(options);
  for_each_file(files, !options.json,
                [&](const std::string& file, auto done) { return answer(world, options, file, done); });
}

}  // namespace soresolve::tool
