// soresolve symvers: which versions a library defines, whether they serve, and whether another
// library can take its place.
#include <CLI/CLI.hpp>

#include <algorithm>

#include "command.h"
#include "soresolve/library_diff.h"
#include "soresolve/report.h"

namespace soresolve::tool {
namespace {

Result<VersionedLibrary> read_library(WorldOpener& opener, const std::string& name) {
  Result<OpenedLibrary> opened = opener.open_library(name);
  if (!opened) return Unexpected{std::move(opened).error()};
  return read_versioned_library(*opened->object.file, opened->object.elf, opened->path);
}

/// symvers OLD NEW
Exit compare(WorldOpener& opener, const VersionedLibrary& old, const std::string& name,
             const WorldOptions& options) {
  Result<VersionedLibrary> now = read_library(opener, name);
  if (!now) return report_error(now.error());
  const LibraryDiff diff = compare_libraries(old, *now);
  const LibraryDiffReport report{old, *now, diff};
  const Colour colour = wants_colour(options) ? Colour::Always : Colour::Never;
  const Detail detail = options.verbose ? Detail::Full : Detail::Folded;
  write_out(options.json ? library_diff_json(report) : library_diff_text(report, colour, detail));
  return diff.has_loss() ? Exit::Problem : Exit::Good;
}

}  // namespace

Result<Told> tell_symvers(WorldOpener& opener, const WorldOptions& options, const std::string& name,
                          const std::string& need) {
  Result<VersionedLibrary> library = read_library(opener, name);
  if (!library) return Unexpected{std::move(library).error()};
  const std::vector<NeedAnswer> needs = {answer_need(*library, need)};
  const SymversReport report{*library, needs, {}};
  const Colour colour = wants_colour(options) ? Colour::Always : Colour::Never;
  const Detail detail = options.verbose ? Detail::Full : Detail::Folded;
  return Told{options.json ? symvers_json(report) : symvers_text(report, colour, detail),
              needs.front().is_served ? Exit::Good : Exit::Problem};
}

Exit run_symvers(int argc, char** argv) {
  WorldOptions options;
  std::string name;
  std::string new_name;
  std::vector<std::string> needs;
  std::vector<std::string> consumers;
  CLI::App app("Which symbol versions a library defines and requires; with --need and --for, whether "
               "it serves, with the proof; with a second library, what consumers of the first lose "
               "with it.",
               "symvers");
  app.add_option("LIB", name, "a library file, or a library name to resolve as dlopen would")
      ->required();
  CLI::Option* const other = app.add_option("NEW", new_name, "another library, to take its place");
  app.add_option("--need", needs,
                 "a version node (GLIBC_2.34), a bare version that a node ends in (11.0), or a "
                 "symbol with its node (cudaMalloc@libcudart.so.11.0); repeatable")
      ->type_name("V")->allow_extra_args(false)->excludes(other);
  app.add_option("--for", consumers,
                 "all that this file needs of LIB, version by version and symbol by symbol; "
                 "repeatable")
      ->type_name("CONSUMER")->allow_extra_args(false)->excludes(other);
  add_world_options(app, options);
  add_examples(app, {
      {"soresolve symvers libcudart.so.11.2 --need 11.0",
       "Does it serve who was linked against 11.0?"},
      {"soresolve symvers libcudart.so.12 --for _C.so",
       "Does it have every version and symbol that _C.so needs of it?"},
      {"soresolve symvers old/libfoo.so.1 new/libfoo.so.1",
       "What do users of the old one lose with the new one?"},
  });
  if (const auto exit = parse_arguments(app, argc, argv)) return *exit;

  WorldOpener opener(options);
  Result<VersionedLibrary> library = read_library(opener, name);
  if (!library) return report_error(library.error());
  if (!new_name.empty()) return compare(opener, *library, new_name, options);
  std::vector<NeedAnswer> need_answers;
  for (const std::string& need : needs) need_answers.push_back(answer_need(*library, need));
  std::vector<VersionedLibrary> read;
  read.reserve(consumers.size());
  std::vector<ForAnswer> for_answers;
  for (const std::string& consumer : consumers) {
    Result<VersionedLibrary> file = read_library(opener, consumer);
    if (!file) return report_error(file.error());
    read.push_back(std::move(file).value());
    for_answers.push_back(answer_for(*library, read.back()));
  }
  const SymversReport report{*library, need_answers, for_answers};
  const Colour colour = wants_colour(options) ? Colour::Always : Colour::Never;
  write_out(options.json
                ? symvers_json(report)
                : symvers_text(report, colour, options.verbose ? Detail::Full : Detail::Folded));
  const bool is_good =
      std::all_of(need_answers.begin(), need_answers.end(),
                  [](const NeedAnswer& answer) { return answer.is_served; }) &&
      std::all_of(for_answers.begin(), for_answers.end(),
                  [](const ForAnswer& answer) { return answer.is_served(); });
  return is_good ? Exit::Good : Exit::Problem;
}

}  // namespace soresolve::tool
