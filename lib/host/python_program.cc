// Follows the imports of a module through its sources, in the order in which the interpreter runs them. A module is run
// once. Source: the Python Language Reference, "The import system", "The try statement"; importlib._bootstrap.
#include "host/python_program.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/path.h"
#include "cuda/small_file.h"
#include "dlopen/known_file.h"
#include "dlopen/known_loaders.h"
#include "host/known_package_files.h"
#include "host/python_finder.h"
#include "host/python_names.h"
#include "host/python_source.h"

namespace soresolve {
namespace {

using Kind = PythonStep::Kind;

/// "['', '/usr/lib/python311.zip']", as Python prints a list of texts.
std::string list_of(const std::vector<std::string>& entries) {
  std::string text = "[";
  for (const std::string& entry : entries) {
    const char quote = entry.find('\'') != std::string::npos && entry.find('"') == std::string::npos ? '"' : '\'';
    if (text.size() > 1) text += ", ";
    text += quote + entry + quote;
  }
  return text + "]";
}

std::string replaced(std::string_view pattern, std::string_view mark, std::string_view by) {
  std::string text(pattern);
  const std::size_t at = text.find(mark);
  if (at != std::string::npos) text.replace(at, mark.size(), by);
  return text;
}

std::string_view top_of(std::string_view module) { return module.substr(0, module.find('.')); }

class ImportPlanner {
 public:
  ImportPlanner(const FileSystem& files, const Environment& environment, const PythonEnvironment& python,
                const std::string& cwd, const PythonMachine& machine)
      : files_(files), environment_(environment), python_(python), finder_(files, python, cwd, machine.name),
        known_files_(files, environment, finder_), platform_{python.minor_number, machine.name},
        isa_level_(machine.isa_level) {}

  PythonProgram run_known(const std::vector<InstalledPackage>& packages) {
    for (const InstalledPackage& package : packages) {
      const std::string folder = path_in(package.site, package.name);
      const PythonModule module{PythonModule::Kind::Source, path_in(folder, "__init__.py"), true, {folder}};
      remember(package.name, {true, module.search, false, module.file});
      note_known_package(package.name, module);
      do_known_package(package.name);
    }
    resolve_labels();
    return std::move(program_);
  }

  PythonProgram run(std::string_view module) {
    const Place place{{}, 0};
    if (!import_chain(module, place) || !is_imported(module)) {
      raise(place, "ModuleNotFoundError", "ModuleNotFoundError: No module named '" + first_missing(module) + "'");
    }
    resolve_labels();
    return std::move(program_);
  }

 private:
  /// The statement that is carried out.
  struct Place {
    std::string file;
    std::uint32_t line = 0;
  };
  /// The module whose body is run.
  struct Running {
    std::string name;
    std::string package;  ///< __package__
    std::string file;
  };
  /// A try statement around what is planned now: who catches, and where it goes on.
  struct Frame {
    std::vector<std::pair<std::vector<std::string>, std::size_t>> handlers;  ///< exceptions, label
  };
  struct Loaded {
    bool is_package = false;
    std::vector<std::string> search;
    bool is_namespace = false;
    std::string file = {};  ///< of a source
    std::size_t guard = 0;  ///< what its import stands in that is perhaps not come to
    std::size_t begin = 0;  ///< the label of that, where there is one
  };

  // Labels: places that are known later.

  std::size_t new_label() {
    labels_.push_back(kNoStep);
    return labels_.size() - 1;
  }
  void place_label(std::size_t label) { labels_[label] = program_.steps.size(); }
  void resolve_labels() {
    for (PythonStep& step : program_.steps) {
      if (step.handler != kNoStep) step.handler = labels_[step.handler];
      if (step.target != kNoStep) step.target = labels_[step.target];
      for (auto& [exceptions, place] : step.catchers) place = labels_[place];
    }
  }

  /// The label of the handler that catches it; kNoStep for none.
  [[nodiscard]] std::size_t catcher_of(std::string_view exception) const {
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

  /// All handlers around, the innermost first.
  [[nodiscard]] std::vector<std::pair<std::vector<std::string>, StepIndex>> catchers() const {
    std::vector<std::pair<std::vector<std::string>, StepIndex>> all;
    for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame)
      all.insert(all.end(), frame->handlers.begin(), frame->handlers.end());
    return all;
  }

  PythonStep* add(PythonStep step, const Place& place) {
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

  void limit(std::string_view sentence, std::uint64_t most) {
    Statement said = say(sentence, {{"count", most}});
    if (std::find(program_.limits.begin(), program_.limits.end(), said) == program_.limits.end())
      program_.limits.push_back(std::move(said));
  }

  void raise(const Place& place, std::string_view type, std::string text) {
    add({.kind = Kind::Raise, .handler = catcher_of(type), .exception = std::move(text)}, place);
  }

  void jump(std::size_t label) { add({.kind = Kind::Jump, .target = label}, {}); }

  // Modules.

  [[nodiscard]] bool is_imported(std::string_view name) const { return loaded_.find(name) != loaded_.end(); }

  [[nodiscard]] std::string first_missing(std::string_view module) const {
    for (std::size_t dot = module.find('.');; dot = module.find('.', dot + 1)) {
      const std::string_view name = module.substr(0, dot);
      if (!is_imported(name) || dot == std::string_view::npos) return std::string(name);
    }
  }

  /// import a.b.c: a, a.b, a.b.c. False where one of them is nowhere.
  bool import_chain(std::string_view module, const Place& place) {
    for (std::size_t dot = module.find('.');; dot = module.find('.', dot + 1)) {
      if (!import_one(std::string(module.substr(0, dot)), place)) return false;
      if (dot == std::string_view::npos) return true;
    }
  }

  bool import_one(const std::string& name, const Place& place) {
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

  /// A module that could not be imported, which somebody caught, is imported anew by the next one who wants it; as is
  /// one whose first import is not come to. Inside what holds the first one, it has been come to. Source: CPython
  /// importlib._bootstrap._load_unlocked().
  void import_again(const std::string& name, const Place& place) {
    Loaded& loaded = loaded_.find(name)->second;
    if (loaded.guard == 0 || is_guarded_by(loaded.guard)) return;
    if (std::find(running_.begin(), running_.end(), name) != running_.end()) return;
    loaded.guard = guard_;
    add({.kind = Kind::Again, .module = name, .target = loaded.begin, .catchers = catchers()}, place);
  }

  /// Does what is planned now stand in what holds that import?
  [[nodiscard]] bool is_guarded_by(std::size_t guard) const {
    std::size_t around = guard_;
    while (around > guard) around = guards_[around];
    return around == guard;
  }

  /// What is planned now is perhaps not come to, though the end of it is.
  void push_guard() {
    guards_.push_back(guard_);
    guard_ = guards_.size() - 1;
  }
  void pop_guard() { guard_ = guards_[guard_]; }

  void push_frame(Frame frame) {
    frames_.push_back(std::move(frame));
    push_guard();
  }
  void pop_frame() {
    frames_.pop_back();
    pop_guard();
  }

  void remember(const std::string& name, Loaded loaded) { loaded_.emplace(name, std::move(loaded)); }

  void run_module(const std::string& name, const PythonModule& module, const Place& place) {
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
    const PythonPlace place_of_source{module.file, name, running.package,
                                      [&](const std::string& path) { return files_.status(path).has_value(); },
                                      [&](const std::string& directory) {
      auto names = files_.list_directory(directory);
      return names ? std::move(names).value() : std::vector<std::string>();
                                      }};
    const std::vector<PythonStatement> body = read_python_source(*text, platform_, place_of_source);
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

  void open_extension(const std::string& name, const std::string& file, const Place& place) {
    do_known_package(std::string(top_of(name)));
    PythonStep step{.kind = Kind::Open, .module = name, .file = file, .handler = catcher_of("ImportError")};
    if (lazy_modules_.contains(name)) step.mode = {.scope = OpenScope::Global, .bind_time = BindTime::AsAsked};
    add(std::move(step), place);
    do_at(std::string(top_of(name)), KnownMoment::Side::After, name);
  }

  // Statements.

  void run_body(const std::vector<PythonStatement>& body, const Running& running) {
    for (const PythonStatement& statement : body) {
      const Place place{running.file, statement.line};
      lines_.back() = statement.line;
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
      }
      guesses_ -= is_guess;
      if (statement.kind == PythonStatement::Kind::Raise || statement.kind == PythonStatement::Kind::Leave) return;
    }
  }

  void do_import(const PythonStatement& statement, const Place& place) {
    if (import_chain(statement.name, place)) return;
    if (!statement.is_uncertain) tell_missing(statement.name, place);
  }

  /// A module that is nowhere. One in a package may be made by code: there it counts where the source itself expects
  /// that it may be missing, or where nothing in the package's source makes modules.
  void tell_missing(std::string_view name, const Place& place) {
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

  /// May the source of a package put modules into it that are no files?
  bool makes_modules(const Loaded& package) {
    if (package.is_namespace) return false;
    const auto text = read_small_file(files_, package.file, kMaxPythonSourceBytes);
    return !text || may_make_modules(*text);
  }

  /// The module that a From names; empty: there is none above.
  static std::string module_named_by(const PythonStatement& statement, const std::string& name,
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

  void do_from(const PythonStatement& statement, const Running& running, const Place& place) {
    const std::string base = module_named_by(statement, statement.name, running);
    if (base.empty()) return;
    if (!import_chain(base, place)) return statement.is_uncertain ? void() : tell_missing(base, place);
    for (const std::string& name : statement.names) {
      if (name == "*" || import_one(base + "." + name, place)) continue;
      if (!statement.is_uncertain && lacks_name(base, name)) tell_no_name(base, name, place);
    }
  }

  /// Is there neither a module of this name in the package nor anything in its source that can give it the name? Of a
  /// package whose source is not at its end, what stands before the statement that is run.
  bool lacks_name(const std::string& package, const std::string& name) {
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

  /// Source: CPython Python/ceval.c, import_from().
  void tell_no_name(const std::string& package, const std::string& name, const Place& place) {
    const Loaded& loaded = loaded_.find(package)->second;
    const bool is_half = std::find(running_.begin(), running_.end(), package) != running_.end();
    raise(place, "ImportError",
          "ImportError: cannot import name '" + name + "' from " + (is_half ? "partially initialized module '" : "'") +
              package + "'" + (is_half ? " (most likely due to a circular import)" : "") + " (" +
              (loaded.is_namespace ? "unknown location" : loaded.file) + ")");
  }

  void do_load(const PythonStatement& statement, const Place& place) {
    PythonStep step{.kind = Kind::Open, .file = statement.name, .handler = catcher_of("OSError")};
    if (statement.is_global) step.mode.scope = OpenScope::Global;
    add(std::move(step), place);
  }

  void do_raise(const PythonStatement& statement, const Place& place) {
    if (statement.name.empty() && !caught_.empty()) {
      add({.kind = Kind::Raise, .catchers = catchers()}, place);
      return;
    }
    std::string text = statement.name;
    if (!statement.names.empty()) text += ": " + statement.names.front();
    raise(place, statement.name.empty() ? "Exception" : statement.name, std::move(text));
  }

  void do_block(const PythonStatement& statement, const Running& running) {
    ends_.push_back(new_label());
    run_guarded(statement.body, running);
    place_label(ends_.back());
    ends_.pop_back();
  }

  void do_if_says(const PythonStatement& statement, const Running& running) {
    const std::size_t otherwise = new_label();
    const std::size_t end = new_label();
    add({.kind = Kind::IfSays, .file = statement.name, .target = otherwise}, {running.file, statement.line});
    run_guarded(statement.body, running);
    jump(end);
    place_label(otherwise);
    run_guarded(statement.otherwise, running);
    place_label(end);
  }

  void do_set(const PythonStatement& statement, const Running& running, const Place& place) {
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

  void do_if_set(const PythonStatement& statement, const Running& running, const Place& place) {
    const std::size_t end = new_label();
    add({.kind = Kind::IfSet, .module = running.name, .file = statement.name, .target = end}, place);
    run_guarded(statement.body, running);
    place_label(end);
  }

  void do_path(const PythonStatement& statement) {
    if (statement.name.starts_with('/'))
      finder_.add(statement.name, statement.is_global);
    else
      is_path_unknown_ = true;
  }

  void do_leave(const PythonStatement& statement) {
    if (statement.level != 0 && statement.level <= ends_.size()) jump(ends_[ends_.size() - statement.level]);
  }

  void run_guarded(const std::vector<PythonStatement>& body, const Running& running) {
    push_guard();
    run_body(body, running);
    pop_guard();
  }

  void do_try(const PythonStatement& statement, const Running& running) {
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

  // Packages whose code opens libraries by itself.

  /// A package in the table, and what of it has been done.
  struct KnownPackage {
    KnownFile file;
    bool is_opened = false;
    bool is_imported = false;
  };

  void note_known_package(const std::string& name, const PythonModule& module) {
    if (!module.is_package || module.search.empty()) return;
    const std::string site(directory_of(module.search.front()));
    if (auto known = known_import(files_, site, name + "/__init__.py"))
      known_.emplace(name, KnownPackage{std::move(*known), false, false});
  }

  /// Before the first extension module of the package, or behind its sources if it has none.
  void do_known_package(const std::string& name) { do_at(name, KnownMoment::Side::Usual, {}); }

  /// What is done at this moment of the import of `module`; Usual: of the package.
  void do_at(const std::string& package, KnownMoment::Side side, std::string_view module) {
    const auto found = known_.find(package);
    if (found == known_.end()) return;
    const KnownImport& import = *found->second.file.loader->import;
    const auto is_now = [&](const KnownMoment& moment) { return moment.side == side && moment.module == module; };
    // Each once; what is imported here may come back here.
    const bool opens = is_now(import.opens_at) && !std::exchange(found->second.is_opened, true);
    const KnownFile known = found->second.file;
    if (opens) open_known(known);
    const bool imports = is_now(import.imports_at) && !std::exchange(known_.find(package)->second.is_imported, true);
    if (imports) import_known(known);
  }

  void open_known(const KnownFile& known) {
    const KnownImport& import = *known.loader->import;
    const bool is_off =
        !import.unless_variable.empty() && !environment_.value(import.unless_variable).value_or("").empty();
    const std::size_t first_step = program_.steps.size();
    if (is_off) {
      if (!import.module.empty()) lazy_modules_.emplace(import.module);
    } else if (import.tries_first_again) {
      open_with_second_try(known);
    } else {
      open_all(known);
    }
    for (std::size_t i = first_step; i < program_.steps.size(); ++i)
      program_.steps[i].by_package = known.title + " (" + std::string(known.loader->source) + ")";
  }

  void import_known(const KnownFile& known) {
    const KnownImport& import = *known.loader->import;
    if (!import.modules.empty()) import_first(import.modules, {known.script, 0});
    if (import.module.empty()) return;
    const bool is_there = import_chain(import.module, {known.script, 0});
    const auto module = loaded_.find(import.module);
    const bool is_folder = module != loaded_.end() && module->second.is_namespace;
    if (is_there && !is_folder) return;
    const std::string text(import.without_module);
    if (!text.empty()) raise({known.script, 0}, text.substr(0, text.find(':')), text);
  }

  /// The first of them that can be imported; a failure of the last one is nobody's.
  void import_first(std::string_view modules, const Place& place) {
    const std::size_t end = new_label();
    const std::vector<std::string_view> words = words_of(modules);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view name = words[i].substr(0, words[i].find('@'));
      const int level = name.size() == words[i].size() ? 0 : words[i].back() - '0';
      if (level > isa_level_) continue;
      const bool is_last = i + 1 == words.size();
      const std::size_t next = new_label();
      if (!is_last) push_frame({{{{"ImportError"}, next}}});
      const bool is_there = import_chain(name, place);
      if (!is_last) pop_frame();
      if (is_there && !is_last) jump(end);
      place_label(next);
    }
    place_label(end);
  }

  void open_library(const std::string& file, OpenScope scope, const Place& place, std::size_t handler) {
    add({.kind = Kind::Open, .file = file, .mode = {.scope = scope}, .handler = handler}, place);
  }

  /// What Python prints where the file is nowhere.
  void raise_missing(const KnownFile& known, const KnownOpen& open, const Place& place) {
    const std::string_view pattern = known.loader->import->missing;
    if (pattern.empty()) {
      // It is opened all the same, and dlopen says so.
      const std::string_view folder = open.folder.substr(0, open.folder.find(' '));
      const auto wheel = open.wheel.empty() ? std::nullopt : known_files_.site_of_wheel(open.wheel);
      return open_library(
          wheel.value_or(known.site) + "/" + std::string(folder) + "/" + std::string(words_of(open.names).front()),
          known.loader->import->is_first_global ? OpenScope::Global : OpenScope::Local, place, catcher_of("OSError"));
    }
    std::string text =
        replaced(replaced(pattern, "{name}", words_of(open.names).front()), "{path}", list_of(python_.path));
    const std::string type = text.substr(0, text.find(':'));
    raise_for_wheel(place, type, std::move(text), known_files_.wheel_name(open), known.site);
  }

  void raise_for_wheel(const Place& place, std::string_view type, std::string text, std::string wheel,
                       const std::string& site) {
    add({.kind = Kind::Raise,
         .handler = catcher_of(type),
         .exception = std::move(text),
         .wheel = std::move(wheel),
         .site = site},
        place);
  }

  void open_with_second_try(const KnownFile& known) {
    const KnownImport& import = *known.loader->import;
    const std::span<const KnownOpen> opens = known.loader->opens;
    const Place place{known.script, 0};
    const std::string first = known.site + "/" + std::string(opens[0].folder) + "/" + std::string(opens[0].names);
    const OpenScope scope = import.is_first_global ? OpenScope::Global : OpenScope::Local;
    const std::size_t failed = new_label();
    const std::size_t end = new_label();
    PythonStep step{.kind = Kind::Open, .file = first, .mode = {.scope = scope}, .handler = failed};
    for (const KnownOpen& open : opens.subspan(1)) {
      if (known_files_.holds(known, open) && open.when != KnownWhen::IfFirstLoads)
        step.handled_words.emplace_back(open.names.substr(0, open.names.find('.')));
    }
    add(std::move(step), place);
    if (!import.others_only_if_loaded.empty()) {
      add({.kind = Kind::IfLoaded, .file = std::string(import.others_only_if_loaded), .target = end}, place);
      for (const KnownOpen& open : opens.subspan(1)) {
        if (!known_files_.holds(known, open) || open.when == KnownWhen::IfFirstFails) continue;
        const std::string path = known_files_.path_of(known, open);
        const std::size_t next = import.ends_at_missing ? end : new_label();
        if (!path.empty()) open_library(path, OpenScope::Local, place, next);
        if (!import.ends_at_missing)
          place_label(next);
        else if (path.empty())
          break;
      }
    }
    jump(end);
    place_label(failed);
    for (const KnownOpen& open : opens.subspan(1)) {
      if (!known_files_.holds(known, open) || open.when == KnownWhen::IfFirstLoads) continue;
      const std::string path = known_files_.path_of(known, open);
      if (path.empty())
        raise_missing(known, open, place);
      else
        open_library(path, OpenScope::Local, place, catcher_of("OSError"));
    }
    open_library(first, scope, place, catcher_of("OSError"));
    place_label(end);
  }

  void open_all(const KnownFile& known) {
    const KnownImport& import = *known.loader->import;
    const Place place{known.script, 0};
    for (const KnownOpen& open : known.loader->opens) {
      if (!known_files_.holds(known, open)) continue;
      const bool is_required = open.importance == Importance::Required;
      if (!open.wheel.empty() && !known_files_.site_of_wheel(open.wheel)) {
        std::string text = replaced(import.missing_wheel, "{wheel}", open.wheel);
        const std::string type = text.substr(0, text.find(':'));
        raise_for_wheel(place, type, std::move(text), std::string(open.wheel), known.site);
        continue;
      }
      const std::string path = open.folder.empty() ? std::string(open.names) : known_files_.path_of(known, open);
      const std::size_t next = is_required ? catcher_of("OSError") : new_label();
      const OpenScope scope = import.is_first_global ? OpenScope::Global : OpenScope::Local;
      if (!path.empty())
        open_library(path, scope, place, next);
      else if (is_required)
        raise_missing(known, open, place);
      if (!is_required) place_label(next);
    }
  }

  const FileSystem& files_;
  const Environment& environment_;
  const PythonEnvironment& python_;
  PythonFinder finder_;
  KnownPackageFiles known_files_;
  PythonPlatform platform_;
  int isa_level_;
  PythonProgram program_;
  std::vector<std::size_t> labels_;
  std::vector<Frame> frames_;
  std::vector<std::size_t> guards_ = {0};  ///< what is perhaps not come to, by number: what is around each; 0: nothing
  std::size_t guard_ = 0;                  ///< the innermost around what is planned now
  std::vector<std::vector<std::string>> caught_;       ///< of the handlers whose bodies are planned
  std::vector<std::size_t> ends_;                      ///< labels behind the blocks of a source, the innermost last
  std::map<std::string, Loaded, std::less<>> loaded_;  ///< sys.modules
  std::map<std::string, KnownPackage, std::less<>> known_;
  std::set<std::string, std::less<>> lazy_modules_;
  std::vector<std::string> running_;  ///< modules whose bodies are not at their end
  std::vector<std::uint32_t> lines_;  ///< of each of them the statement that is run
  std::uint64_t bytes_ = 0;
  int guesses_ = 0;  ///< statements around that depend on a condition that was not decided
  int depth_ = 0;
  bool is_path_unknown_ = false;  ///< a source has added to sys.path what is not known
};

}  // namespace

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
