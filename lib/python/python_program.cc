// Follows the imports of a module through its sources, in the order in which the interpreter runs them. A module is run
// once. Source: the Python Language Reference, "The import system", "The try statement"; importlib._bootstrap.
#include "python/python_program.h"

#include <algorithm>
#include <utility>

#include "base/small_file.h"
#include "python/import_planner.h"
#include "python/python_names.h"

namespace soresolve {
namespace {

std::string_view top_of(std::string_view module) { return module.substr(0, module.find('.')); }

}  // namespace

PythonProgram ImportPlanner::run(std::string_view module) {
  const Place place{{}, 0};
  if (!import_chain(module, place) || !is_imported(module)) {
    raise(place, "ModuleNotFoundError", "ModuleNotFoundError: No module named '" + first_missing(module) + "'");
  }
  resolve_labels();
  return std::move(program_);
}

std::size_t ImportPlanner::new_label() {
  labels_.push_back(kNoStep);
  return labels_.size() - 1;
}

void ImportPlanner::resolve_labels() {
  for (PythonStep& step : program_.steps) {
    if (step.handler != kNoStep) step.handler = labels_[step.handler];
    if (step.target != kNoStep) step.target = labels_[step.target];
    for (auto& [exceptions, place] : step.catchers) place = labels_[place];
  }
}

// The label of the handler that catches it; kNoStep for none.
std::size_t ImportPlanner::catcher_of(std::string_view exception) const {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    for (const auto& [names, label] : frame->handlers) {
      const bool catches = names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
                             return is_exception_of(exception, name);
                           });
      if (catches) return label;
    }
  }
  return kNoStep;
}

// All handlers around, the innermost first.
std::vector<std::pair<std::vector<std::string>, StepIndex>> ImportPlanner::catchers() const {
  std::vector<std::pair<std::vector<std::string>, StepIndex>> all;
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame)
    all.insert(all.end(), frame->handlers.begin(), frame->handlers.end());
  return all;
}

PythonStep* ImportPlanner::add(PythonStep step, const Place& place) {
  if (program_.steps.size() >= kMaxPythonSteps) {
    limit("import-cut-steps", kMaxPythonSteps);
    return nullptr;
  }
  step.by_file = place.file;
  step.by_line = place.line;
  step.is_guess = guesses_ != 0;
  program_.steps.push_back(std::move(step));
  return &program_.steps.back();
}

void ImportPlanner::limit(std::string_view sentence, std::uint64_t most) {
  Statement said = say(sentence, {{"count", most}});
  if (std::find(program_.limits.begin(), program_.limits.end(), said) == program_.limits.end())
    program_.limits.push_back(std::move(said));
}

void ImportPlanner::raise(const Place& place, std::string_view type, std::string text) {
  add({.kind = Kind::Raise, .handler = catcher_of(type), .exception = std::move(text)}, place);
}

std::string ImportPlanner::first_missing(std::string_view module) const {
  for (std::size_t dot = module.find('.');; dot = module.find('.', dot + 1)) {
    const std::string_view name = module.substr(0, dot);
    if (!is_imported(name) || dot == std::string_view::npos) return std::string(name);
  }
}

// import a.b.c: a, a.b, a.b.c. False where one of them is nowhere.
bool ImportPlanner::import_chain(std::string_view module, const Place& place) {
  for (std::size_t dot = module.find('.');; dot = module.find('.', dot + 1)) {
    if (!import_one(std::string(module.substr(0, dot)), place)) return false;
    if (dot == std::string_view::npos) return true;
  }
}

bool ImportPlanner::import_one(const std::string& name, const Place& place) {
  if (is_imported(name)) {
    import_again(name, place);
    return true;
  }
  const std::size_t dot = name.rfind('.');
  const std::vector<std::string>* directories = &finder_.path();
  if (dot != std::string::npos) {
    const auto parent = loaded_.find(name.substr(0, dot));
    if (parent == loaded_.end() || !parent->second.is_package) return false;
    directories = &parent->second.search;
  }
  const std::optional<PythonModule> module = finder_.find(std::string_view(name).substr(dot + 1), *directories);
  // A folder without a source is what is left where nothing else has the name: /sys, imported in "/", is not sys.
  if (!module || module->kind == PythonModule::Kind::Namespace) {
    const bool is_built_in = dot == std::string::npos && is_built_in_module(name);
    if (is_built_in) remember(name, {});
    if (is_built_in || !module) return is_built_in;
  }
  remember(name, {module->is_package, module->search, module->kind == PythonModule::Kind::Namespace,
                  module->kind == PythonModule::Kind::Source ? module->file : std::string(), guard_});
  if (guard_ == 0) {
    run_module(name, *module, place);
    return true;
  }
  const std::size_t end = new_label();
  const std::size_t begin = new_label();
  loaded_.find(name)->second.begin = begin;
  place_label(begin);
  add({.kind = Kind::Begin, .module = name, .target = end}, place);
  run_module(name, *module, place);
  place_label(end);
  add({.kind = Kind::End, .module = name}, place);
  return true;
}

// A module that could not be imported, which somebody caught, is imported anew by the next one who wants it; as is
// one whose first import is not come to. Inside what holds the first one, it has been come to. Source: CPython
// importlib._bootstrap._load_unlocked().
void ImportPlanner::import_again(const std::string& name, const Place& place) {
  Loaded& loaded = loaded_.find(name)->second;
  if (loaded.guard == 0 || is_guarded_by(loaded.guard)) return;
  if (std::find(running_.begin(), running_.end(), name) != running_.end()) return;
  loaded.guard = guard_;
  add({.kind = Kind::Again, .module = name, .target = loaded.begin, .catchers = catchers()}, place);
}

// Does what is planned now stand in what holds that import?
bool ImportPlanner::is_guarded_by(std::size_t guard) const {
  std::size_t around = guard_;
  while (around > guard) around = guards_[around];
  return around == guard;
}

// What is planned now is perhaps not come to, though the end of it is.
void ImportPlanner::push_guard() {
  guards_.push_back(guard_);
  guard_ = guards_.size() - 1;
}

void ImportPlanner::push_frame(Frame frame) {
  frames_.push_back(std::move(frame));
  push_guard();
}

void ImportPlanner::pop_frame() {
  frames_.pop_back();
  pop_guard();
}

PythonPlace ImportPlanner::place_of(const Running& running) const {
  return {running.file, running.name, running.package,
          [this](const std::string& path) { return files_.status(path).has_value(); },
          [this](const std::string& directory) {
    auto names = files_.list_directory(directory);
    return names ? std::move(names).value() : std::vector<std::string>();
          }};
}

void ImportPlanner::run_module(const std::string& name, const PythonModule& module, const Place& place) {
  switch (module.kind) {
    case PythonModule::Kind::Namespace: return;
    case PythonModule::Kind::Bytecode: return limit("import-bytecode", 0);
    case PythonModule::Kind::Extension: return open_extension(name, module.file, place);
    case PythonModule::Kind::Source: break;
  }
  if (depth_ >= kMaxImportDepth) return limit("import-cut-depth", kMaxImportDepth);
  if (program_.source_count >= kMaxPythonSources) return limit("import-cut-sources", kMaxPythonSources);
  const auto text = read_small_file(files_, module.file, kMaxPythonSourceBytes);
  if (!text || bytes_ + text->size() > kMaxPythonBytes) return limit("import-cut-bytes", kMaxPythonSourceBytes);
  ++program_.source_count;
  bytes_ += text->size();
  const bool is_top = name.find('.') == std::string::npos;
  const bool is_alone = is_top && !module.is_package;
  const Running running{name,
                        module.is_package ? name
                        : is_alone        ? std::string()
                                          : name.substr(0, name.rfind('.')),
                        module.file};
  const std::vector<PythonStatement> body = read_python_source(*text, platform_, place_of(running));
  ++depth_;
  running_.push_back(name);
  lines_.push_back(0);
  const std::string top(top_of(name));
  if (is_top) note_known_package(name, module);
  do_at(top, KnownMoment::Side::Before, name);
  run_body(body, running);
  do_at(top, KnownMoment::Side::After, name);
  if (is_top) do_known_package(name);
  running_.pop_back();
  lines_.pop_back();
  --depth_;
}

void ImportPlanner::open_extension(const std::string& name, const std::string& file, const Place& place) {
  do_known_package(std::string(top_of(name)));
  PythonStep step{.kind = Kind::Open, .module = name, .file = file, .handler = catcher_of("ImportError")};
  if (lazy_modules_.contains(name)) step.mode = {.scope = OpenScope::Global, .bind_time = BindTime::AsAsked};
  add(std::move(step), place);
  do_at(std::string(top_of(name)), KnownMoment::Side::After, name);
}

bool is_exception_of(std::string_view name, std::string_view base) {
  name = name.substr(name.rfind('.') + 1);
  if (base == "Exception" || base == "BaseException" || base == name) return true;
  // importlib.metadata.PackageNotFoundError is a ModuleNotFoundError.
  if (base == "ModuleNotFoundError") return name == "PackageNotFoundError";
  if (base == "ImportError") return name == "ModuleNotFoundError" || name == "PackageNotFoundError";
  if (base == "EnvironmentError" || base == "IOError") return name == "OSError";
  return base == "NameError" && name == "UnboundLocalError";
}

PythonProgram plan_import(const FileSystem& files, const Environment& environment, const PythonEnvironment& python,
                          const std::string& cwd, const PythonMachine& machine, std::string_view module) {
  return ImportPlanner(files, environment, python, cwd, machine).run(module);
}

PythonProgram plan_known_packages(const FileSystem& files, const Environment& environment,
                                  const PythonEnvironment& python, const PythonMachine& machine,
                                  const std::vector<InstalledPackage>& packages) {
  return ImportPlanner(files, environment, python, "/", machine).run_known(packages);
}

}  // namespace soresolve
