// soresolve symvers: which versions a library defines, whether they serve, and whether another
// library can take its place.
#include <CLI/CLI.hpp>

#include <algorithm>

#include "command.h"
#include "soresolve/library_diff.h"
#include "soresolve/report.h"
#include "witness/differences.h"
#include "witness_run.h"

namespace soresolve::tool {
namespace {

/// A library, and what the witness says of the same bytes.
struct ReadTwice {
  VersionedLibrary library;
  std::optional<SecondReading> witness;
  Exit exit = Exit::Good;  ///< without a reading that was asked for: what the command ends with
};

/// With limits the witness is asked as well. Its own failure is told on standard error and leaves no reading.
Result<ReadTwice> read_twice(WorldHere& opener, const std::string& name, const std::optional<WitnessLimits>& limits) {
  Result<OpenedLibrary> opened = opener.open_library(name);
  if (!opened) return Unexpected{std::move(opened).error()};
  Result<VersionedLibrary> library = read_versioned_library(*opened->object.file, opened->object.elf, opened->path);
  if (!library) return Unexpected{std::move(library).error()};
  ReadTwice read{std::move(library).value(), std::nullopt, Exit::Good};
  if (!limits) return read;
  const Result<witness::Testimony> testimony = ask_witness(*opened->object.file, opened->path, *limits);
  if (testimony) {
    read.witness = witness::compare_readings(opened->object.elf, read.library, *testimony);
  } else {
    report_error(testimony.error());
    read.exit = exit_without_testimony(testimony.error());
  }
  return read;
}

Result<VersionedLibrary> read_library(WorldHere& opener, const std::string& name) {
  Result<ReadTwice> read = read_twice(opener, name, std::nullopt);
  if (!read) return Unexpected{std::move(read).error()};
  return std::move(read->library);
}

/// symvers OLD NEW
Exit compare(WorldHere& opener, const VersionedLibrary& old, const std::string& name, const WorldOptions& options) {
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

Result<Told> tell_symvers(WorldHere& opener, const WorldOptions& options, const std::string& name,
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
  bool wants_witness = false;
  WitnessLimits limits;
  CLI::App app(
      "Which symbol versions a library defines and requires; with --need and --for, whether "
      "it serves, with the proof; with a second library, what consumers of the first lose "
      "with it.",
      "symvers");
  app.add_option("LIB", name, "a library file, or a library name to resolve as dlopen would")->required();
  CLI::Option* const other = app.add_option("NEW", new_name, "another library, to take its place");
  app.add_option("--need", needs,
                 "a version node (GLIBC_2.34), a bare version that a node ends in (11.0), or a "
                 "symbol with its node (cudaMalloc@libcudart.so.11.0); repeatable")
      ->type_name("V")
      ->allow_extra_args(false)
      ->excludes(other);
  app.add_option("--for", consumers,
                 "all that this file needs of LIB, version by version and symbol by symbol; "
                 "repeatable")
      ->type_name("CONSUMER")
      ->allow_extra_args(false)
      ->excludes(other);
  app.add_flag("--witness", wants_witness,
               "ask a second reader (LIEF), too: does it find the same definitions, requirements and symbols? "
               "Exit status 1 if not")
      ->excludes(other);
  add_witness_options(app, limits);
  add_world_options(app, options);
  add_examples(
      app,
      {
          {"soresolve symvers libcudart.so.11.2 --need 11.0", "Does it serve who was linked against 11.0?"},
          {"soresolve symvers libcudart.so.12 --for _C.so",
           "Does it have every version and symbol that _C.so needs of it?"},
          {"soresolve symvers old/libfoo.so.1 new/libfoo.so.1", "What do users of the old one lose with the new one?"},
      });
  if (const auto exit = parse_arguments(app, argc, argv)) return *exit;

  WorldHere opener(options);
  const std::optional<WitnessLimits> asked = wants_witness ? std::optional(limits) : std::nullopt;
  Result<ReadTwice> read = read_twice(opener, name, asked);
  if (!read) return report_error(read.error());
  if (!new_name.empty()) return compare(opener, read->library, new_name, options);
  std::vector<NeedAnswer> need_answers;
  for (const std::string& need : needs) need_answers.push_back(answer_need(read->library, need));
  std::vector<ReadTwice> others;
  others.reserve(consumers.size());
  std::vector<ForAnswer> for_answers;
  for (const std::string& consumer : consumers) {
    Result<ReadTwice> file = read_twice(opener, consumer, asked);
    if (!file) return report_error(file.error());
    others.push_back(std::move(file).value());
    for_answers.push_back(answer_for(read->library, others.back().library));
  }
  SymversReport report{read->library, need_answers, for_answers};
  if (read->witness) report.witness.push_back(*read->witness);
  for (const ReadTwice& other : others) {
    if (other.witness) report.witness.push_back(*other.witness);
  }
  const Colour colour = wants_colour(options) ? Colour::Always : Colour::Never;
  write_out(options.json ? symvers_json(report)
                         : symvers_text(report, colour, options.verbose ? Detail::Full : Detail::Folded));
  Exit unread = read->exit;
  for (const ReadTwice& other : others) unread = worse(unread, other.exit);
  if (unread != Exit::Good) return unread;
  const bool is_good =
      std::all_of(need_answers.begin(), need_answers.end(),
                  [](const NeedAnswer& answer) { return answer.is_served; }) &&
      std::all_of(for_answers.begin(), for_answers.end(), [](const ForAnswer& answer) { return answer.is_served(); }) &&
      std::all_of(report.witness.begin(), report.witness.end(),
                  [](const SecondReading& reading) { return reading.difference_count == 0; });
  return is_good ? Exit::Good : Exit::Problem;
}

}  // namespace soresolve::tool
