// An import is played as if all went well; the first dlopen that fails sends it to its handler, and it is played on
// from there. So the loader's rules are asked once for each failure, not once for each module.
#include "world/python_import.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "loader/load.h"
#include "packages/wheel_requirements.h"
#include "python/python_flags.h"
#include "soresolve/symbols.h"
#include "symbols/offer.h"
#include "symbols/settle_dlopen_calls.h"

namespace soresolve {
namespace {

/// So many failures are followed.
constexpr int kMaxDetours = 200;

/// Modules that are imported anew: in each other, and in all.
constexpr std::size_t kMaxCalls = 20;
constexpr int kMaxCallsInAll = 2000;

class ImportPlayer {
 public:
  ImportPlayer(const PythonProgram& program, const ChangedWorld& world, std::string_view exe)
      : program_(program), world_(world), exe_(exe) {}

  std::optional<Error> play() {
    for (int detour = 0; detour < kMaxDetours; ++detour) {
      walk();
      Result<std::vector<FailedDlopenCall>> failed = settle(dlopen_calls());
      if (!failed) return std::move(failed).error();
      add_without_init(*failed);
      const auto first = std::find_if(failed->begin(), failed->end(),
                                      [&](const FailedDlopenCall& one) { return one.index >= settled_; });
      if (first == failed->end()) {
        settled_ = path_.size();
        if (!pending_ && at_ == kNoStep) return std::nullopt;
        if (pending_) decide_pending();
        continue;
      }
      fail(*first);
      if (is_over_) return std::nullopt;
    }
    return std::nullopt;
  }

  /// The steps of a module that are made once more.
  struct Call {
    StepIndex again;  ///< which asks for it
    StepIndex begin;
    StepIndex end;
  };
  /// The steps that were made, in their order.
  struct Made {
    StepIndex step;
    std::string failure;
    std::vector<Call> calls;
  };
  [[nodiscard]] const std::vector<Made>& path() const { return path_; }
  /// The step that raises what nobody catches; kNoStep: none.
  [[nodiscard]] StepIndex raising() const { return raising_; }
  [[nodiscard]] bool ends_in_open() const { return ends_in_open_; }
  /// The last exception that was no failure of dlopen; empty where that came later.
  [[nodiscard]] const std::string& last_raised() const { return last_raised_; }

  /// The calls as settled: those that fail are marked.
  [[nodiscard]] const std::vector<OpenRequest>& settled() const { return settled_dlopen_calls_; }

 private:
  /// What a name is, after so many steps of `path_`.
  struct Assigned {
    PythonValue value = PythonValue::Unknown;
    std::size_t made = 0;
  };

  [[nodiscard]] const PythonStep& step(StepIndex index) const { return program_.steps[index]; }

  /// Goes on as if nothing failed, up to a question, an exception that is not caught, or the end.
  void walk() {
    // Handlers lie behind what they catch and jumps lead forward, and calls are counted, so that this ends.
    while (at_ < program_.steps.size() && !pending_) {
      const PythonStep& now = step(at_);
      switch (now.kind) {
        case PythonStep::Kind::Open: path_.push_back({at_++, {}, calls_}); break;
        case PythonStep::Kind::Jump: at_ = now.target; break;
        case PythonStep::Kind::IfLoaded: pending_ = true; break;
        case PythonStep::Kind::IfSays: at_ = message_.find(now.file) != std::string::npos ? at_ + 1 : now.target; break;
        case PythonStep::Kind::Begin: at_ = is_imported(now.module) ? now.target : at_ + 1; break;
        case PythonStep::Kind::End: end_import(now); break;
        case PythonStep::Kind::Again: import_again(now); break;
        case PythonStep::Kind::Set: set(now), ++at_; break;
        case PythonStep::Kind::IfSet: at_ = is_set(now) ? at_ + 1 : now.target; break;
        case PythonStep::Kind::Raise:
          if (!now.exception.empty()) {
            message_ = last_raised_ = now.exception;
            type_ = now.exception.substr(0, now.exception.find(':'));
          }
          if (const StepIndex handler = handler_of(now.catchers.empty() ? now.handler : catcher_of(now));
              handler != kNoStep) {
            at_ = handler;
          } else {
            raising_ = at_;
            at_ = kNoStep;
          }
          break;
      }
    }
    if (!pending_) at_ = kNoStep;
  }

  [[nodiscard]] bool is_imported(std::string_view module) const { return imported_.find(module) != imported_.end(); }

  void end_import(const PythonStep& now) {
    imported_.try_emplace(now.module, path_.size());
    if (!calls_.empty() && calls_.back().end == at_) {
      at_ = calls_.back().again;
      calls_.pop_back();
    }
    ++at_;
  }

  void import_again(const PythonStep& now) {
    const bool is_bounded = calls_.size() < kMaxCalls && calls_left_ > 0;
    if (is_imported(now.module) || !is_bounded) {
      ++at_;
      return;
    }
    --calls_left_;
    calls_.push_back({at_, now.target, step(now.target).target});
    at_ = now.target;
  }

  /// Where an exception of type_ goes on whose own handler is this one, kNoStep for none; kNoStep: nowhere. What the
  /// steps of a module do not catch themselves is caught by those who import it.
  StepIndex handler_of(StepIndex handler) {
    for (; !calls_.empty(); calls_.pop_back()) {
      const Call& call = calls_.back();
      if (handler != kNoStep && handler > call.begin && handler <= call.end) break;
      handler = catcher_of(step(call.again));
    }
    return handler;
  }

  [[nodiscard]] StepIndex catcher_of(const PythonStep& now) const {
    for (const auto& [names, place] : now.catchers) {
      const bool catches = names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
                             return is_exception_of(type_, name);
                           });
      if (catches) return place;
    }
    return kNoStep;
  }

  void set(const PythonStep& now) {
    const PythonValue value = now.source.empty() ? now.value : value_of(now.source);
    assigned_[now.module + "." + now.file].push_back({value, path_.size()});
  }

  [[nodiscard]] PythonValue value_of(const std::string& name) const {
    const auto known = assigned_.find(name);
    return known == assigned_.end() || known->second.empty() ? PythonValue::Unknown : known->second.back().value;
  }

  [[nodiscard]] bool is_set(const PythonStep& now) const {
    const auto value = [&](std::string_view name) { return value_of(now.module + "." + std::string(name)); };
    return decide_by_flags(now.file, value) == true;
  }

  [[nodiscard]] std::vector<OpenRequest> dlopen_calls() const {
    std::vector<OpenRequest> list;
    for (const Made& made : path_) {
      const PythonStep& now = step(made.step);
      list.push_back({.file = now.file, .mode = now.mode});
    }
    return list;
  }

  Result<std::vector<FailedDlopenCall>> settle(std::vector<OpenRequest> list) {
    list.insert(list.begin(), world_.dlopen_calls.begin(), world_.dlopen_calls.end());
    auto failed = settle_dlopen_calls(world_.system, world_.process, exe_, list, Settle::All, world_.tag_edits,
                                      world_.need_edits);
    // What is opened before is no step of the import.
    list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(world_.dlopen_calls.size()));
    settled_dlopen_calls_ = std::move(list);
    if (!failed || world_.dlopen_calls.empty()) return failed;
    std::vector<FailedDlopenCall> own;
    for (FailedDlopenCall& each : *failed) {
      if (each.index < world_.dlopen_calls.size()) continue;
      each.index -= world_.dlopen_calls.size();
      own.push_back(std::move(each));
    }
    return own;
  }

  /// What is loaded as an extension module and is none: the import fails behind dlopen. Source: CPython
  /// Python/importdl.c:_PyImport_LoadDynamicModuleWithSpec, Python/dynload_shlib.c.
  void add_without_init(std::vector<FailedDlopenCall>& failed) {
    std::size_t end = path_.size();
    for (const FailedDlopenCall& one : failed) {
      if (one.index >= settled_) end = std::min(end, one.index);
    }
    for (std::size_t index = settled_; index < end; ++index) {
      const PythonStep& made = step(path_[index].step);
      if (made.module.empty()) continue;
      const std::string function = "PyInit_" + made.module.substr(made.module.rfind('.') + 1);
      if (defines_or_unknown(made.file, function)) continue;
      failed.insert(failed.begin(),
                    {index, "dynamic module does not define module export function (" + function + ")", false});
      return;
    }
  }

  bool defines_or_unknown(const std::string& file, const std::string& function) {
    const auto [known, is_new] = has_init_.try_emplace(file + "\n" + function, true);
    if (!is_new) return known->second;
    // Names beyond ASCII are encoded: PyInitU_.
    const bool is_plain = std::all_of(function.begin(), function.end(), [](char c) { return c > ' ' && c < 0x7f; });
    const Result<OpenedObject> opened = open_object(*world_.system->files, file, file);
    if (!is_plain || !opened) return true;
    const Result<SymbolTable> table = read_symbol_table(*opened->file, opened->elf, file);
    if (!table || table->symbols.empty()) return true;
    known->second = std::any_of(table->symbols.begin(), table->symbols.end(), [&](const DynamicSymbol& symbol) {
      return symbol.name == function && is_offered(symbol);
    });
    return known->second;
  }

  /// Is such a file loaded by now?
  void decide_pending() {
    const PythonStep& now = step(at_);
    LoadOptions options;
    options.dlopen_calls = settled_dlopen_calls_;
    options.tag_edits = world_.tag_edits;
    options.need_edits = world_.need_edits;
    const Result<LinkMap> map = load(world_.system, world_.process, exe_, options);
    const bool is_loaded =
        map && std::any_of(map->objects.begin(), map->objects.end(), [&](const LoadedObject& object) {
          return object.path.find(now.file) != std::string_view::npos;
        });
    at_ = is_loaded ? at_ + 1 : now.target;
    pending_ = false;
  }

  [[nodiscard]] static bool is_handled(const PythonStep& now, std::string_view message) {
    if (now.handler == kNoStep) return false;
    return now.handled_words.empty() ||
           std::any_of(now.handled_words.begin(), now.handled_words.end(),
                       [&](const std::string& word) { return message.find(word) != std::string_view::npos; });
  }

  /// The step fails: what was played behind it did not happen.
  void fail(const FailedDlopenCall& failed) {
    const std::size_t index = failed.index;
    path_.resize(index + 1);
    path_[index].failure = failed.message;
    for (auto& [name, values] : assigned_) {
      while (!values.empty() && values.back().made > index) values.pop_back();
    }
    std::erase_if(imported_, [&](const auto& one) { return one.second > index; });
    last_raised_.clear();
    message_ = failed.message;
    settled_ = index + 1;
    pending_ = false;
    raising_ = kNoStep;
    const PythonStep& now = step(path_[index].step);
    type_ = now.module.empty() ? "OSError" : "ImportError";
    calls_ = path_[index].calls;
    const bool is_caught = is_handled(now, failed.message);
    const StepIndex handler = failed.is_process_over ? kNoStep : handler_of(is_caught ? now.handler : kNoStep);
    if (handler != kNoStep) {
      at_ = handler;
      return;
    }
    settled_dlopen_calls_.resize(index + 1);
    raising_ = path_[index].step;
    ends_in_open_ = true;
    is_over_ = true;
  }

  const PythonProgram& program_;
  const ChangedWorld& world_;
  std::string_view exe_;
  std::vector<Made> path_;
  std::map<std::string, std::vector<Assigned>, std::less<>>
      assigned_;                                              ///< of names with their modules; the last counts
  std::map<std::string, std::size_t, std::less<>> imported_;  ///< modules, and after how many steps of `path_`
  std::vector<Call> calls_;                                   ///< the innermost last
  int calls_left_ = kMaxCallsInAll;
  std::vector<OpenRequest> settled_dlopen_calls_;
  std::map<std::string, bool, std::less<>> has_init_;
  std::size_t settled_ = 0;  ///< steps of `path_` whose end is known
  StepIndex at_ = 0;
  bool pending_ = false;  ///< at_ asks what is loaded
  std::string message_;   ///< of the last failure
  std::string type_;      ///< of its exception
  StepIndex raising_ = kNoStep;
  bool ends_in_open_ = false;
  bool is_over_ = false;
  std::string last_raised_;
};

std::string place_of(const PythonStep& step) {
  return step.by_line == 0 ? step.by_file : step.by_file + ":" + std::to_string(step.by_line);
}

/// What Python prints of it.
void set_exception(PythonImport& facts, const ImportPlayer& player, const PythonProgram& program) {
  if (player.raising() == kNoStep) return;
  const PythonStep& raising = program.steps[player.raising()];
  if (player.ends_in_open()) {
    const std::string& message = player.path().back().failure;
    facts.exception = message.empty() ? message : (raising.module.empty() ? "OSError: " : "ImportError: ") + message;
    return;
  }
  facts.raised_by = place_of(raising);
  facts.exception = raising.exception.empty() ? player.last_raised() : raising.exception;
  if (facts.exception.find(": ") != std::string::npos || player.path().empty()) return;
  // Raised for a failure before it, with words that are put together at run time.
  const auto failed = std::find_if(player.path().rbegin(), player.path().rend(),
                                   [](const ImportPlayer::Made& made) { return !made.failure.empty(); });
  if (failed == player.path().rend()) return;
  facts.is_text_unknown = !raising.exception.empty();
  facts.exception = (program.steps[failed->step].module.empty() ? "OSError: " : "ImportError: ") + failed->failure;
}

/// The wheel that the exception asks for, in the version that a package beside it requires.
std::string wheel_asked_for(const ImportPlayer& player, const PythonProgram& program, const FileSystem& files) {
  if (player.raising() == kNoStep) return {};
  const PythonStep& raising = program.steps[player.raising()];
  if (raising.wheel.empty()) return {};
  for (const WheelRequirement& required : read_wheel_requirements(files, raising.site)) {
    if (required.wheel == raising.wheel) return raising.wheel + "==" + required.version;
  }
  return raising.wheel;
}

/// The module of the package itself that brings most libraries in; the last one that loads if it has none; kNoStep:
/// nothing loads.
std::size_t principal_step(const ImportPlayer& player, const PythonProgram& program, std::string_view module,
                           const LinkMap& map) {
  const std::string_view top = module.substr(0, module.find('.'));
  const auto last = std::find_if(player.path().rbegin(), player.path().rend(),
                                 [](const ImportPlayer::Made& made) { return made.failure.empty(); });
  if (last == player.path().rend()) return kNoStep;
  std::size_t best = static_cast<std::size_t>(player.path().rend() - last) - 1;
  std::size_t most = 0;
  for (std::size_t dlopen_call = 1; dlopen_call <= map.dlopen_calls.size(); ++dlopen_call) {
    const std::size_t index = map.dlopen_calls[dlopen_call - 1].number;
    const std::string_view name = program.steps[player.path()[index].step].module;
    const bool is_own = name.substr(0, name.find('.')) == top;
    const auto [first, end] = map.loaded_by(dlopen_call);
    const std::size_t count = end - first + (name == module ? 1u << 20 : 0u);
    if (is_own && count > most) {
      most = count;
      best = index;
    }
  }
  return best;
}

}  // namespace

Result<ImportRun> run_import(const PythonProgram& program, const PythonEnvironment& python, std::string_view module,
                             const std::shared_ptr<const System>& system, const Process& process,
                             std::string_view exe) {
  const auto shared = std::make_shared<const Process>(process);
  return run_import(program, python, module, {system, shared, {}, {}, {}}, exe);
}

Result<ImportRun> run_import(const PythonProgram& program, const PythonEnvironment& python, std::string_view module,
                             const ChangedWorld& world, std::string_view exe) {
  ImportPlayer player(program, world, exe);
  if (auto error = player.play()) return Unexpected{std::move(*error)};
  ImportRun run;
  run.facts = {.module = std::string(module),
               .interpreter = python.interpreter,
               .minor_number = python.minor_number,
               .path = python.path,
               .steps = {},
               .exception = {},
               .raised_by = {},
               .wheel = wheel_asked_for(player, program, *world.system->files),
               .source_count = program.source_count,
               .limits = program.limits};
  for (const ImportPlayer::Made& made : player.path()) {
    const PythonStep& step = program.steps[made.step];
    run.facts.steps.push_back(
        {step.module, step.file, step.mode, step.by_file, step.by_line, step.by_package, step.is_guess, made.failure});
  }
  set_exception(run.facts, player, program);
  run.dlopen_calls = player.settled();
  run.all_dlopen_calls = player.settled();
  if (run.dlopen_calls.empty()) return run;
  std::size_t last = run.dlopen_calls.size() - 1;
  if (player.raising() == kNoStep) {
    LoadOptions options;
    options.dlopen_calls = run.dlopen_calls;
    const Result<LinkMap> map = load(world.system, world.process, exe, options);
    if (map) last = principal_step(player, program, module, *map);
  } else {
    // What it is raised for: the last one that failed.
    for (std::size_t i = run.dlopen_calls.size(); i-- > 0;) {
      if (run.facts.steps[i].failure.empty()) continue;
      last = i;
      break;
    }
  }
  run.dlopen_calls.resize(last + 1);  // kNoStep + 1 is none
  if (run.dlopen_calls.empty()) return run;
  run.dlopen_calls.back().is_taken_back = false;
  run.dlopen_calls.back().tls_left.reset();
  return run;
}

}  // namespace soresolve
