// An import as a question: which interpreter, which sys.path, what is opened in its process.
#include <algorithm>

#include "base/log_line.h"
#include "base/path.h"
#include "base/small_file.h"
#include "dlopen/known_loaders.h"
#include "host/path_search.h"
#include "loader/load.h"
#include "loader/loader_rules.h"
#include "python/import_trace.h"
#include "python/python_environment.h"
#include "world/python_import.h"
#include "world/world_state.h"

namespace soresolve {
namespace {

/// platform.machine()
std::string_view machine_name(const ElfTarget& target) {
  switch (target.machine) {
    case 62: return "x86_64";
    case 183: return "aarch64";
    case 243: return "riscv64";
    case 21: return "ppc64le";
    case 22: return "s390x";
    default: return "";
  }
}

PythonMachine machine_of(const std::shared_ptr<const System>& system, const Process& process,
                         const std::shared_ptr<const PackageOwners>& owners) {
  PythonMachine machine{std::string(machine_name(system->rules.target)), process.cpu.isa_level};
  machine.is_recorded = [owners](const std::string& path) { return owners->owner_of(path).has_value(); };
  if (system->rules.libc != Libc::Musl) {
    machine.cached_library = [system](std::string_view name) -> std::optional<std::string> {
      const std::string begin = "lib" + std::string(name) + ".";
      for (std::size_t i = 0; i < system->cache.size(); ++i) {
        const std::optional<CacheEntry> entry = system->cache.entry(i);
        const bool is_it = entry && entry->key.starts_with(begin) && entry->key.size() > begin.size();
        if (is_it && system->cache.is_for_target(entry->flags)) return std::string(entry->key);
      }
      return std::nullopt;
    };
  }
  return machine;
}

/// The directory of packages that has this one: around the file, or in sys.path.
std::optional<std::string> site_with(const FileSystem& files, const PythonEnvironment& python, std::string_view file,
                                     std::string_view package) {
  const auto has_package = [&](const std::string& site) {
    return files.status(path_in(path_in(site, package), "__init__.py")).has_value();
  };
  for (std::string_view at = directory_of(file); at.size() > 1; at = directory_of(at)) {
    if (has_package(std::string(at))) return std::string(at);
  }
  for (const std::string& site : python.site_directories) {
    if (has_package(site)) return site;
  }
  return std::nullopt;
}

}  // namespace

/// One rule for all questions: the one that is named, else the one that runs, else what exec of python3 would start.
PythonChoice World::State::python_choice() const {
  const auto whole = [&](const std::string& path) { return path.empty() ? path : absolute_path(path, cwd_); };
  return {whole(process_.python), whole(process_.running_python), cwd_};
}

/// The interpreter at the place that is named; an empty path where none is named.
Result<std::string> World::State::named_interpreter() const {
  if (process_.python.empty()) return std::string();
  if (std::string path = interpreter_in(*files_, absolute_path(process_.python, cwd_)); !path.empty()) return path;
  return Unexpected{Error{ErrorCode::NotFound, process_.python, {}, "no interpreter of Python is there"}};
}

Result<AssumedProgram> World::State::choose_interpreter() {
  if (live_) return AssumedProgram{live_->exe, {}, {}};
  if (!process_.exe.empty()) return choose_program({});
  Result<std::string> named = named_interpreter();
  if (!named) return Unexpected{std::move(named).error()};
  if (!named->empty()) return AssumedProgram{std::move(named).value(), {}, {}};
  const PythonChoice choice = python_choice();
  if (!choice.running.empty()) {
    if (std::string path = interpreter_in(*files_, choice.running); !path.empty())
      return AssumedProgram{std::move(path), say("process-running"), {}};
  }
  if (std::optional<AssumedProgram> found = python_by_name(*files_, environment_, choice)) return std::move(*found);
  return Unexpected{Error{ErrorCode::NotFound, {}, {}, "no interpreter of Python is found here; --python names one"}};
}

/// What Python has loaded before it opens `file`: packages that it needs libraries of are imported before.
void World::State::add_imported_before(AssumedProgram& program, const std::string& file, const ElfObject& object) {
  const auto needed = packages_needed(object);
  if (needed.empty()) return;
  const auto leave = [&](const Error& error) {
    log_line(settings_.log.get(), LogLevel::Warning,
             [&] { return "what is imported before " + file + " is left out: " + error.to_string(); });
  };
  const std::string interpreter = absolute_path(program.path, cwd_);
  Result<OpenedObject> opened = open_object(*files_, interpreter, interpreter);
  if (!opened) return leave(opened.error());
  if (!opened->elf.has_dynamic) return;
  Result<Prepared> prepared = prepare_alone(interpreter, {interpreter, std::move(opened).value(), program.environment});
  if (!prepared) return leave(prepared.error());
  const Environment& environment = prepared->process.environment;
  PythonEnvironment python = read_python_environment(*files_, environment, interpreter);
  const Result<std::string, Errno> real = files_->real_path(file);
  std::vector<InstalledPackage> packages;
  for (const auto& [package, library] : needed) {
    const std::optional<std::string> site = site_with(*files_, python, real ? *real : file, package);
    if (!site) continue;
    if (std::find(python.path.begin(), python.path.end(), *site) == python.path.end()) python.path.push_back(*site);
    packages.push_back({std::string(package), *site});
    program.evidence.push_back(
        say("process-imports", {{"package", package}, {"library", library}, {"path", path_in(*site, package)}}));
  }
  const PythonMachine machine = machine_of(prepared->system, prepared->process, owners());
  PythonImporter importer(files_, environment, python, "/", machine);
  // Up to the file itself, which is what the question is about.
  const PythonQuestion question{.packages = packages, .stops_before = [&](const std::string& opened_file) {
                                  const Result<std::string, Errno> opened_path = files_->real_path(opened_file);
                                  return opened_path && real && *opened_path == *real;
                                }};
  const auto process = std::make_shared<const Process>(prepared->process);
  const Result<ImportRun> run = run_import(importer, question, {prepared->system, process, {}, {}, {}}, prepared->file);
  if (!run) return leave(run.error());
  if (!run->facts.exception.empty()) {
    const std::string_view failing = packages.empty() ? std::string_view() : std::string_view(packages.front().name);
    program.evidence.push_back(say("import-fails", {{"module", failing}, {"exception", run->facts.exception}}));
  }
  program.loaded = run->all_dlopen_calls;
  std::string_view known;
  for (const ImportStep& made : run->facts.steps) {
    if (made.by_package.empty() || made.by_package == known) continue;
    known = made.by_package;
    program.evidence.push_back(say("process-imports-by", {{"source", known}}));
  }
}

Result<World::State::Prepared> World::State::prepare_import(const std::string& module, ImportExtent extent) {
  if (auto error = read_settings()) return Unexpected{std::move(*error)};
  const bool is_name = module.find_first_of("/ \n") == std::string::npos && !module.starts_with('.') &&
                       !module.ends_with('.') && module.find("..") == std::string::npos;
  if (!is_name) return Unexpected{usage_error("a module of Python is named as after import: package.module")};
  Result<AssumedProgram> program = choose_interpreter();
  if (!program) return Unexpected{std::move(program).error()};
  // Python takes "." and ".." out of its own path.
  const std::string given = absolute_path(program->path, cwd_);
  const Result<std::string, Errno> directory = files_->real_path(directory_of(given));
  const std::string path = directory ? path_in(*directory, file_name_of(given)) : given;
  Result<OpenedObject> opened = live_ ? open_live_program() : open_object(*files_, path, path);
  if (!opened) return Unexpected{std::move(opened).error()};
  if (!opened->elf.has_dynamic)
    return Unexpected{Error{ErrorCode::NotElf, path, {}, "is not dynamic: no loader is there to open anything in it"}};
  Result<Prepared> prepared = prepare_alone(path, {path, std::move(opened).value(), program->environment});
  if (!prepared) return prepared;
  const Environment& environment = prepared->process.environment;
  const PythonEnvironment python = read_python_environment(*files_, environment, path);
  const auto importer = std::make_shared<PythonImporter>(files_, environment, python, cwd_,
                                                         machine_of(prepared->system, prepared->process, owners()));
  const auto process = std::make_shared<const Process>(prepared->process);
  Result<ImportRun> run =
      run_import(*importer, {.module = module}, {prepared->system, process, {}, {}, {}}, prepared->file);
  if (!run) return Unexpected{std::move(run).error()};
  if (extent == ImportExtent::Whole) {
    prepared->dlopen_calls = std::move(run->all_dlopen_calls);
  } else {
    const ChangedWorld unchanged{prepared->system, process, {}, {}, {}};
    if (auto error = judge_on_demand(*importer, *owners(), unchanged, prepared->file, *run)) {
      return Unexpected{std::move(*error)};
    }
    const LoaderRules& rules = prepared->system->rules;
    judge_wheels(*importer, *files_, *owners(), rules, std::string(machine_name(rules.target)), run->facts);
    prepared->dlopen_calls = std::move(run->dlopen_calls);
  }
  prepared->import = std::move(run->facts);
  prepared->import_end = [importer, module, exe = prepared->file](const ChangedWorld& world) {
    const Result<ImportRun> again = run_import(*importer, {.module = module}, world, exe);
    const bool fails = again && !again->facts.exception.empty();
    return fails ? std::optional(again->facts.exception) : std::nullopt;
  };
  return prepared;
}

}  // namespace soresolve
