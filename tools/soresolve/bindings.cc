// soresolve bindings: which definition each symbol reference binds to.
#include <algorithm>
#include <utility>

#include "report/bindings_report.h"
#include "soresolve/report.h"
#include "subcommand.h"
#include "symbols/floor.h"
#include "symbols/symbol_answer.h"
#include "symbols/unused_needs.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

struct BindingsOptions {
  WorldOptions world;
  unsigned jobs = 1;
  std::vector<std::string> symbols;
  std::vector<std::string> providers;
  bool wants_unused = false;
  bool wants_floor = false;
  std::vector<FloorBound> bounds;
  /// Nothing particular is asked: the whole list.
  [[nodiscard]] bool wants_list() const {
    return symbols.empty() && providers.empty() && !wants_unused && !wants_floor;
  }
};

/// Every question of one command line about one file. The list itself goes out in pieces, in the loader's form; all
/// else is one document.
class BindingsAnswer {
 public:
  BindingsAnswer(const LinkMap& map, const Bindings& bindings, std::string_view file, const BindingsOptions& options)
      : report_{map, bindings, file}, options_(options) {
    if (const LoadFailure* failure = map.first_fatal()) {
      status_ = Exit::Problem;
      write_error("soresolve: not all libraries are found: " + Text::escaped(failure->dlerror_message()) + "\n");
    }
  }

  Exit run() {
    if (options_.wants_list()) list({});
    for (const std::string& library : options_.providers) find_provider(library);
    if (!options_.providers.empty()) answer_providers();
    for (const std::string& symbol : options_.symbols) {
      if (status_ != Exit::Usage) answer_about(symbol);
    }
    if (options_.wants_unused) answer_unused();
    if (options_.wants_floor && status_ != Exit::Usage) answer_floor();
    if (!options_.world.json || status_ != Exit::Usage) write_document(document_of(report_), options_.world);
    return status_;
  }

 private:
  void note(Exit status) { status_ = worse(status_, status); }

  /// There can be a million of them, so for people they make no page.
  void list(BindingFilter filter) {
    if (options_.world.json)
      report_.list = std::move(filter);
    else
      write_bindings(report_.map, report_.bindings, filter, write_as_loader);
  }

  void find_provider(const std::string& library) {
    const std::vector<ObjectIndex> found = objects_named(report_.map, library);
    if (found.empty()) {
      write_error("soresolve: " + Text::escaped(library) + ": no such object in the link map\n");
      note(Exit::Problem);
    }
    for (const ObjectIndex object : found) {
      if (std::find(providers_.begin(), providers_.end(), object) == providers_.end()) {
        providers_.push_back(object);
      }
    }
  }

  void answer_providers() {
    if (options_.world.verbose && !options_.world.json) {
      report_.providers = providers_;
      return;
    }
    list([this](const SymbolBinding& binding) {
      return std::find(providers_.begin(), providers_.end(), binding.provider) != providers_.end();
    });
  }

  void answer_about(const std::string& symbol) {
    Result<SymbolAnswer> answer = answer_symbol(report_.map, report_.bindings, symbol);
    if (!answer) return note(report_error(answer.error()));
    if (!answer->is_good()) note(Exit::Problem);
    report_.symbols.push_back(std::move(answer).value());
  }

  void answer_unused() {
    const Needers needers = options_.world.verbose ? Needers::All : Needers::File;
    report_.unused = find_unused_needs(report_.map, report_.bindings, needers);
    if (!report_.unused->empty()) note(Exit::Problem);
  }

  void answer_bounds() {
    for (const FloorBound& bound : options_.bounds) {
      Result<FloorVerdict> verdict = judge_floor(report_.map, report_.bindings, bound);
      if (!verdict) return note(report_error(verdict.error()));
      if (!verdict->is_met()) note(Exit::Problem);
      report_.bounds.push_back(std::move(verdict).value());
    }
  }

  void answer_floor() {
    if (!options_.bounds.empty()) return answer_bounds();
    Result<std::vector<Floor>> floors = find_floors(report_.map, report_.bindings);
    if (!floors) return note(report_error(floors.error()));
    const auto is_met = [](const Floor& floor) { return floor.is_met; };
    if (!std::all_of(floors->begin(), floors->end(), is_met)) note(Exit::Problem);
    report_.floors = std::move(floors).value();
  }

  BindingsReport report_;
  const BindingsOptions& options_;
  Exit status_ = Exit::Good;
  std::vector<ObjectIndex> providers_;
};

Output print_bindings(WorldHere& world, const BindingsOptions& options, const std::string& file) {
  Result<Resolution> run = world.resolve(file, {.jobs = options.jobs});
  if (!run) return {.exit = report_error(run.error())};
  if (!run->bindings()) return {.exit = report_error(run->bindings().error())};
  const Exit exit = BindingsAnswer(run->map(), *run->bindings(), run->file(), options).run();
  return {.exit = exit, .facts = std::make_shared<const Resolution>(*std::move(run))};
}

}  // namespace

namespace {

class BindingsInvocation final : public Invocation {
 public:
  OptionList options() override;
  std::vector<std::string>* plain_words() override { return &files_; }

  Exit run() override {
    take_bounds();
    if (const auto exit = complete_files(kBindings, options_.world, files_, typed())) return *exit;
    WorldHere world(options_.world);
    if (!options_.world.json) world.report_driver();
    answer_each(files_, options_.world.json ? Headings::None : Headings::OfSeveral,
                [&](const std::string& file) { return print_bindings(world, options_, file); });
  }

 private:
  /// With --floor, words that are bounds are no files: `./manylinux2014` is one.
  void take_bounds() {
    if (!options_.wants_floor) return;
    std::erase_if(files_, [this](const std::string& word) {
      std::optional<FloorBound> bound = parse_floor_bound(word);
      if (bound) options_.bounds.push_back(std::move(*bound));
      return bound.has_value();
    });
  }

  BindingsOptions options_;
  std::vector<std::string> files_;
};

OptionList BindingsInvocation::options() {
  OptionList list = {
      files_option(files_),
      {.names = {"--symbol"}, .value = "NAME", .into = &options_.symbols},
      {.names = {"--provider"}, .value = "LIB", .into = &options_.providers},
      {.names = {"--unused"}, .into = &options_.wants_unused},
      {.names = {"--floor"}, .into = &options_.wants_floor},
      jobs_option(options_.jobs),
      language_option(options_.world.language),
  };
  append(list, driver_options(options_.world));
  append(list, world_options(options_.world));
  return list;
}

}  // namespace

const Subcommand kBindings = {"bindings", invoke<BindingsInvocation>};

}  // namespace soresolve::tool
