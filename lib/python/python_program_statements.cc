// What the statements of a Python source come to: imports, from, try, raise, names and what is decided by them, as the
// interpreter carries them out. Source: the Python Language Reference, "The import statement", "The try statement".
#include "python/import_planner.h"

#include <algorithm>
#include <utility>

#include "base/small_file.h"
#include "python/python_names.h"

namespace soresolve {

void ImportPlanner::run_body(const std::vector<PythonStatement>& body, const Running& running) {
  for (const PythonStatement& statement : body) {
    const Place place{running.file, statement.line};
    if (!running.is_called) lines_.back() = statement.line;
    const bool is_guess = statement.is_guess && statement.kind != PythonStatement::Kind::Try;
    guesses_ += is_guess;
    switch (statement.kind) {
      case PythonStatement::Kind::Import: do_import(statement, place); break;
      case PythonStatement::Kind::From: do_from(statement, running, place); break;
      case PythonStatement::Kind::Load: do_load(statement, place); break;
      case PythonStatement::Kind::Try: do_try(statement, running); break;
      case PythonStatement::Kind::Raise: do_raise(statement, place); break;
      case PythonStatement::Kind::Block: do_block(statement, running); break;
      case PythonStatement::Kind::Leave: do_leave(statement); break;
      case PythonStatement::Kind::Path: do_path(statement); break;
      case PythonStatement::Kind::IfSays: do_if_says(statement, running); break;
      case PythonStatement::Kind::Set: do_set(statement, running, place); break;
      case PythonStatement::Kind::IfSet: do_if_set(statement, running, place); break;
      case PythonStatement::Kind::Call: do_call(statement, running); break;
    }
    guesses_ -= is_guess;
    if (statement.kind == PythonStatement::Kind::Raise || statement.kind == PythonStatement::Kind::Leave) return;
  }
}

void ImportPlanner::do_import(const PythonStatement& statement, const Place& place) {
  if (import_chain(statement.name, place)) return;
  if (!statement.is_uncertain) tell_missing(statement.name, place);
}

// A module that is nowhere. One in a package may be made by code: there it counts where the source itself expects
// that it may be missing, or where nothing in the package's source makes modules.
void ImportPlanner::tell_missing(std::string_view name, const Place& place) {
  if (name.empty() || is_path_unknown_ || !python_.code_lines.empty()) return;
  const std::string missing = first_missing(name);
  if (const std::size_t dot = missing.rfind('.'); dot != std::string::npos) {
    const Loaded& parent = loaded_.find(missing.substr(0, dot))->second;
    if (!parent.is_package || (parent.file.empty() && !parent.is_namespace)) return;
    const bool is_expected = catcher_of("ModuleNotFoundError") != kNoStep;
    if (!is_expected && makes_modules(parent)) return;
  }
  raise(place, "ModuleNotFoundError", "ModuleNotFoundError: No module named '" + missing + "'");
}

// May the source of a package put modules into it that are no files?
bool ImportPlanner::makes_modules(const Loaded& package) {
  if (package.is_namespace) return false;
  const auto text = read_small_file(files_, package.file, kMaxPythonSourceBytes);
  return !text || may_make_modules(*text);
}

// The module that a From names; empty: there is none above.
std::string ImportPlanner::module_named_by(const PythonStatement& statement, const std::string& name,
                                           const Running& running) {
  if (statement.level == 0) return name;
  std::string package = running.package;
  for (std::uint32_t up = 1; up < statement.level; ++up) {
    const std::size_t dot = package.rfind('.');
    if (dot == std::string::npos) return {};
    package.resize(dot);
  }
  return package.empty() || name.empty() ? package + name : package + "." + name;
}

void ImportPlanner::do_from(const PythonStatement& statement, const Running& running, const Place& place) {
  const std::string base = module_named_by(statement, statement.name, running);
  if (base.empty()) return;
  if (!import_chain(base, place)) return statement.is_uncertain ? void() : tell_missing(base, place);
  for (const std::string& name : statement.names) {
    if (name == "*" || import_one(base + "." + name, place)) continue;
    if (!statement.is_uncertain && lacks_name(base, name)) tell_no_name(base, name, place);
  }
}

// Is there neither a module of this name in the package nor anything in its source that can give it the name? Of a
// package whose source is not at its end, what stands before the statement that is run.
bool ImportPlanner::lacks_name(const std::string& package, const std::string& name) {
  const Loaded& loaded = loaded_.find(package)->second;
  if (!loaded.is_package || !python_.code_lines.empty()) return false;
  if (loaded.is_namespace) return true;  // no source gives it names
  if (loaded.file.empty()) return false;
  const auto whole = read_small_file(files_, loaded.file, kMaxPythonSourceBytes);
  if (!whole || name.starts_with("__")) return false;
  const auto running = std::find(running_.begin(), running_.end(), package);
  const bool is_at_end = running == running_.end();
  return !may_give_name(
      is_at_end ? *whole : lines_before(*whole, lines_[static_cast<std::size_t>(running - running_.begin())]), name);
}

// Source: CPython Python/ceval.c, import_from().
void ImportPlanner::tell_no_name(const std::string& package, const std::string& name, const Place& place) {
  const Loaded& loaded = loaded_.find(package)->second;
  const bool is_half = std::find(running_.begin(), running_.end(), package) != running_.end();
  raise(place, "ImportError",
        "ImportError: cannot import name '" + name + "' from " + (is_half ? "partially initialized module '" : "'") +
            package + "'" + (is_half ? " (most likely due to a circular import)" : "") + " (" +
            (loaded.is_namespace ? "unknown location" : loaded.file) + ")");
}

void ImportPlanner::do_load(const PythonStatement& statement, const Place& place) {
  PythonStep step{.kind = Kind::Open, .file = statement.name, .handler = catcher_of("OSError")};
  if (statement.is_global) step.mode.scope = OpenScope::Global;
  add(std::move(step), place);
}

void ImportPlanner::do_raise(const PythonStatement& statement, const Place& place) {
  if (statement.name.empty() && !caught_.empty()) {
    add({.kind = Kind::Raise, .catchers = catchers()}, place);
    return;
  }
  std::string text = statement.name;
  if (!statement.names.empty()) text += ": " + statement.names.front();
  raise(place, statement.name.empty() ? "Exception" : statement.name, std::move(text));
}

void ImportPlanner::do_block(const PythonStatement& statement, const Running& running) {
  ends_.push_back(new_label());
  run_guarded(statement.body, running);
  place_label(ends_.back());
  ends_.pop_back();
}

void ImportPlanner::do_if_says(const PythonStatement& statement, const Running& running) {
  const std::size_t otherwise = new_label();
  const std::size_t end = new_label();
  add({.kind = Kind::IfSays, .file = statement.name, .target = otherwise}, {running.file, statement.line});
  run_guarded(statement.body, running);
  jump(end);
  place_label(otherwise);
  run_guarded(statement.otherwise, running);
  place_label(end);
}

void ImportPlanner::do_set(const PythonStatement& statement, const Running& running, const Place& place) {
  PythonStep step{.kind = Kind::Set, .module = running.name, .file = statement.name, .value = statement.value};
  if (statement.names.size() == 2) {
    const std::string from = module_named_by(statement, statement.names[0], running) + "." + statement.names[1];
    if (is_imported(from))
      step.value = PythonValue::True;  // a module
    else
      step.source = from;
  }
  add(std::move(step), place);
}

void ImportPlanner::do_if_set(const PythonStatement& statement, const Running& running, const Place& place) {
  const std::size_t end = new_label();
  add({.kind = Kind::IfSet, .module = running.name, .file = statement.name, .target = end}, place);
  run_guarded(statement.body, running);
  place_label(end);
}

void ImportPlanner::do_path(const PythonStatement& statement) {
  if (statement.name.starts_with('/'))
    finder_.add(statement.name, statement.is_global);
  else
    is_path_unknown_ = true;
}

void ImportPlanner::do_leave(const PythonStatement& statement) {
  if (statement.level != 0 && statement.level <= ends_.size()) jump(ends_[ends_.size() - statement.level]);
}

// librmm.load_library(), where that source has it from another one: the function is looked for, and read there. Only
// one that may open libraries is: imports of other functions are made by who calls them, and seldom fail.
void ImportPlanner::do_call(const PythonStatement& statement, const Running& running) {
  constexpr int kMostOrigins = 5;
  std::string module = module_named_by(statement, statement.name, running);
  std::string function = statement.names.front();
  for (int i = 0; i < kMostOrigins && calls_left_ > 0; ++i) {
    const auto found = loaded_.find(module);
    if (found == loaded_.end() || found->second.file.empty() || known_.contains(module.substr(0, module.find('.'))))
      return;
    const auto text = read_small_file(files_, found->second.file, kMaxPythonSourceBytes);
    if (!text || text->find(function) == std::string::npos) return;
    const std::size_t dot = module.rfind('.');
    const Running called{module,
                         found->second.is_package   ? module
                         : dot == std::string::npos ? std::string()
                                                    : module.substr(0, dot),
                         found->second.file, true};
    const PythonOrigin origin = python_origin(*text, function);
    if (origin.is_function) {
      if (!may_open_libraries(*text) || !called_.insert(module + "." + function).second) return;
      --calls_left_;
      run_body(read_python_function(*text, function, platform_, place_of(called)), called);
      called_.erase(module + "." + function);
      return;
    }
    if (origin.name.empty()) return;
    PythonStatement from{.level = origin.level};
    module = module_named_by(from, origin.module, called);
    function = origin.name;
  }
}

void ImportPlanner::run_guarded(const std::vector<PythonStatement>& body, const Running& running) {
  push_guard();
  run_body(body, running);
  pop_guard();
}

void ImportPlanner::do_try(const PythonStatement& statement, const Running& running) {
  if (statement.handlers.empty()) {
    run_body(statement.body, running);
    return run_body(statement.otherwise, running);
  }
  const std::size_t end = new_label();
  Frame frame;
  for (const PythonStatement::Handler& handler : statement.handlers)
    frame.handlers.emplace_back(handler.exceptions, new_label());
  push_frame(frame);
  run_body(statement.body, running);
  pop_frame();
  run_guarded(statement.otherwise, running);
  jump(end);
  for (std::size_t i = 0; i < statement.handlers.size(); ++i) {
    place_label(frame.handlers[i].second);
    caught_.push_back(statement.handlers[i].exceptions);
    run_guarded(statement.handlers[i].body, running);
    caught_.pop_back();
    jump(end);
  }
  place_label(end);
}
}  // namespace soresolve
