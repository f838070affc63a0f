// soresolve tree: the dependency tree.
#include <CLI/CLI.hpp>

#include "command.h"
#include "soresolve/report.h"

namespace soresolve::tool {
namespace {

template <class Done>
Exit answer(WorldHere& world, const WorldOptions& options, const TreeOptions& tree_options, DlopenLevel level,
            const std::string& file, Done done) {
  const Result<Resolution> run = world.resolve(file, {.attempts = options.json ? Attempts::Record : Attempts::Forget});
  if (!run) return report_error(run.error());
  const LinkMap& map = run->map();
  const Dlopens& dlopens = run->dlopens(level);
  if (options.json) {
    write_tree_json(map, run->file(), dlopens, write_out);
  } else {
    write_out(tree_text(map, tree_options, dlopens));
  }
  return done(map.first_fatal() != nullptr ? Exit::Problem : Exit::Good);
}

}  // namespace

Exit run_tree(int argc, char** argv) {
  WorldOptions options;
  TreeOptions tree_options;
  std::vector<std::string> files;
  bool all = false;
  bool paths = false;
  DlopenLevel dlopen = DlopenLevel::Known;
  if (are_plain_files(argc, argv)) {
    files.assign(argv + 1, argv + argc);
  } else {
    CLI::App app(
        "The dependency tree. Each edge says how the library was found; 'fragile' marks one "
        "that works only because another object brought the library in before.",
        "tree");
    add_files(app, files, "programs, libraries, or library names to dlopen");
    app.add_option("-d,--depth", tree_options.max_depth, "show at most N levels")->type_name("N");
    app.add_flag("-p,--path", paths, "show paths instead of names");
    app.add_flag("-a,--all", all, "repeat the subtree of a library that was shown before");
    add_dlopen_option(app, dlopen);
    add_world_options(app, options);
    add_examples(app,
                 {
                     {"soresolve tree /usr/bin/python3", "What is loaded, and by which rule each library is found."},
                     {"soresolve tree --depth 1 --path _C.so", "Only what the file itself needs, with paths."},
                 });
    if (const auto exit = parse_arguments(app, argc, argv)) return *exit;
    if (const auto exit = complete_files(app, options, files)) return *exit;
  }

  tree_options.colour = wants_colour(options) ? Colour::Always : Colour::Never;
  if (all) tree_options.seen = TreeOptions::Seen::Again;
  if (paths) tree_options.show = TreeOptions::Show::Paths;
  WorldHere world(options);
  for_each_file(files, false, [&](const std::string& file, auto done) {
    return answer(world, options, tree_options, dlopen, file, done);
  });
}

}  // namespace soresolve::tool
