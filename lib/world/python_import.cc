// An import is evaluated as if all went well; the first dlopen that the loader refuses is added to what is known, and
// it is evaluated again. So the loader's rules are asked once for each failure, not once for each module.
#include "world/python_import.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/path.h"
#include "base/pieces.h"
#include "dlopen/known_loaders.h"
#include "loader/load.h"
#include "packages/host_driver.h"
#include "packages/what_brings.h"
#include "packages/wheel_requirements.h"
#include "soresolve/symbols.h"
#include "symbols/offer.h"
#include "symbols/settle_dlopen_calls.h"
#include "symbols/symbol_table.h"
#include "world/package_files.h"
#include "world/wheel_faults.h"

namespace soresolve {
namespace {

/// So many failures are followed.
constexpr int kMaxDetours = 200;

class ImportRunner {
 public:
  ImportRunner(PythonImporter& importer, const PythonQuestion& question, const ChangedWorld& world,
               std::string_view exe)
      : importer_(importer), question_(question), world_(world), exe_(exe) {}

  std::optional<Error> run() {
    for (int detour = 0; detour < kMaxDetours; ++detour) {
      trace_ = importer_.evaluate(question_, answers_);
      Result<std::vector<FailedDlopenCall>> failed = settle(dlopen_calls());
      if (!failed) return std::move(failed).error();
      add_without_init(*failed);
      const auto first = std::find_if(failed->begin(), failed->end(),
                                      [&](const FailedDlopenCall& one) { return one.index >= settled_count_; });
      if (first != failed->end()) {
        settled_count_ = first->index + 1;
        const std::string& why = first->message.empty() ? first->death : first->message;
        answers_.failures[first->index] = {why, first->is_process_over};
        continue;
      }
      settled_count_ = trace_.opens.size();
      if (!trace_.asked) break;
      answers_.loaded[trace_.opens.size()] = is_loaded(*trace_.asked);
    }
    return std::nullopt;
  }

  [[nodiscard]] const PythonTrace& trace() const { return trace_; }
  /// The calls as settled: those that fail are marked.
  [[nodiscard]] const std::vector<OpenRequest>& settled() const { return settled_dlopen_calls_; }

 private:
  [[nodiscard]] std::vector<OpenRequest> dlopen_calls() const {
    std::vector<OpenRequest> calls;
    for (const PythonOpen& open : trace_.opens) calls.push_back({.file = open.file, .mode = open.mode});
    return calls;
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
    std::size_t end = trace_.opens.size();
    for (const FailedDlopenCall& one : failed) {
      if (one.index >= settled_count_) end = std::min(end, one.index);
    }
    for (std::size_t index = settled_count_; index < end; ++index) {
      const PythonOpen& made = trace_.opens[index];
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
  [[nodiscard]] bool is_loaded(const std::string& path) const {
    LoadOptions options;
    options.dlopen_calls = settled_dlopen_calls_;
    options.tag_edits = world_.tag_edits;
    options.need_edits = world_.need_edits;
    const Result<LinkMap> map = load(world_.system, world_.process, exe_, options);
    return map && std::any_of(map->objects.begin(), map->objects.end(), [&](const LoadedObject& object) {
             return object.path.find(path) != std::string_view::npos;
           });
  }

  PythonImporter& importer_;
  const PythonQuestion& question_;
  const ChangedWorld& world_;
  std::string_view exe_;
  PythonTrace trace_;
  PythonAnswers answers_;
  std::vector<OpenRequest> settled_dlopen_calls_;
  std::map<std::string, bool, std::less<>> has_init_;
  std::size_t settled_count_ = 0;  ///< dlopens whose end is known
};

/// What Python prints of it.
void set_exception(PythonImport& facts, const PythonTrace& trace) {
  facts.exception = trace.exception;
  facts.raised_by = trace.raised_by;
  if (!trace.opens.empty() && trace.opens.back().ends_process) {
    facts.ends_process = true;
    facts.exception = trace.opens.back().failure;
    facts.raised_by.clear();
    return;
  }
  facts.other_python = trace.other_python;
  if (trace.exception.empty() || trace.has_exception_text) return;
  // Raised for a failure before it, with words that are put together at run time.
  const auto failed = std::find_if(trace.opens.rbegin(), trace.opens.rend(),
                                   [](const PythonOpen& open) { return !open.failure.empty(); });
  if (failed == trace.opens.rend()) return;
  facts.is_text_unknown = true;
  facts.exception = (failed->module.empty() ? "OSError: " : "ImportError: ") + failed->failure;
}

/// The wheel that the exception asks for, in the version that a package beside it requires.
std::string wheel_asked_for(const PythonTrace& trace, const FileSystem& files) {
  if (trace.wheel.empty()) return {};
  for (const WheelRequirement& required : read_wheel_requirements(files, trace.site)) {
    if (required.wheel == trace.wheel) return trace.wheel + "==" + required.version;
  }
  return trace.wheel;
}

/// The module of the package itself that brings most libraries in; the last one that loads if it has none; nullopt:
/// nothing loads.
std::optional<std::size_t> principal_open(const PythonTrace& trace, std::string_view module, const LinkMap& map) {
  const std::string_view top = module.substr(0, module.find('.'));
  const auto last = std::find_if(trace.opens.rbegin(), trace.opens.rend(),
                                 [](const PythonOpen& open) { return open.failure.empty(); });
  if (last == trace.opens.rend()) return std::nullopt;
  std::size_t best = static_cast<std::size_t>(trace.opens.rend() - last) - 1;
  std::size_t most = 0;
  for (std::size_t dlopen_call = 1; dlopen_call <= map.dlopen_calls.size(); ++dlopen_call) {
    const std::size_t index = map.dlopen_calls[dlopen_call - 1].number;
    const std::string_view name = trace.opens[index].module;
    const bool is_own = name.substr(0, name.find('.')) == top && trace.opens[index].evidence != StepEvidence::Possible;
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

Result<ImportRun> run_import(PythonImporter& importer, const PythonQuestion& question, const ChangedWorld& world,
                             std::string_view exe) {
  ImportRunner runner(importer, question, world, exe);
  if (auto error = runner.run()) return Unexpected{std::move(*error)};
  PythonTrace trace = runner.trace();
  // What a module means to raise, it says. An operation of an object raises where it was misjudged as well, and of so
  // much nobody is sure: Python can tell.
  if (trace.is_of_operation) {
    trace.doubts.insert(trace.doubts.begin(), {trace.raised_by, std::exchange(trace.exception, {}), true});
    trace.raised_by.clear();
    trace.other_python.clear();
  }
  if (!trace.made_by.empty()) {
    return Unexpected{Error{ErrorCode::Unsupported,
                            trace.made_by,
                            {},
                            "makes " + question.module + " when it is imported; of which files is not known"}};
  }
  if (!trace.unread.empty()) {
    return Unexpected{
        Error{ErrorCode::Unsupported,
              {},
              {},
              "not known: " + trace.unread + " is not read (line " + std::to_string(trace.unread_line) + ")"}};
  }
  ImportRun run;
  run.facts = {.module = question.module,
               .interpreter = importer.python().interpreter,
               .minor_number = importer.python().minor_number,
               .path = importer.python().path,
               .steps = {},
               .exception = {},
               .raised_by = {},
               .other_python = {},
               .wheel = wheel_asked_for(trace, *world.system->files),
               .on_demand = {},
               .package = {},
               .wheel_faults = {},
               .source_count = trace.source_count,
               .limits = trace.limits,
               .doubts = trace.exception.empty() ? trace.doubts : std::vector<ImportDoubt>()};
  for (const PythonOpen& open : trace.opens) {
    run.facts.steps.push_back(
        {open.module, open.file, open.mode, open.by_file, open.by_line, open.by_package, open.evidence, open.failure});
  }
  set_exception(run.facts, trace);
  run.dlopen_calls = runner.settled();
  run.all_dlopen_calls = runner.settled();
  if (run.dlopen_calls.empty()) return run;
  std::optional<std::size_t> last = run.dlopen_calls.size() - 1;
  if (trace.exception.empty()) {
    LoadOptions options;
    options.dlopen_calls = run.dlopen_calls;
    const Result<LinkMap> map = load(world.system, world.process, exe, options);
    if (map) last = principal_open(trace, question.module, *map);
  } else {
    // What it is raised for: the last one that failed.
    for (std::size_t i = run.dlopen_calls.size(); i-- > 0;) {
      if (run.facts.steps[i].failure.empty()) continue;
      last = i;
      break;
    }
  }
  run.dlopen_calls.resize(last ? *last + 1 : 0);
  if (run.dlopen_calls.empty()) return run;
  run.dlopen_calls.back().is_taken_back = false;
  run.dlopen_calls.back().tls_left.reset();
  return run;
}

namespace {

/// Judges failures of files that the import has left alone.
class OnDemandJudge {
 public:
  OnDemandJudge(const FileSystem& files, const PackageOwners& owners, const std::string& package)
      : files_(files), owners_(owners), package_(package) {}

  /// Takes what dlopen says over, unless it depends on who opens the file, and when.
  void take(OnDemandFile& file, std::string message) {
    const bool is_undefined = message.find(": undefined symbol: ") != std::string::npos;
    if (file.module.empty() && is_undefined) return;
    const Result<OpenedObject> opened = open_object(files_, file.file, file.file);
    if (!opened || !packages_needed(opened->elf).empty()) return;
    const std::size_t end = message.find(": cannot open shared object file");
    if (end != std::string::npos) {
      const std::string missing = message.substr(0, end);
      if (is_of_driver(missing) && !has_driver(files_)) return;
      file.is_spare = !is_of_package(missing) && !is_required(missing);
    }
    file.failure = std::move(message);
  }

 private:
  [[nodiscard]] bool is_of_package(std::string_view library) const {
    const std::optional<PackageOwner> owner = owners_.owner_of(package_);
    if (!owner) return false;
    const std::vector<std::string> paths = owners_.files_of(*owner);
    return std::any_of(paths.begin(), paths.end(),
                       [&](const std::string& path) { return file_name_of(path) == file_name_of(library); });
  }

  /// By a wheel that pins the one which has it.
  bool is_required(std::string_view library) {
    if (!requirements_) {
      requirements_ = read_wheel_requirements(files_, directory_of(directory_of(package_)));
    }
    return std::any_of(requirements_->begin(), requirements_->end(),
                       [&](const WheelRequirement& requirement) { return is_in_wheel(library, requirement.wheel); });
  }

  const FileSystem& files_;
  const PackageOwners& owners_;
  const std::string& package_;
  std::optional<std::vector<WheelRequirement>> requirements_;
};

}  // namespace

std::optional<Error> judge_on_demand(PythonImporter& importer, const PackageOwners& owners, const ChangedWorld& world,
                                     std::string_view exe, ImportRun& run) {
  const std::string& asked = run.facts.module;
  const std::optional<PythonModule> package = importer.find(std::string_view(asked).substr(0, asked.find('.')));
  if (!package || !run.facts.exception.empty()) return std::nullopt;
  LoadOptions options;
  options.dlopen_calls = run.all_dlopen_calls;
  const Result<LinkMap> map = load(world.system, world.process, exe, options);
  if (!map) return map.error();
  std::vector<OnDemandFile> files =
      native_files_of(*world.system->files, owners, {*package, importer.suffixes()}, map->system->rules.target, *map);
  // What the import has tried is none of them, whether or not it was loaded.
  std::erase_if(files, [&](const OnDemandFile& file) {
    return std::any_of(run.facts.steps.begin(), run.facts.steps.end(), [&](const ImportStep& step) {
      const bool is_open = step.evidence == StepEvidence::Possible && !step.failure.empty();
      return step.file == file.file && !is_open;
    });
  });
  if (files.empty()) return std::nullopt;
  for (const OnDemandFile& file : files) {
    const BindTime bind_time = file.module.empty() ? BindTime::AsAsked : BindTime::Now;
    options.dlopen_calls.push_back({.file = file.file, .mode = {.bind_time = bind_time}});
  }
  const std::size_t first = run.all_dlopen_calls.size();
  Result<std::vector<FailedDlopenCall>> failed =
      settle_dlopen_calls(world.system, world.process, exe, options.dlopen_calls, Settle::All);
  if (!failed) return std::move(failed).error();
  OnDemandJudge judge(*world.system->files, owners, package->file);
  for (FailedDlopenCall& one : *failed) {
    if (one.index >= first) judge.take(files[one.index - first], std::move(one.message));
  }
  run.facts.on_demand = std::move(files);
  run.facts.package = package->file;
  return std::nullopt;
}

namespace {

/// The package or module of the first name, or, where that has no file of its own, the first below it that has one;
/// empty: nothing has.
std::string file_of_module(PythonImporter& importer, const FileSystem& files, std::string_view module) {
  const std::optional<PythonModule> top = importer.find(module.substr(0, module.find('.')));
  if (!top) return {};
  if (!top->file.empty()) return top->file;
  for (std::string folder : top->search) {
    for (std::string_view rest = cut_at(module, '.').behind; !rest.empty(); rest = cut_at(rest, '.').behind) {
      folder = path_in(folder, cut_at(rest, '.').before);
      for (const std::string& file : {folder + "/__init__.py", folder + ".py"}) {
        if (files.status(file)) return file;
      }
    }
  }
  return {};
}

/// "dateutil" of "No module named 'dateutil.parser'"; empty: another exception.
std::string missing_module(std::string_view exception) {
  constexpr std::string_view kNamed = "No module named '";
  const std::size_t at = exception.find(kNamed);
  if (at == std::string_view::npos) return {};
  const std::string_view module = exception.substr(at + kNamed.size());
  return std::string(module.substr(0, module.find_first_of(".'")));
}

/// The requirement that is not met and that brings the module which the exception names: by its name (python-dateutil
/// brings dateutil), else the only one of the wheel whose source imports it. Empty: none.
std::string requirement_for(const PythonImport& facts, const PackageOwners& owners) {
  const std::string module = normalised_wheel_name(missing_module(facts.exception));
  if (module.empty()) return {};
  const std::optional<PackageOwner> importer = owners.owner_of(facts.raised_by.substr(0, facts.raised_by.rfind(':')));
  std::vector<std::string> others;
  for (const WheelFault& fault : facts.wheel_faults) {
    if (fault.kind != WheelFault::Kind::NotInstalled) continue;
    const std::string name = fault.requirement.substr(0, fault.requirement.find_first_of("=<>!~"));
    const bool is_its = name == module || name == "python-" + module || name == module + "-python" ||
                        name == module + "-py" || name == "py" + module || name == "py-" + module;
    if (is_its) return fault.requirement;
    if (importer && importer->record == fault.wheel.record) others.push_back(fault.requirement);
  }
  return others.size() == 1 ? others.front() : std::string();
}

bool is_cpython(const FileSystem& files, const std::string& interpreter) {
  const Result<std::string, Errno> real = files.real_path(interpreter);
  return real && file_name_of(*real).starts_with("python");
}

}  // namespace

void judge_wheels(PythonImporter& importer, const FileSystem& files, const PackageOwners& owners,
                  const LoaderRules& rules, const std::string& machine, PythonImport& facts) {
  WheelQuestion question{file_of_module(importer, files, facts.module), {}, {}, rules.libc};
  if (question.file.empty()) return;
  for (const std::string& entry : facts.path) {
    if (entry.starts_with('/')) question.sites.push_back(entry);
  }
  question.environment = {facts.minor_number, is_cpython(files, facts.interpreter), machine};
  WheelFaults faults = find_wheel_faults(files, owners, question);
  facts.wheel_faults = std::move(faults.list);
  if (facts.wheel.empty()) facts.wheel = requirement_for(facts, owners);
  if (faults.is_cut) facts.limits.push_back(say("import-cut-wheels", {{"count", kMostWheelQuestions}}));
}

}  // namespace soresolve
