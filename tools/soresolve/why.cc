// soresolve why: what is missing or surprising, and every attempt that was made.
#include <CLI/CLI.hpp>

#include <map>

#include "command.h"
#include "progress.h"
#include "soresolve/remedy.h"
#include "soresolve/report.h"

namespace soresolve::tool {
namespace {

/// `why FILE SONAME`: of two words the second is a library name if FILE's closure asks for it, or if
/// it is no file; otherwise both are files. Takes it off `files`.
std::string take_asked(WorldOpener& opener, std::vector<std::string>& files) {
  if (files.size() != 2) return {};
  std::string word = files.back();
  bool is_asked = !opener.has_file(word);
  if (!is_asked) {
    if (Result<World> world = open_dynamic(opener, files.front())) {
      LoadOptions load_options;
      load_options.on_fatal = OnFatal::GoOn;
      if (const Result<LinkMap> map = load_world(*world, load_options)) {
        is_asked = !requests_for(*map, word).empty();
      }
    }
  }
  if (!is_asked) return {};
  files.pop_back();
  return word;
}

template <class Write, class Done>
Result<Exit> answer(WorldOpener& opener, const WorldOptions& options, DlopenLevel dlopen, const std::string& file,
                    const std::string& asked, const RemedyOptions& remedies, Write write, Done done) {
  Result<World> world = open_dynamic(opener, file);
  if (!world) return Unexpected{world.error()};
  LoadOptions load_options;
  load_options.log = opener.log();
  load_options.attempts = Attempts::Record;
  load_options.on_fatal = OnFatal::GoOn;
  const Result<LinkMap> map = load_world(*world, load_options);
  if (!map) return Unexpected{map.error()};
  Dlopens dlopens = find_dlopens(*map, dlopen);
  const std::optional<Error> unchecked = check_dlopens(*map, dlopens);
  if (unchecked) dlopens.damaged.push_back(*unchecked);
  Diagnosis diagnosis = diagnose(*map, shown_name(*world, file), asked, std::move(dlopens));
  RemedyOptions limited = remedies;
  Progress progress("looking for libraries");
  limited.goes_on = [&](std::size_t entries) { return progress.step(entries); };
  find_remedies(*map, diagnosis, limited);
  progress.clear();
  if (options.json) {
    write_why_json(*map, diagnosis, shown_name(*world, file), write);
  } else {
    WhyOptions why_options;
    why_options.colour = wants_colour(options) ? Colour::Always : Colour::Never;
    why_options.language = language_of(options.language);
    why_options.detail = options.verbose ? Detail::Full : Detail::Folded;
    write(why_text(*map, diagnosis, why_options));
  }
  const bool is_asked_lost = !asked.empty() && diagnosis.asked_requests.empty() && diagnosis.dlopens.list.empty();
  return done(!diagnosis.has_fatal() && !is_asked_lost ? Exit::Good : Exit::Problem);
}

}  // namespace

Exit run_why(int argc, char** argv) {
  WorldOptions options;
  DlopenLevel dlopen = DlopenLevel::Known;
  RemedyOptions remedies;
  std::vector<std::string> files;
  if (are_plain_files(argc, argv)) {
    files.assign(argv + 1, argv + argc);
  } else {
    CLI::App app(
        "Why a library is not found, or found where it is: who needs it, every attempt in "
        "ld.so's order and what was there, what ld.so will print.",
        "why");
    add_files(app, files,
              "a program, a library, or a library name to dlopen; with a library name behind "
              "it (why FILE SONAME), only that library is explained");
    add_language_option(app, options.language);
    add_dlopen_option(app, dlopen);
    add_world_options(app, options);
    const std::map<std::string, FixFor> kinds = {
        {"all", FixFor::All}, {"env", FixFor::Environment}, {"system", FixFor::System}, {"file", FixFor::File}};
    app.add_option("--fix-for", remedies.fix_for,
                   "which fixes to try: env (the environment of a process), system (ld.so.conf), file "
                   "(search tags, links, files in the way), all")
        ->type_name("KIND")
        ->transform(CLI::CheckedTransformer(kinds, CLI::ignore_case).description("{env,system,file,all}"));
    app.add_option("--search", remedies.search, "look for libraries below DIR, too; repeatable")
        ->type_name("DIR")
        ->allow_extra_args(false);
    add_examples(app, {
                          {"soresolve why _C.so", "Why does this extension module not load?"},
                          {"soresolve why ./prog libcudart.so.12", "Where does this library come from?"},
                          {"soresolve why libcudnn.so.9", "Would dlopen find it?"},
                          {"soresolve why --root /srv/image --fix-for system /usr/bin/python3",
                           "What is wrong in an unpacked image, and which change of its configuration would help?"},
                      });
    if (const auto exit = parse_arguments(app, argc, argv)) return *exit;
    if (const auto exit = complete_files(app, options, files)) return *exit;
  }

  WorldOpener opener(options);
  for (std::string& directory : remedies.search) {
    Result<std::string> path = opener.absolute(directory);
    if (!path) return report_error(path.error());
    directory = std::move(path).value();
  }
  const std::string asked = take_asked(opener, files);
  for_each_file(files, !options.json, [&](const std::string& file, auto done) {
    const Result<Exit> exit = answer(opener, options, dlopen, file, asked, remedies, write_out, done);
    return exit ? *exit : report_error(exit.error());
  });
}

Result<Told> tell_why(WorldOpener& opener, const WorldOptions& options, const std::string& file,
                      const std::string& asked) {
  Told told;
  const Result<Exit> exit = answer(
      opener, options, DlopenLevel::Known, file, asked, {}, [&](std::string_view text) { told.text += text; },
      [](Exit last) { return last; });
  if (!exit) return Unexpected{exit.error()};
  told.exit = *exit;
  return told;
}

}  // namespace soresolve::tool
