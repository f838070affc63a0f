// soresolve symvers: which versions a library defines, whether they serve, and whether another
// library can take its place.
#include <algorithm>

#include "input.h"
#include "soresolve/report.h"
#include "soresolve/symbols.h"
#include "subcommand.h"
#include "witness/differences.h"
#include "witness/second_reading.h"
#include "witness_run.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

/// A library, and what the witness says of the same bytes.
struct ReadTwice {
  VersionedLibrary library;
  std::optional<SecondReading> witness;
  Exit exit = Exit::Good;  ///< without a reading that was asked for: what the command ends with
};

/// With limits the witness is asked as well. Its own failure is told on standard error and leaves no reading.
Result<ReadTwice> read_twice(WorldHere& opener, const std::string& name, const std::optional<WitnessLimits>& limits,
                             std::optional<BareName> bare_name = std::nullopt) {
  Result<OpenedLibrary> opened = opener.open_library(name, bare_name);
  if (!opened) return Unexpected{std::move(opened).error()};
  Result<VersionedLibrary> library = read_versioned_library(*opened->object.file, opened->object.elf, opened->path);
  if (!library) return Unexpected{std::move(library).error()};
  ReadTwice read{std::move(library).value(), std::nullopt, Exit::Good};
  if (!limits) return read;
  const Result<witness::LiefFacts> lief_facts = ask_witness(*opened->object.file, opened->path, *limits);
  if (lief_facts) {
    read.witness = witness::compare_readings(opened->object.elf, read.library, *lief_facts);
  } else {
    report_error(lief_facts.error());
    read.exit = exit_without_facts(lief_facts.error());
  }
  return read;
}

Result<VersionedLibrary> read_library(WorldHere& opener, const std::string& name,
                                      std::optional<BareName> bare_name = std::nullopt) {
  Result<ReadTwice> read = read_twice(opener, name, std::nullopt, bare_name);
  if (!read) return Unexpected{std::move(read).error()};
  return std::move(read->library);
}

/// symvers OLD NEW
Exit compare(WorldHere& opener, const VersionedLibrary& old, const std::string& name, const WorldOptions& options) {
  Result<VersionedLibrary> now = read_library(opener, name);
  if (!now) return report_error(now.error());
  const LibraryDiff diff = compare_libraries(old, *now);
  const LibraryDiffReport report{old, *now, diff};
  write_document(document_of(report, detail_of(options)), options);
  return diff.has_loss() ? Exit::Problem : Exit::Good;
}

}  // namespace

Result<Told> tell_symvers(WorldHere& opener, const WorldOptions& options, const std::string& name,
                          const std::string& need, BareName bare_name) {
  Result<VersionedLibrary> library = read_library(opener, name, bare_name);
  if (!library) return Unexpected{std::move(library).error()};
  const std::vector<NeedAnswer> needs = {answer_need(*library, need)};
  const SymversReport report{*library, needs, {}};
  Told told;
  told.exit = needs.front().is_served ? Exit::Good : Exit::Problem;
  const Document document = document_of(report, detail_of(options));
  if (options.json)
    told.data = to_json(document);
  else
    told.page = document.page();
  return told;
}

namespace {

class SymversInvocation final : public Invocation {
 public:
  OptionList options() override;
  Exit run() override;

 private:
  /// The library, and everything that is asked about it.
  Exit answer_questions(WorldHere& opener, const ReadTwice& read, const std::optional<WitnessLimits>& asked);

  WorldOptions options_;
  std::string name_;
  std::string new_name_;
  std::vector<std::string> needs_;
  std::vector<std::string> consumers_;
  bool wants_witness_ = false;
  WitnessLimits limits_;
};

OptionList SymversInvocation::options() {
  OptionList list = {
      {.names = {"LIB"}, .into = &name_, .presence = Presence::Required},
      {.names = {"NEW"}, .into = &new_name_},
      {.names = {"--need"}, .value = "V", .into = &needs_, .excludes = "NEW"},
      {.names = {"--for"}, .value = "CONSUMER", .into = &consumers_, .excludes = "NEW"},
      {.names = {"--witness"}, .into = &wants_witness_, .excludes = "NEW"},
  };
  append(list, witness_options(limits_));
  list.push_back(language_option(options_.language));
  append(list, world_options(options_));
  return list;
}

Exit SymversInvocation::run() {
  std::vector<std::string> libraries = {name_, new_name_};
  for (std::vector<std::string>* const files : {&libraries, &consumers_}) {
    if (const auto exit = name_input(kSymvers, options_, *files)) return *exit;
  }
  name_ = libraries.front();
  new_name_ = libraries.back();
  WorldHere opener(options_);
  const std::optional<WitnessLimits> asked = wants_witness_ ? std::optional(limits_) : std::nullopt;
  const Result<ReadTwice> read = read_twice(opener, name_, asked);
  if (!read) return report_error(read.error());
  if (!new_name_.empty()) return compare(opener, read->library, new_name_, options_);
  return answer_questions(opener, *read, asked);
}

Exit SymversInvocation::answer_questions(WorldHere& opener, const ReadTwice& read,
                                         const std::optional<WitnessLimits>& asked) {
  std::vector<NeedAnswer> need_answers;
  for (const std::string& need : needs_) need_answers.push_back(answer_need(read.library, need));
  std::vector<ReadTwice> others;
  others.reserve(consumers_.size());
  std::vector<ForAnswer> for_answers;
  for (const std::string& consumer : consumers_) {
    Result<ReadTwice> file = read_twice(opener, consumer, asked);
    if (!file) return report_error(file.error());
    others.push_back(std::move(file).value());
    for_answers.push_back(answer_for(read.library, others.back().library));
  }
  std::vector<SecondReading> readings;
  if (read.witness) readings.push_back(*read.witness);
  for (const ReadTwice& other : others) {
    if (other.witness) readings.push_back(*other.witness);
  }
  const SymversReport report{read.library, need_answers, for_answers, &readings};
  write_document(document_of(report, detail_of(options_)), options_);
  Exit unread = read.exit;
  for (const ReadTwice& other : others) unread = worse(unread, other.exit);
  if (unread != Exit::Good) return unread;
  const bool is_good =
      std::all_of(need_answers.begin(), need_answers.end(),
                  [](const NeedAnswer& answer) { return answer.is_served; }) &&
      std::all_of(for_answers.begin(), for_answers.end(), [](const ForAnswer& answer) { return answer.is_served(); }) &&
      std::all_of(readings.begin(), readings.end(),
                  [](const SecondReading& reading) { return reading.difference_count == 0; });
  return is_good ? Exit::Good : Exit::Problem;
}

}  // namespace

const Subcommand kSymvers = {"symvers", invoke<SymversInvocation>};

}  // namespace soresolve::tool
