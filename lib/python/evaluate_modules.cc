// The import system: which file a module is, what running it opens, which names it gives.
//
// Sources: CPython importlib._bootstrap (_find_and_load, _handle_fromlist: a module whose body raises is taken out of
// sys.modules again, so that the next import runs it anew), Python/ceval.c:import_from.
#include <algorithm>
#include <utility>

#include "base/path.h"
#include "base/small_file.h"
#include "python/evaluator.h"
#include "python/interpreter.h"
#include "python/tokens.h"

namespace soresolve::python {
Evaluator::Evaluator(const Surroundings& around, PythonFinder finder, const PythonQuestion& question,
                     const PythonAnswers& answers)
    : around_(around), finder_(std::move(finder)), known_files_(around.files, around.environment, finder_),
      known_functions_(around.files, around.environment, around.python, around.cwd, around.machine.name),
      question_(question), answers_(answers) {}

Evaluator::~Evaluator() {
  for (const std::shared_ptr<Scope>& scope : captured_) {
    scope->names.clear();
    scope->outer.reset();
  }
}

PythonTrace Evaluator::run() {
  Frame frame{std::make_shared<Module>(), std::make_shared<Scope>()};
  frame_ = &frame;
  if (question_.module.empty()) {
    run_packages();
  } else {
    run_site();
    const bool is_there = is_over() || import_chain(question_.module);
    const Module* const maker = is_there ? nullptr : unread_editable(question_.module);
    if (maker != nullptr && !is_over()) {
      trace_.made_by = maker->file;
    } else if (!is_there && !is_over()) {
      const std::string missing = first_missing(question_.module);
      const std::size_t dot = missing.rfind('.');
      const std::shared_ptr<Module> parent = dot == std::string::npos ? nullptr : loaded(missing.substr(0, dot));
      note_other_python(parent ? parent->search : finder_.path(), std::string_view(missing).substr(dot + 1));
      raise_text("ModuleNotFoundError: No module named '" + missing + "'");
      raised_->raised_by.clear();
    }
  }
  finish();
  return std::move(trace_);
}

// What the interpreter imports at its start: by code in .pth files, and two modules whose names are agreed on. An
// exception there is printed, and it goes on. Source: CPython Lib/site.py:addpackage, execsitecustomize.
void Evaluator::run_site() {
  std::string cwd = finder_.take_cwd();
  is_in_site_ = true;
  for (const PthLine& line : around_.python.code_lines) run_code(line);
  for (const char* module : {"sitecustomize", "usercustomize"}) {
    if (is_stopped_) break;
    import_chain(module);
    if (!is_stopped_) raised_.reset();
  }
  is_in_site_ = false;
  finder_.put_cwd(std::move(cwd));
}

void Evaluator::run_code(const PthLine& line) {
  if (is_stopped_) return;
  const auto module = std::make_shared<Module>();
  module->name = "site";
  module->file = line.file;
  module->source = around_.sources.of_text(line.text);
  Frame frame{module, module->scope};
  Frame* const outer = std::exchange(frame_, &frame);
  run_block(module->source->body);
  frame_ = outer;
  if (!is_stopped_) raised_.reset();
  note_editables();
}

void Evaluator::finish() {
  if (!raised_) return;
  const Raised& raised = *raised_;
  const std::string type = raised.types.empty() ? "Exception" : raised.types.front();
  trace_.exception = raised.text.empty() ? type : type + ": " + raised.text;
  trace_.has_exception_text = raised.is_text_known;
  trace_.raised_by = raised.raised_by;
  trace_.wheel = raised.wheel;
  trace_.site = raised.site;
  if (!trace_.other_python.empty()) blame_other_python(raised);
}

// A wheel of another Python: its modules are there, and none of them is one for this interpreter. That file is the
// cause, as far as the exception is about its package. Python's own words stay; what the package has made of them ("you
// should not try to import numpy from its source directory") is replaced by the cause.
void Evaluator::blame_other_python(const Raised& raised) {
  const std::string& file = trace_.other_python;
  const std::string_view name = file_name_of(file);
  const std::string stem(name.substr(0, name.find('.')));
  const auto is_of_package = [&](std::string_view at) {
    const std::string_view top = trace_.other_python;
    const std::size_t site = top.rfind("-packages/");
    if (site == std::string_view::npos) return at.starts_with(directory_of(file));
    const std::size_t begin = site + std::string_view("-packages/").size();
    return at.starts_with(top.substr(0, top.find('/', begin) + 1));
  };
  const bool is_named = raised.text.find("'" + stem + "'") != std::string::npos ||
                        raised.text.find("." + stem + "'") != std::string::npos;
  // Python's own words for another name are about that one.
  const bool is_pythons =
      raised.text.starts_with("No module named '") || raised.text.starts_with("cannot import name '");
  const bool is_about = is_named || (!is_pythons && is_of_package(raised.raised_by));
  if (!is_about || raised.open) {
    trace_.other_python.clear();
    return;
  }
  if (is_named && is_pythons) return;
  const PythonTag tag = python_tag(name);
  trace_.exception = "ImportError: " + stem + " is built for " + (tag.implementation == "pypy" ? "PyPy " : "CPython ") +
                     tag.version() + ", this is CPython 3." + std::to_string(around_.python.minor_number) + " (" +
                     file + ")";
  trace_.has_exception_text = true;
}

void Evaluator::limit(std::string_view sentence, std::uint64_t most) {
  soresolve::Statement said = say(sentence, {{"count", most}});
  if (std::find(trace_.limits.begin(), trace_.limits.end(), said) == trace_.limits.end())
    trace_.limits.push_back(std::move(said));
}

std::shared_ptr<Evaluator::Module> Evaluator::loaded(std::string_view name) const {
  const auto found = modules_.find(name);
  return found == modules_.end() ? nullptr : found->second;
}

std::string Evaluator::first_missing(std::string_view module) const {
  for (std::size_t dot = module.find('.');; dot = module.find('.', dot + 1)) {
    const std::string_view name = module.substr(0, dot);
    if (!loaded(name) || dot == std::string_view::npos) return std::string(name);
  }
}

// import a.b.c: a, a.b, a.b.c. False where one of them is nowhere, or its import raises.
bool Evaluator::import_chain(std::string_view name) {
  for (std::size_t dot = name.find('.');; dot = name.find('.', dot + 1)) {
    if (!import_one(std::string(name.substr(0, dot)))) return false;
    if (dot == std::string_view::npos) return true;
  }
}

Evaluator::Certainty Evaluator::certainty() const {
  return {possible_, undecided_ - possible_ + call_depth_ + (is_loop_uncertain_ ? 1 : 0)};
}

// Of a module that was perhaps imported, and surely is now, or in what is less of a possibility: what its import opened
// counts as if it had been made here.
void Evaluator::make_certain(Module& module) {
  const Certainty before = module.certainty;
  const Certainty now = certainty();
  const auto is_inside = [](const Module& inner, const Module& outer) {
    return inner.first_open >= outer.first_open && inner.opens_end <= outer.opens_end;
  };
  // What was made certain by itself before, with all that it opened.
  std::vector<const Module*> settled;
  for (const auto& [name, other] : modules_) {
    if (is_inside(*other, module) && other->certainty.possible < before.possible) settled.push_back(other.get());
  }
  const auto raise = [&](Certainty& each) {
    each.possible -= before.possible - now.possible;
    each.guesses += now.guesses - before.guesses + 1;  // when it is done is not known
  };
  for (std::size_t i = module.first_open; i < module.opens_end; ++i) {
    const auto has = [&](const Module* one) { return one->first_open <= i && i < one->opens_end; };
    if (std::any_of(settled.begin(), settled.end(), has)) continue;
    raise(certainties_[i]);
    trace_.opens[i].evidence = certainties_[i].evidence();
  }
  for (const auto& entry : modules_) {
    Module& other = *entry.second;
    const auto has = [&](const Module* one) { return is_inside(other, *one); };
    if (is_inside(other, module) && std::none_of(settled.begin(), settled.end(), has)) raise(other.certainty);
  }
}

bool Evaluator::import_one(const std::string& name) {
  if (is_over()) return false;
  if (const std::shared_ptr<Module> known = loaded(name)) {
    if (possible_ < known->certainty.possible) make_certain(*known);
    return true;
  }
  const std::size_t dot = name.rfind('.');
  const std::shared_ptr<Module> parent = dot == std::string::npos ? nullptr : loaded(name.substr(0, dot));
  if (dot != std::string::npos && (!parent || !parent->is_package)) return false;
  std::optional<PythonModule> found =
      finder_.find(std::string_view(name).substr(dot + 1), parent ? parent->search : finder_.path());
  if (!found || found->kind == PythonModule::Kind::Namespace) {
    if (auto made = find_editable(name)) found = std::move(made);
  }
  const auto module = std::make_shared<Module>();
  module->name = name;
  module->is_open = true;
  // A folder without a source is what is left where nothing else has the name: /sys, imported in "/", is not sys.
  if (!found || found->kind == PythonModule::Kind::Namespace) {
    const bool is_built_in = dot == std::string::npos && is_built_in_module(name);
    if (is_built_in) {
      module->native_file = around_.python.interpreter;
      modules_[name] = module;
    }
    if (is_built_in || !found) return is_built_in;
  }
  module->is_package = found->is_package;
  module->search = found->search;
  module->is_namespace = found->kind == PythonModule::Kind::Namespace;
  module->package = found->is_package ? name : parent ? name.substr(0, dot) : std::string();
  module->certainty = certainty();
  module->first_open = trace_.opens.size();
  modules_[name] = module;
  run_module(*module, *found);
  module->opens_end = trace_.opens.size();
  if (is_over()) {
    modules_.erase(name);
    return false;
  }
  if (parent) parent->scope->names[name.substr(dot + 1)] = {.kind = ValueKind::Module, .text = name};
  return true;
}

void Evaluator::run_module(Module& module, const PythonModule& found) {
  switch (found.kind) {
    case PythonModule::Kind::Namespace: return;
    case PythonModule::Kind::Bytecode: return limit("import-bytecode", 0);
    case PythonModule::Kind::Extension: module.native_file = found.file; return open_extension(module, found.file);
    case PythonModule::Kind::Source: break;
  }
  module.file = found.file;
  if (depth_ >= kMaxImportDepth) return limit("import-cut-depth", kMaxImportDepth);
  if (trace_.source_count >= kMaxPythonSources) return limit("import-cut-sources", kMaxPythonSources);
  module.source = around_.sources.read(found.file);
  if (!module.source || bytes_ + module.source->text.size() > kMaxPythonBytes)
    return limit("import-cut-bytes", kMaxPythonSourceBytes);
  ++trace_.source_count;
  bytes_ += module.source->text.size();
  if (is_compiled(module)) run_source(module);
}

// A source that is not understood may be one that Python refuses: what the import comes to is not known then, unless it
// is not known to be made at all.
bool Evaluator::is_compiled(const Module& module) {
  const Source& source = *module.source;
  const CompileError* error = around_.sources.error_of(source, around_.python.minor_number,
                                                       [this](std::string_view name) { return has_codec(name); });
  if (error == nullptr && source.failures.unread == nullptr) return true;
  if (error == nullptr && (is_in_site_ || possible_ != 0)) return true;
  if (error == nullptr && undecided_ == 0) {
    trace_.unread = module.file;
    trace_.unread_line = static_cast<std::uint32_t>(std::count(source.text.data(), source.failures.unread, '\n')) + 1;
    is_stopped_ = true;
    return false;
  }
  std::vector<std::string> types = {"SyntaxError", "Exception", "BaseException"};
  if (error != nullptr && error->type != types.front()) types.insert(types.begin(), error->type);
  if (types.front() == "TabError") types.insert(types.begin() + 1, "IndentationError");
  if (types.front().ends_with("ValueError")) types.insert(types.begin() + 1, "ValueError");
  raise({.types = std::move(types),
         .text = error != nullptr ? error->text : std::string(),
         .is_text_known = error != nullptr,
         .raised_by = error != nullptr ? module.file + ":" + std::to_string(error->line) : module.file});
  return false;
}

// A module of `encodings`, or another name of one; also where code that runs at the start speaks of codecs or of this
// one (future_fstrings). Most such code, of setuptools and of namespaces, adds none.
bool Evaluator::has_codec(std::string_view name) const {
  std::string module(name);
  std::replace(module.begin(), module.end(), '-', '_');
  const auto speaks_of_it = [&](const PthLine& one) {
    const std::string_view line = one.text;
    return line.find("codec") != std::string_view::npos || line.find(name) != std::string_view::npos ||
           line.find(module) != std::string_view::npos;
  };
  const auto& lines = around_.python.code_lines;
  if (std::any_of(lines.begin(), lines.end(), speaks_of_it)) return true;
  bool has_none = true;
  for (const std::string& directory : finder_.path()) {
    const auto aliases =
        read_small_file(around_.files, path_in(directory, "encodings/aliases.py"), kMaxPythonSourceBytes);
    if (!aliases) continue;
    if (known_functions_.exists(path_in(directory, "encodings/" + module + ".py")) || has_word(*aliases, module))
      return true;
    has_none = false;
  }
  return has_none;
}

void Evaluator::run_source(Module& module) {
  const std::string top(top_of(module.name));
  const bool is_top = top == module.name;
  module.is_open = false;
  std::map<std::string, Value, std::less<>>& names = module.scope->names;
  names["__file__"] = text(module.file);
  names["__name__"] = text(module.name);
  names["__package__"] = text(module.package);
  names["__spec__"] = {.kind = ValueKind::Object, .text = module.package};
  if (module.is_package) {
    std::vector<Value> search;
    for (const std::string& directory : module.search) search.push_back(text(directory));
    names["__path__"] = list(std::move(search));
  }
  ++depth_;
  Frame frame{modules_[module.name], module.scope};
  Frame* const outer = std::exchange(frame_, &frame);
  const std::uint32_t line = line_;
  const int loops = std::exchange(loops_, 0);
  const bool was_uncertain = std::exchange(is_loop_uncertain_, false);
  std::vector<Raised> handled = std::exchange(handled_, {});
  // What its statements open is opened by itself, and not by the package that has it imported.
  std::string by_file = std::exchange(by_file_, {});
  std::string by_package = std::exchange(by_package_, {});
  module.is_running = true;
  if (is_top) note_known_package(module);
  do_at(top, KnownMoment::Side::Before, module.name);
  if (!is_over()) run_block(module.source->body);
  if (!is_over()) do_at(top, KnownMoment::Side::After, module.name);
  if (!is_over() && is_top) do_known_package(module.name);
  module.is_running = false;
  by_package_ = std::move(by_package);
  by_file_ = std::move(by_file);
  handled_ = std::move(handled);
  is_loop_uncertain_ = was_uncertain;
  loops_ = loops;
  line_ = line;
  frame_ = outer;
  --depth_;
}

void Evaluator::open_extension(const Module& module, const std::string& file) {
  const std::string top(top_of(module.name));
  do_known_package(top);
  if (is_over()) return;
  PythonOpen what{.module = module.name, .file = file};
  constexpr std::int64_t kGlobal = 0x100;
  if (lazy_modules_.contains(module.name))
    what.mode = {.scope = OpenScope::Global, .bind_time = BindTime::AsAsked};
  else if ((dlopen_flags_ & kGlobal) != 0)
    what.mode.scope = OpenScope::Global;
  open(std::move(what));
  if (!is_over()) import_from_native(module, file);
  if (!is_over()) do_at(top, KnownMoment::Side::After, module.name);
}

// A dlopen; one that fails, as far as that is known, raises.
void Evaluator::open(PythonOpen what) {
  if (is_over()) return;
  if (question_.stops_before && question_.stops_before(what.file)) {
    is_stopped_ = true;
    return;
  }
  const std::size_t number = trace_.opens.size();
  if (number >= kMaxPythonOpens) return limit("import-cut-steps", kMaxPythonOpens);
  what.by_file = by_file_.empty() ? frame_->module->file : by_file_;
  what.by_line = by_file_.empty() ? line_ : 0;
  what.by_package = by_package_;
  certainties_.push_back(certainty());
  what.evidence = certainties_.back().evidence();
  const bool is_module = !what.module.empty();
  const auto failed = answers_.failures.find(number);
  if (failed != answers_.failures.end()) {
    what.failure = failed->second.message;
    what.ends_process = failed->second.is_process_over;
    const Value type = KnownFunctions::exception_class(is_module ? "ImportError" : "OSError");
    raise({.types = *type.types, .text = what.failure, .is_text_known = true, .open = number});
    is_stopped_ = failed->second.is_process_over;
  }
  trace_.opens.push_back(std::move(what));
}

// "TYPE: TEXT"
void Evaluator::raise_text(std::string text, std::string wheel, std::string site) {
  const std::size_t colon = text.find(": ");
  std::string type = text.substr(0, colon);
  const std::string_view last = std::string_view(type).substr(type.rfind('.') + 1);
  // importlib.metadata.PackageNotFoundError is a ModuleNotFoundError.
  const bool is_of_package = last == "PackageNotFoundError";
  const Value known = KnownFunctions::exception_class(is_of_package ? "ModuleNotFoundError" : last);
  std::vector<std::string> types =
      known.is_unknown() ? std::vector<std::string>{"", "Exception", "BaseException"} : *known.types;
  if (is_of_package) types.insert(types.begin(), std::string());
  types.front() = std::move(type);
  std::string place = by_file_.empty() ? frame_->module->file + ":" + std::to_string(line_) : by_file_;
  raise({.types = std::move(types),
         .text = colon == std::string::npos ? std::string() : text.substr(colon + 2),
         .is_text_known = true,
         .raised_by = std::move(place),
         .is_of_table = !by_file_.empty(),
         .wheel = std::move(wheel),
         .site = std::move(site)});
}

// Is there a module of this name for other interpreters only? Not beside modules for this one: there it is left over.
void Evaluator::note_other_python(const std::vector<std::string>& directories, std::string_view name) {
  if (around_.python.minor_number == 0) return;
  for (const std::string& directory : directories) {
    const Result<std::vector<std::string>, Errno> names = around_.files.list_directory(directory);
    std::string other;
    bool has_own = false;
    for (const std::string& file : names ? *names : std::vector<std::string>()) {
      const PythonTag tag = python_tag(file);
      if (tag.implementation.empty() || tag.is_stable_abi) continue;
      const bool is_own = tag.implementation == "cpython" && tag.minor_number == around_.python.minor_number;
      has_own = has_own || is_own;
      if (!is_own && tag.minor_number != 0 && std::string_view(file).substr(0, file.find('.')) == name) other = file;
    }
    if (other.empty() || has_own) continue;
    if (trace_.other_python.empty()) trace_.other_python = path_in(directory, other);
    return;
  }
}

// A module that is nowhere. One in a package may be made by code: there it counts where the source itself expects
// that it may be missing, or where nothing in the package's source makes modules.
void Evaluator::raise_missing_module(std::string_view name) {
  if (is_over()) return;
  ++unknown_calls_;  // where it is no failure, it may be one
  if (name.empty() || is_path_unknown_ || around_.pth_code.may_make(name)) return;
  const std::string missing = first_missing(name);
  const std::size_t dot = missing.rfind('.');
  const std::shared_ptr<Module> package = dot == std::string::npos ? nullptr : loaded(missing.substr(0, dot));
  const bool is_gone = package && is_removed(*package, std::string_view(missing).substr(dot + 1));
  if (dot != std::string::npos && !is_gone) {
    const std::shared_ptr<Module>& parent = package;
    if (!parent->is_package || (parent->file.empty() && !parent->is_namespace)) return;
    if (!is_expected("ModuleNotFoundError") && makes_modules(*parent)) return;
    note_other_python(parent->search, std::string_view(missing).substr(dot + 1));
  } else if (dot == std::string::npos) {
    note_other_python(finder_.path(), missing);
  }
  raise_text("ModuleNotFoundError: No module named '" + missing + "'");
}

// Its own package has brought a module of this name, and its file is gone: nothing else was to make it.
bool Evaluator::is_removed(const Module& package, std::string_view name) const {
  if (!around_.machine.is_recorded) return false;
  const auto is_listed = [&](const std::string& file) {
    return around_.machine.is_recorded(file) && !around_.files.status(file);
  };
  return std::any_of(package.search.begin(), package.search.end(), [&](const std::string& directory) {
    const std::string stem = path_in(directory, name);
    return is_listed(stem + ".py") || is_listed(stem + "/__init__.py") ||
           std::any_of(finder_.suffixes().begin(), finder_.suffixes().end(),
                       [&](const std::string& suffix) { return is_listed(stem + suffix); });
  });
}

bool Evaluator::import_or_raise(const std::string& name) {
  if (import_chain(name)) return true;
  raise_missing_module(name);
  return false;
}

bool Evaluator::makes_modules(const Module& package) {
  return !package.is_namespace && (!package.source || package.source->may_make_modules());
}

// Is a name that is not in the module's scope really not there? Not where its source has the word outside functions, as
// far as it has been carried out, nor where something else may have made it.
bool Evaluator::lacks_name(const Module& module, const std::string& name) const {
  if (is_path_unknown_ || around_.pth_code.may_make(module.name)) return false;
  if (module.is_namespace) return true;  // no source gives it names
  return module.source && !module.is_open && !name.starts_with("__") && !module.source->may_make_names() &&
         !module.source->changed_by_functions.contains(name) &&
         !around_.sources.has_word(*module.source, module.is_running ? module.line : UINT32_MAX, name);
}

void Evaluator::raise_missing_name(const Module& module, const std::string& name) {
  raise_text("ImportError: cannot import name '" + name + "' from " +
             (module.is_running ? "partially initialized module '" : "'") + module.name + "'" +
             (module.is_running ? " (most likely due to a circular import)" : "") + " (" +
             (module.is_namespace ? "unknown location" : module.file) + ")");
}

// The module that a From names; empty: there is none above.
std::string Evaluator::absolute_name(std::string_view name, std::uint32_t level) const {
  if (level == 0) return std::string(name);
  std::string package = frame_->module->package;
  for (std::uint32_t up = 1; up < level; ++up) {
    const std::size_t dot = package.rfind('.');
    if (dot == std::string::npos) return {};
    package.resize(dot);
  }
  if (package.empty() || name.empty()) return package + std::string(name);
  return package + "." + std::string(name);
}

// What the module's own __getattr__ makes of a name that it has not. A library that cannot be loaded there is a
// failure.
Value Evaluator::ask_module(const Module& module, std::string_view name) {
  const auto hook = module.scope->names.find("__getattr__");
  const bool has_hook = hook != module.scope->names.end() && hook->second.is(ValueKind::Function);
  if (!has_hook || name.starts_with("__") || is_over()) return {};
  const Value made = follow(*hook->second.closure, Arguments({text(std::string(name))}), Follow::Always);
  if (raised_ && !is_stopped_ && !raised_->open && !raised_->is_of_table) raised_.reset();
  return made;
}

Value Evaluator::attribute_of(const std::string& module, std::string_view name) {
  const std::string dotted = module + "." + std::string(name);
  if (Value known = known_functions_.named(dotted); !known.is_unknown()) return known;
  if (const auto found = loaded(module)) {
    const auto value = found->scope->names.find(name);
    if (value != found->scope->names.end()) return value->second;
    if (!found->native_file.empty() && !loaded(dotted)) return native(found->native_file);
    if (Value made = ask_module(*found, name); !made.is_unknown()) return made;
  }
  return loaded(dotted) ? Value{.kind = ValueKind::Module, .text = dotted} : Value{};
}

void Evaluator::import_statement(const Statement& statement) {
  for (const Alias& alias : statement.aliases) {
    const std::string name(alias.name);
    const bool is_there = import_or_raise(name);
    if (is_over()) return;
    const std::string bound(alias.other.empty() ? top_of(alias.name) : alias.name);
    const std::string_view as = alias.other.empty() ? top_of(alias.name) : alias.other;
    set(as, is_there ? Value{.kind = ValueKind::Module, .text = bound} : Value{});
  }
}

void Evaluator::from_statement(const Statement& statement) {
  const std::string base = absolute_name(statement.text, statement.level);
  const bool is_there = !base.empty() && (import_chain(base) || (raise_missing_module(base), false));
  if (is_over()) return;
  const std::shared_ptr<Module> module = is_there ? loaded(base) : nullptr;
  for (const Alias& alias : statement.aliases) {
    if (alias.name == "*") {
      if (module)
        take_all(*module);
      else
        frame_->module->is_open = true;
    } else {
      const std::string name(alias.name);
      Value value = module ? take_name(module, name) : known_functions_.named(base + "." + name);
      if (is_over()) return;
      set(alias.other.empty() ? alias.name : alias.other, std::move(value));
    }
    if (is_over()) return;
  }
}

// What `from module import name` gets.
Value Evaluator::take_name(const std::shared_ptr<Module>& module, const std::string& name) {
  const std::string dotted = module->name + "." + name;
  Value known = known_functions_.named(dotted);
  const auto bound = module->scope->names.find(name);
  if (bound != module->scope->names.end()) {
    const bool is_member = bound->second.is(ValueKind::Module) && bound->second.text == dotted;
    if (is_member) import_one(dotted);  // perhaps it is there because of what was perhaps done
    return known.is_unknown() ? bound->second : known;
  }
  if (Value made = ask_module(*module, name); !made.is_unknown() || is_over()) return made;
  if (module->is_package && import_one(dotted)) return {.kind = ValueKind::Module, .text = dotted};
  if (is_over() || !known.is_unknown()) return known;
  ++unknown_calls_;
  if (lacks_name(*module, name) || is_removed(*module, name)) {
    if (module->is_package) note_other_python(module->search, name);
    raise_missing_name(*module, name);
  }
  return {};
}

// Which names a module hands out is not known: its __getattr__ may be asked for all that it imports.
void Evaluator::import_by_hook(const Module& module) {
  const auto hook = module.scope->names.find("__getattr__");
  const bool has_hook = hook != module.scope->names.end() && hook->second.is(ValueKind::Function);
  if (!has_hook || !running_.insert(hook->second.closure->function.get()).second) return;
  const FunctionBody& body = around_.sources.body_of(hook->second.closure->function);
  Frame frame{loaded(module.name), std::make_shared<Scope>(), true};
  Frame* const outer = std::exchange(frame_, &frame);
  import_perhaps(body.statements);
  for (const Statement& statement : body.statements) {
    for (const Clause& clause : statement.clauses) import_perhaps(clause.body);
  }
  frame_ = outer;
  running_.erase(hook->second.closure->function.get());
}

// from module import *: what __all__ names, modules of a package among it, else all names without an underscore.
void Evaluator::take_all(const Module& module) {
  const std::map<std::string, Value, std::less<>> names = module.scope->names;
  const auto all = names.find("__all__");
  const bool is_listed = all != names.end() && all->second.is(ValueKind::List);
  if (module.is_open || (all != names.end() && !is_listed)) frame_->module->is_open = true;
  if (!is_listed) import_by_hook(module);
  if (!is_listed) {
    for (const auto& [name, value] : names) {
      if (!name.starts_with('_')) set(name, value);
    }
    return;
  }
  const std::shared_ptr<Module> from = loaded(module.name);
  for (const Value& name : *all->second.items) {
    if (!name.is_text() || !from) continue;
    const auto bound = names.find(name.text);
    const bool is_module = bound == names.end() && module.is_package && import_one(module.name + "." + name.text);
    if (is_over()) return;
    set(name.text, bound != names.end() ? bound->second
                   : is_module          ? Value{.kind = ValueKind::Module, .text = module.name + "." + name.text}
                                        : Value{});
  }
}

}  // namespace soresolve::python
