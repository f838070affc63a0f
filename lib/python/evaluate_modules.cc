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
namespace {

/// Of the interpreter's library, apart from packages that are installed in it.
bool is_standard_file(std::string_view file) {
  return file.find("/lib/python3.") != std::string_view::npos && file.find("-packages/") == std::string_view::npos;
}

}  // namespace

Evaluator::Evaluator(const Surroundings& around, PythonFinder finder, const PythonQuestion& question,
                     const PythonAnswers& answers)
    : Operations(own_heap_, around.python.minor_number), around_(around), finder_(std::move(finder)),
      known_files_(around.files, around.environment, finder_),
      known_functions_(own_heap_, around.files, around.python, around.cwd, around.machine.name), question_(question),
      answers_(answers) {
  std::vector<Value> variables;
  std::set<std::string_view> names;
  for (const std::string_view entry : around.environment.entries()) {
    const std::size_t sign = entry.find('=');
    // Of two, Python has the first.
    if (sign == std::string_view::npos || sign == 0 || !names.insert(entry.substr(0, sign)).second) continue;
    variables.push_back(heap_.text(std::string(entry.substr(0, sign))));
    variables.push_back(heap_.text(std::string(entry.substr(sign + 1))));
  }
  variables_ = of(heap_.make(ValueKind::Mapping));
  variables_.items() = std::move(variables);
  variables_.object->text = "os.environ";
  std::vector<Value> path;
  for (const std::string& directory : finder_.path()) path.push_back(heap_.text(directory));
  path_ = heap_.list(std::move(path));
}

PythonTrace Evaluator::run() {
  Module* const start = heap_.make<Module>(ValueKind::Module);
  Frame frame{.module = start, .scope = &start->scope};
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
      Module* const parent = dot == std::string::npos ? nullptr : loaded(missing.substr(0, dot));
      note_other_python(search_of(parent), std::string_view(missing).substr(dot + 1));
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
  path_.items().erase(path_.items().begin());
  is_in_site_ = true;
  for (const PthLine& line : around_.python.code_lines) run_code(line);
  for (const char* module : {"sitecustomize", "usercustomize"}) {
    if (is_stopped_) break;
    import_chain(module);
    if (!is_stopped_) raised_.reset();
  }
  is_in_site_ = false;
  if (path_.is(ValueKind::List) && !path_.has_escaped()) path_.items().insert(path_.items().begin(), heap_.text(cwd));
  finder_.put_cwd(std::move(cwd));
}

void Evaluator::run_code(const PthLine& line) {
  if (is_stopped_) return;
  Module* const module = heap_.make<Module>(ValueKind::Module);
  module->name = "site";
  module->file = line.file;
  module->source = around_.sources.of_text(line.text);
  Frame frame{.module = module, .scope = &module->scope};
  Frame* const outer = std::exchange(frame_, &frame);
  run_block(module->source->body);
  frame_ = outer;
  if (!is_stopped_) raised_.reset();
  note_editables();
}

void Evaluator::finish() {
  if (!raised_) return;
  const Raised raised = *std::exchange(raised_, std::nullopt);
  if (raised.is_cut) return;
  std::string type = "Exception";
  std::optional<std::string> text;
  if (raised.what.is(ValueKind::Instance)) {
    const ClassObject& of = *raised.what.object->type;
    const bool is_own = !of.module.empty() && of.module != "__main__";
    type = (is_own ? of.module + "." : "") + of.text;
    text = shown(raised.what);
    if (raised_) text.reset();
    raised_.reset();
  }
  trace_.exception = !text || text->empty() ? type : type + ": " + *text;
  trace_.has_exception_text = text.has_value();
  trace_.raised_by = raised.raised_by;
  trace_.is_of_operation = raised.is_of_operation;
  trace_.wheel = raised.wheel;
  trace_.site = raised.site;
  if (!trace_.other_python.empty()) blame_other_python(raised, text.value_or(""));
}

// What would have ended the import, had something been decided otherwise.
void Evaluator::doubt(const Raised& raised) {
  constexpr std::size_t kMostDoubts = 50;
  const bool is_nobodys = quiet_ != 0 || is_in_site_ || trace_.doubts.size() >= kMostDoubts;
  // The interpreter's library is known to go well, apart from what it lacks.
  if (is_nobodys || (is_standard_file(raised.raised_by) && !raised.open)) return;
  ImportDoubt made{.place = raised.raised_by, .what = {}};
  if (raised.what.is(ValueKind::Instance)) {
    std::optional<Raised> before = std::exchange(raised_, std::nullopt);
    const ClassObject& of = *raised.what.object->type;
    const auto text = shown(raised.what);
    raised_ = std::move(before);
    const auto is_a = [&](std::string_view name) { return is_derived(of, *exception_class(name)); };
    made.is_grave = raised.open || raised.is_of_module || is_a("ImportError") || is_a("OSError") || is_a("SystemExit");
    made.what = of.text + (text && !text->empty() ? ": " + *text : "");
  }
  const bool is_known = std::any_of(trace_.doubts.begin(), trace_.doubts.end(),
                                    [&](const ImportDoubt& each) { return each.place == made.place; });
  if (!is_known) trace_.doubts.push_back(std::move(made));
}

// A wheel of another Python: its modules are there, and none of them is one for this interpreter. That file is the
// cause, as far as the exception is about its package. Python's own words stay; what the package has made of them ("you
// should not try to import numpy from its source directory") is replaced by the cause.
void Evaluator::blame_other_python(const Raised& raised, const std::string& text) {
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
  const bool is_named =
      text.find("'" + stem + "'") != std::string::npos || text.find("." + stem + "'") != std::string::npos;
  // Python's own words for another name are about that one.
  const bool is_pythons = text.starts_with("No module named '") || text.starts_with("cannot import name '");
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

Module* Evaluator::loaded(std::string_view name) const {
  const auto found = modules_.find(name);
  return found == modules_.end() ? nullptr : found->second;
}

// __path__, or sys.path.
std::vector<std::string> Evaluator::search_of(Module* parent) {
  const auto texts_in = [&](const Value& list) -> std::optional<std::vector<std::string>> {
    if (!list.is_sequence() || list.has_escaped()) return std::nullopt;
    std::vector<std::string> texts;
    for (const Value& item : list.items()) {
      if (!item.is_text()) return std::nullopt;
      // Relative ones, and the empty one, are meant from the current directory.
      if (!item.text().empty())
        texts.push_back(known_functions_.absolute(item.text()));
      else
        texts.push_back(around_.cwd);
    }
    return texts;
  };
  if (parent != nullptr) {
    const auto path = parent->scope.names.find("__path__");
    const auto texts = path == parent->scope.names.end() ? std::nullopt : texts_in(path->second);
    return texts.value_or(parent->search);
  }
  if (const auto texts = texts_in(path_)) return *texts;
  is_path_unknown_ = true;
  return finder_.path();
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

Certainty Evaluator::certainty() const {
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
    if (is_inside(*other, module) && other->certainty.possible < before.possible) settled.push_back(other);
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
  if (Module* const known = loaded(name)) {
    if (known->is_blocked) {
      raise_text("ModuleNotFoundError: import of " + name + " halted; None in sys.modules");
      static_cast<Holder&>(*raised_->what.object).scope.names.emplace("name", heap_.text(name));
      return false;
    }
    if (possible_ < known->certainty.possible) make_certain(*known);
    return true;
  }
  const std::size_t dot = name.rfind('.');
  Module* const parent = dot == std::string::npos ? nullptr : loaded(name.substr(0, dot));
  if (dot != std::string::npos && (parent == nullptr || !parent->is_package)) return false;
  std::optional<PythonModule> found = finder_.find(std::string_view(name).substr(dot + 1), search_of(parent));
  // setuptools puts its own in the place of one of the library, by a line of a .pth file.
  if (name == "distutils" && loaded("_distutils_hack") != nullptr) {
    const std::optional<PythonModule> owner = finder_.find("setuptools", search_of(nullptr));
    auto own = owner ? finder_.find("_distutils", owner->search) : std::nullopt;
    if (own) found = std::move(own);
  }
  if (!found || found->kind == PythonModule::Kind::Namespace) {
    if (auto made = find_editable(name)) found = std::move(made);
  }
  Module* const module = heap_.make<Module>(ValueKind::Module);
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
  // Whatever it was imported for, it is there from now on. What the source puts in its own place is that.
  Module* const now = loaded(name);
  if (parent != nullptr && now != nullptr) parent->scope.names.insert_or_assign(name.substr(dot + 1), of(now));
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
  module.is_standard = is_standard_file(found.file);
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
  raise_text(error != nullptr ? error->type + (error->text.empty() ? "" : ": ") + error->text : "SyntaxError",
             error != nullptr);
  raised_->raised_by = error != nullptr ? module.file + ":" + std::to_string(error->line) : module.file;
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
  auto& names = module.scope.names;
  names["__file__"] = heap_.text(module.file);
  names["__name__"] = heap_.text(module.name);
  names["__package__"] = heap_.text(module.package);
  Object* const spec = heap_.make(ValueKind::Opened);
  spec->text = module.package;
  names["__spec__"] = of(spec);
  names["__doc__"] = Value{};
  if (module.is_package) {
    std::vector<Value> search;
    for (const std::string& directory : module.search) search.push_back(heap_.text(directory));
    names["__path__"] = heap_.list(std::move(search));
  }
  ++depth_;
  Frame frame{.module = &module, .scope = &module.scope};
  Frame* const outer = std::exchange(frame_, &frame);
  const int unknown_calls = unknown_calls_;
  // The steps of its own calls are counted anew.
  const int call_end = std::exchange(call_end_, 0);
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
  const bool is_missing = raised_ && (raised_->open || raised_->is_of_table ||
                                      (raised_->what.is(ValueKind::Instance) &&
                                       is_derived(*raised_->what.object->type, *exception_class("ImportError"))));
  // Nor does the interpreter's library raise anything else: that is something that is not known here.
  if (module.is_standard && raised_ && !is_missing && !is_stopped_ && !raised_->is_cut) {
    raised_.reset();
    module.is_open = true;
  }
  // What its own calls might raise is no concern of who imports it.
  unknown_calls_ = unknown_calls;
  call_end_ = call_end;
}

void Evaluator::open_extension(Module& module, const std::string& file) {
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
    ClassObject& type = *exception_class(is_module ? "ImportError" : "OSError");
    const Value made = make_exception(type, {heap_.text(what.failure)});
    if (is_module) made.object->text = what.module;
    raise({.what = made, .open = number});
    is_stopped_ = failed->second.is_process_over;
  }
  trace_.opens.push_back(std::move(what));
}

// "TYPE: TEXT"
void Evaluator::raise_text(const std::string& text, bool is_known, std::string wheel, std::string site) {
  const std::size_t colon = text.find(": ");
  const std::string type = text.substr(0, colon);
  const std::string_view last = std::string_view(type).substr(type.rfind('.') + 1);
  ClassObject* made = exception_class(type);
  if (made == nullptr) {
    // importlib.metadata.PackageNotFoundError is a ModuleNotFoundError, FrozenInstanceError an AttributeError.
    const bool is_of_package = last == "PackageNotFoundError";
    ClassObject* const base = exception_class(is_of_package                   ? "ModuleNotFoundError"
                                              : last == "FrozenInstanceError" ? "AttributeError"
                                                                              : "Exception");
    made = heap_.make<ClassObject>(ValueKind::Class);
    made->text = type;
    made->order = {made};
    made->order.insert(made->order.end(), base->order.begin(), base->order.end());
  }
  std::vector<Value> args;
  if (colon != std::string::npos) args.push_back(heap_.text(text.substr(colon + 2)));
  const auto is_a = [&](std::string_view name) { return is_derived(*made, *exception_class(name)); };
  const bool is_of_import = is_a("ImportError") || is_a("OSError") || is_a("SyntaxError") || type == "NameError" ||
                            text.starts_with("AttributeError: module '");
  const bool is_of_key = made->text == "KeyError" && colon != std::string::npos;
  const Value what = make_exception(*made, std::move(args));
  what.object->has_escaped = !is_known;
  if (is_of_key && is_known) what.object->items[0] = heap_.make_text(ValueKind::Known, text.substr(colon + 2));
  raise({.what = what,
         .raised_by = by_file_.empty() ? frame_->module->file + ":" + std::to_string(line_) : by_file_,
         .is_of_table = !by_file_.empty(),
         .is_of_operation = by_file_.empty() && !is_of_import,
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
  Module* const package = dot == std::string::npos ? nullptr : loaded(missing.substr(0, dot));
  const bool is_gone = package != nullptr && is_removed(*package, std::string_view(missing).substr(dot + 1));
  if (dot != std::string::npos && !is_gone) {
    if (!package->is_package || (package->file.empty() && !package->is_namespace)) return;
    if (!is_expected("ModuleNotFoundError") && makes_modules(*package)) return;
    note_other_python(package->search, std::string_view(missing).substr(dot + 1));
  } else if (dot == std::string::npos) {
    note_other_python(finder_.path(), missing);
  }
  raise_text("ModuleNotFoundError: No module named '" + missing + "'");
  static_cast<Holder&>(*raised_->what.object).scope.names.emplace("name", heap_.text(missing));
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

bool Evaluator::makes_modules(const Module& package) const {
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
  Scope& scope = static_cast<Holder&>(*raised_->what.object).scope;
  scope.names.emplace("name", heap_.text(module.name));
  scope.names.emplace("path", module.is_namespace ? Value{} : heap_.text(module.file));
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

}  // namespace soresolve::python
