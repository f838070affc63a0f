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

/// Everything that is asked about one library.
struct SymversQuestions {
  std::vector<std::string> needs = {};
  std::vector<std::string> needers = {};
  std::optional<WitnessLimits> witness = {};
};

struct SymversFacts {
  explicit SymversFacts(ReadTwice library) : read(std::move(library)) {}
  SymversFacts(const SymversFacts&) = delete;  // the report borrows the others
  SymversFacts& operator=(const SymversFacts&) = delete;
  ReadTwice read;
  std::vector<NeedAnswer> needs;
  std::vector<ReadTwice> others;
  std::vector<ForAnswer> needers;
  std::vector<SecondReading> readings;
  SymversReport report{read.library, needs, needers, &readings};
};

Exit exit_of(const SymversFacts& facts) {
  Exit unread = facts.read.exit;
  for (const ReadTwice& other : facts.others) unread = worse(unread, other.exit);
  if (unread != Exit::Good) return unread;
  const bool is_good =
      std::all_of(facts.needs.begin(), facts.needs.end(), [](const NeedAnswer& answer) { return answer.is_served; }) &&
      std::all_of(facts.needers.begin(), facts.needers.end(),
                  [](const ForAnswer& answer) { return answer.is_served(); }) &&
      std::all_of(facts.readings.begin(), facts.readings.end(),
                  [](const SecondReading& reading) { return reading.difference_count == 0; });
  return is_good ? Exit::Good : Exit::Problem;
}

Result<Output> answer_of(WorldHere& world, const WorldOptions& options, ReadTwice read,
                         const SymversQuestions& questions) {
  const auto facts = std::make_shared<SymversFacts>(std::move(read));
  for (const std::string& need : questions.needs) facts->needs.push_back(answer_need(facts->read.library, need));
  facts->others.reserve(questions.needers.size());
  for (const std::string& needer : questions.needers) {
    Result<ReadTwice> file = read_twice(world, needer, questions.witness);
    if (!file) return Unexpected{std::move(file).error()};
    facts->others.push_back(*std::move(file));
    facts->needers.push_back(answer_for(facts->read.library, facts->others.back().library));
  }
  if (facts->read.witness) facts->readings.push_back(*facts->read.witness);
  for (const ReadTwice& other : facts->others) {
    if (other.witness) facts->readings.push_back(*other.witness);
  }
  return Output{exit_of(*facts), document_of(facts->report, detail_of(options)), {}, facts};
}

}  // namespace

Result<Output> symvers_answer(WorldHere& world, const WorldOptions& options, const std::string& name,
                              const std::string& need, BareName bare_name) {
  Result<ReadTwice> read = read_twice(world, name, std::nullopt, bare_name);
  if (!read) return Unexpected{std::move(read).error()};
  return answer_of(world, options, *std::move(read), {.needs = {need}});
}

namespace {

class SymversInvocation final : public Invocation {
 public:
  OptionList options() override;
  Exit run() override;

 private:
  WorldOptions options_;
  std::string name_;
  std::string new_name_;
  SymversQuestions questions_;
  bool wants_witness_ = false;
  WitnessLimits limits_;
};

OptionList SymversInvocation::options() {
  OptionList list = {
      {.names = {"LIB"}, .into = &name_, .presence = Presence::Required},
      {.names = {"NEW"}, .into = &new_name_},
      {.names = {"--need"}, .value = "V", .into = &questions_.needs, .excludes = "NEW"},
      {.names = {"--for"}, .value = "CONSUMER", .into = &questions_.needers, .excludes = "NEW"},
      {.names = {"--witness"}, .into = &wants_witness_, .excludes = "NEW"},
  };
  append(list, witness_options(limits_));
  list.push_back(language_option(options_.language));
  append(list, world_options(options_));
  return list;
}

Exit SymversInvocation::run() {
  std::vector<std::string> libraries = {name_, new_name_};
  for (std::vector<std::string>* const files : {&libraries, &questions_.needers}) {
    if (const auto exit = name_input(kSymvers, options_, *files)) return *exit;
  }
  name_ = libraries.front();
  new_name_ = libraries.back();
  WorldHere opener(options_);
  if (wants_witness_) questions_.witness = limits_;
  Result<ReadTwice> read = read_twice(opener, name_, questions_.witness);
  if (!read) return report_error(read.error());
  if (!new_name_.empty()) return compare(opener, read->library, new_name_, options_);
  return print(answer_of(opener, options_, *std::move(read), questions_), options_, {}).exit;
}

}  // namespace

const Subcommand kSymvers = {"symvers", invoke<SymversInvocation>};

}  // namespace soresolve::tool
