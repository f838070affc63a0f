// Statements that import, and the names that modules give.
//
// Source: CPython Python/ceval.c:import_from, import_all_from; importlib._bootstrap (_handle_fromlist).
#include <algorithm>
#include <utility>

#include "python/evaluator.h"
#include "python/tokens.h"

namespace soresolve::python {

// What the interpreter has only where it is frozen, on another system, or of another implementation.
bool Evaluator::is_lacked(std::string_view module, std::string_view name) {
  constexpr std::string_view kSys =
      "_base_executable _baserepl _clear_internal_caches _clear_type_cache _clear_type_descriptors "
      "_current_exceptions _current_frames _deactivate_opcache _debugmallocstats _emscripten_info _framework "
      "_get_cpu_count_config _getframe _getframemodulename _getquickenedcount _git _home _is_gil_enabled "
      "_is_immortal _is_interned _jit _setprofileallthreads _settraceallthreads _stdlib_dir _xoptions abiflags "
      "activate_stack_trampoline addaudithook api_version argv audit base_exec_prefix base_prefix breakpointhook "
      "builtin_module_names byteorder call_tracing callstats copyright deactivate_stack_trampoline displayhook "
      "dont_write_bytecode exc_info excepthook exception exec_prefix executable exit flags float_info "
      "float_repr_style get_asyncgen_hooks get_coroutine_origin_tracking_depth get_coroutine_wrapper "
      "get_int_max_str_digits get_lazy_imports getallocatedblocks getcheckinterval getdefaultencoding "
      "getdlopenflags getfilesystemencodeerrors getfilesystemencoding getobjects getprofile getrecursionlimit "
      "getrefcount getsizeof getswitchinterval gettrace getunicodeinternedsize hash_info hexversion implementation "
      "int_info intern is_finalizing is_remote_debug_enabled is_stack_trampoline_active last_exc last_traceback "
      "last_type last_value maxsize maxunicode meta_path modules monitoring orig_argv path path_hooks "
      "path_importer_cache platform platlibdir prefix ps1 ps2 pycache_prefix remote_exec set_asyncgen_hooks "
      "set_coroutine_origin_tracking_depth set_coroutine_wrapper set_int_max_str_digits set_lazy_imports "
      "setcheckinterval setdlopenflags setprofile setrecursionlimit setswitchinterval settrace stderr stdin "
      "stdlib_module_names stdout thread_info tracebacklimit unraisablehook version version_info warnoptions";
  constexpr std::pair<std::string_view, std::string_view> kLacked[] = {{"os", "add_dll_directory"},
                                                                       {"os", "startfile"},
                                                                       {"ctypes", "windll"},
                                                                       {"ctypes", "WinDLL"},
                                                                       {"ctypes", "oledll"}};
  if (module == "sys") return !name.starts_with("__") && !has_word(kSys, name);
  return std::find(std::begin(kLacked), std::end(kLacked), std::pair(module, name)) != std::end(kLacked);
}

// What the module's own __getattr__ makes of a name that it has not.
Value Evaluator::ask_module(Module& module, std::string_view name) {
  const auto hook = module.scope.names.find("__getattr__");
  const bool has_hook = hook != module.scope.names.end() && hook->second.is(ValueKind::Function);
  if (!has_hook || name.starts_with("__") || is_over()) return {};
  auto& function = static_cast<FunctionObject&>(*hook->second.object);
  const Arguments given({heap_.text(std::string(name))});
  if (!module.is_open) return follow(function, given, Follow::Always);
  // It may be there, and nobody asks.
  perhaps([&] { follow(function, given, Follow::Always); });
  return {};
}

// `is_certain`: what it has not got raises.
Value Evaluator::attribute_of(Module& module, std::string_view name, bool is_certain) {
  const std::string dotted = module.name + "." + std::string(name);
  if (module.name == "sys" && name == "path") return path_;
  if (module.name == "os" && name == "environ") return variables_;
  if (Value known = known_functions_.named(dotted); !known.is_unknown()) return known;
  const auto value = module.scope.names.find(name);
  if (value != module.scope.names.end()) return module.scope.escaped.contains(name) ? Value{} : value->second;
  if (name == "__name__") return heap_.text(module.name);
  if (name == "__dict__") return names_of(of(&module));
  if (is_certain && is_lacked(module.name, name)) {
    raise_text("AttributeError: module '" + module.name + "' has no attribute '" + std::string(name) + "'");
    return {};
  }
  if (!module.native_file.empty() && !loaded(dotted)) return heap_.native(module.native_file);
  const auto hook = module.scope.names.find("__getattr__");
  if (hook != module.scope.names.end()) return ask_module(module, name);
  if (Module* const member = loaded(dotted)) return of(member);
  const bool is_nowhere = is_certain && !name.starts_with("__") && lacks_name(module, std::string(name)) &&
                          !known_.contains(std::string(top_of(module.name))) && !is_removed(module, name);
  if (is_nowhere && !module.is_standard)
    raise_text("AttributeError: module '" + module.name + "' has no attribute '" + std::string(name) + "'",
               !module.is_running);
  return {};
}

void Evaluator::import_statement(const Statement& statement) {
  for (const Alias& alias : statement.aliases) {
    const bool is_there = import_or_raise(std::string(alias.name));
    if (is_over()) return;
    Module* const module = is_there ? loaded(alias.other.empty() ? top_of(alias.name) : alias.name) : nullptr;
    set(alias.other.empty() ? top_of(alias.name) : alias.other, module == nullptr ? Value{} : of(module));
  }
}

void Evaluator::from_statement(const Statement& statement) {
  const std::string base = absolute_name(statement.text, statement.level);
  if (base.empty() && statement.level > 0)
    return raise_text(frame_->module->package.empty()
                          ? "ImportError: attempted relative import with no known parent package"
                          : "ImportError: attempted relative import beyond top-level package");
  const bool is_there = !base.empty() && (import_chain(base) || (raise_missing_module(base), false));
  if (is_over()) return;
  Module* const module = is_there ? loaded(base) : nullptr;
  for (const Alias& alias : statement.aliases) {
    if (alias.name == "*") {
      if (module != nullptr)
        take_all(*module);
      else
        frame_->module->is_open = true;
    } else {
      const std::string name(alias.name);
      const Value value = module != nullptr ? take_name(*module, name) : known_functions_.named(base + "." + name);
      if (is_over()) return;
      set(alias.other.empty() ? alias.name : alias.other, value);
    }
    if (is_over()) return;
  }
}

// What `from module import name` gets.
Value Evaluator::take_name(Module& module, const std::string& name) {
  const std::string dotted = module.name + "." + name;
  if (module.name == "sys" && name == "path") return path_;
  if (module.name == "os" && name == "environ") return variables_;
  const Value known = known_functions_.named(dotted);
  const auto bound = module.scope.names.find(name);
  if (bound != module.scope.names.end()) {
    const bool is_member = bound->second.is(ValueKind::Module) && loaded(dotted) == bound->second.object;
    if (is_member) import_one(dotted);  // perhaps it is there because of what was perhaps done
    if (module.scope.escaped.contains(name)) return {};
    return known.is_unknown() ? bound->second : known;
  }
  if (module.scope.names.contains("__getattr__")) {
    const Value made = ask_module(module, name);
    const bool is_missing = raised_ && !is_stopped_ && !raised_->open && raised_->what.is(ValueKind::Instance) &&
                            is_derived(*raised_->what.object->type, *exception_class("AttributeError"));
    if (!raised_) return made;
    if (!is_missing) return {};
    raised_.reset();
    if (module.is_package && import_one(dotted)) return of(loaded(dotted));
    if (!is_over()) raise_missing_name(module, name);
    return {};
  }
  if (module.is_package && import_one(dotted)) return loaded(dotted) == nullptr ? Value{} : of(loaded(dotted));
  if (is_over() || !known.is_unknown()) return known;
  ++unknown_calls_;
  if (lacks_name(module, name) || is_removed(module, name)) {
    if (module.is_package) note_other_python(module.search, name);
    raise_missing_name(module, name);
  }
  return module.native_file.empty() ? Value{} : heap_.native(module.native_file);
}

// Which names a module hands out is not known: its __getattr__ may be asked for all that it imports.
void Evaluator::import_by_hook(Module& module) {
  const auto hook = module.scope.names.find("__getattr__");
  if (hook == module.scope.names.end() || !hook->second.is(ValueKind::Function)) return;
  auto& function = static_cast<FunctionObject&>(*hook->second.object);
  if (running_[function.function.get()] != 0) return;
  ++running_[function.function.get()];
  const FunctionBody& body = around_.sources.body_of(function.function);
  Frame frame{.module = &module, .scope = heap_.make_scope(nullptr), .code = &body, .function = &function};
  Frame* const outer = std::exchange(frame_, &frame);
  import_perhaps(body.statements);
  for (const Statement& statement : body.statements) {
    for (const Clause& clause : statement.clauses) import_perhaps(clause.body);
  }
  frame_ = outer;
  --running_[function.function.get()];
}

// from module import *: what __all__ names, modules of a package among it, else all names without an underscore.
void Evaluator::take_all(Module& module) {
  const std::map<std::string, Value, std::less<>> names = module.scope.names;
  const auto all = names.find("__all__");
  const auto listed = all == names.end() || all->second.is_unknown() ? std::nullopt : items_of(all->second, true);
  if (is_over()) return;
  const bool is_listed = listed.has_value();
  if (module.is_open || (all != names.end() && !is_listed)) frame_->module->is_open = true;
  if (!is_listed) import_by_hook(module);
  if (!is_listed) {
    for (const auto& [name, value] : names) {
      if (!name.starts_with('_')) set(name, module.scope.escaped.contains(name) ? Value{} : value);
    }
    for (const std::string_view known : known_names()) {
      const bool is_of_it =
          known.starts_with(module.name) && known.size() > module.name.size() && known[module.name.size()] == '.';
      const std::string_view name = is_of_it ? known.substr(module.name.size() + 1) : std::string_view();
      if (!name.empty() && name.find('.') == std::string_view::npos) set(name, known_functions_.named(known));
    }
    return;
  }
  for (const Value& name : *listed) {
    if (!name.is_text()) continue;
    const auto bound = names.find(name.text());
    const std::string dotted = module.name + "." + name.text();
    const bool is_module = bound == names.end() && module.is_package && import_one(dotted);
    if (is_over()) return;
    Value value = bound != names.end()                     ? bound->second
                  : is_module && loaded(dotted) != nullptr ? of(loaded(dotted))
                                                           : known_functions_.named(dotted);
    if (value.is_unknown() && bound == names.end() && !is_module && module.source && !module.is_open &&
        !module.source->may_make_names() && module.scope.escaped.empty()) {
      raise_text("AttributeError: module '" + module.name + "' has no attribute '" + name.text() + "'");
      return;
    }
    set(name.text(), value);
  }
}

}  // namespace soresolve::python
