// Calls: what opens or imports is done, functions of sources are followed, the rest is looked up or not known.
//
// Sources: the Python Library Reference, ctypes, importlib, sys; cffi's FFI.dlopen.
#include <algorithm>
#include <utility>

#include "base/byte_search.h"
#include "base/path.h"
#include "base/wheel_record.h"
#include "python/evaluator.h"
#include "python/package_modules.h"
#include "python/paths.h"

namespace soresolve::python {
namespace {

bool imports(const Function& function) {
  return function.suite.find("import ") != std::string_view::npos ||
         function.suite.find("import_module(") != std::string_view::npos ||
         function.suite.find("__import__(") != std::string_view::npos;
}

}  // namespace

Arguments Evaluator::arguments_of(const Expression& expression) {
  Arguments given;
  for (std::size_t i = 1; i < expression.parts.size(); ++i) {
    const Expression& part = expression.parts[i];
    Value value = evaluate(part);
    if (part.kind != ExpressionKind::Keyword) {
      given.add(std::move(value));
    } else if (part.text == "*" && value.is(ValueKind::List)) {
      for (const Value& item : *value.items) given.add(item);
    } else if (part.text.starts_with('*')) {
      given.add_unknown();
    } else {
      given.add_named(part.text, std::move(value));
    }
  }
  return given;
}

Value Evaluator::unknown_call() {
  ++unknown_calls_;
  return {};
}

Value Evaluator::call(const Expression& expression) {
  const Expression& callee = expression.parts[0];
  if (callee.kind == ExpressionKind::Attribute) {
    const Value self = evaluate(callee.parts[0]);
    if (is_over()) return {};
    const Value function = evaluate_attribute(self, callee.text);
    const Arguments given = arguments_of(expression);
    if (is_over()) return {};
    if (self.is_unknown() && self.of_class) return call_method_of_class(*self.of_class, callee.text, self, given);
    return function.is_unknown() ? call_method(callee, self, given) : call_value(function, given);
  }
  const Value function = evaluate(callee);
  const Arguments given = arguments_of(expression);
  return is_over() ? Value{} : call_value(function, given);
}

Value Evaluator::call_value(const Value& callee, const Arguments& given) {
  switch (callee.kind) {
    case ValueKind::Known: return call_known(callee.text, given);
    case ValueKind::Function: return follow(*callee.closure, given);
    case ValueKind::Class: {
      // What is made of a class that is no exception counts as true, mostly; what its __init__ does is not known.
      const auto is_exception = [](const std::string& type) { return type == "BaseException" || type == "Exception"; };
      const bool is_error = std::any_of(callee.types->begin(), callee.types->end(), is_exception) ||
                            callee.types->front().ends_with("Error");
      if (!is_error && callee.closure && imports(*callee.closure->function)) {
        Value self;
        self.of_class = callee.of_class;
        perhaps([&] { follow(*callee.closure, given.behind(std::move(self))); });
      }
      if (!is_error) {
        Value instance = unknown_call();
        instance.of_class = callee.of_class;
        return instance;
      }
      const auto message = given.text(0);
      return {.kind = ValueKind::Error,
              .number = message || given.has_only(0) ? 0 : 1,
              .text = message.value_or(""),
              .types = callee.types};
    }
    default: return unknown_call();
  }
}

Value Evaluator::call_known(const std::string& dotted, const Arguments& given) {
  if (dotted == "__import__") return import_by_name(given, true);
  if (dotted == "importlib.import_module") return import_by_name(given, false);
  if (dotted == "importlib.util.find_spec") return find_spec(given);
  if (dotted == "ctypes.util.find_library") return find_library(given);
  if (dotted.starts_with("ctypes.") && !dotted.starts_with("ctypes.util")) return open_library(given, dotted);
  if (dotted == "torch.ops.load_library") return open_library(given, dotted);
  if (dotted.starts_with("sys.path.")) {
    change_path(dotted, given);
    return none();
  }
  if (dotted == "sys.getdlopenflags") return number(dlopen_flags_);
  if (dotted == "sys.setdlopenflags") {
    const Value flags = given.at(0);
    if (given.has_only(1) && flags.is(ValueKind::Number)) dlopen_flags_ = flags.number;
    return none();
  }
  if (dotted == "globals") {
    frame_->module->is_open = true;
    return {};
  }
  if (dotted == "exec") return run_text(given);
  if (dotted == "importlib.metadata.files") return files_of_wheel(given);
  if (dotted.starts_with("importlib.resources.") || dotted.starts_with("importlib.metadata.")) {
    // What they import at their first call (CPython
    // Lib/importlib/_bootstrap_external.py:FileLoader.get_resource_reader, Lib/email/__init__.py:message_from_string).
    perhaps([&] { import_chain(dotted.starts_with("importlib.resources.") ? "importlib.readers" : "email.parser"); });
    return unknown_call();
  }
  if (dotted == "sysconfig.get_config_var")
    return given.text(0) == "EXT_SUFFIX" ? text(finder_.suffixes().front()) : unknown_call();
  const bool is_of_attribute = dotted == "getattr" || dotted == "hasattr";
  if (is_of_attribute) {
    const auto name = given.text(1);
    if (!name) return unknown_call();
    if (dotted == "hasattr") return has_attribute(given.at(0), *name);
    const Value found = evaluate_attribute(given.at(0), *name);
    return found.is_unknown() ? unknown_call() : found;
  }
  const Value result = known_functions_.call(dotted, given);
  return result.is_unknown() ? unknown_call() : result;
}

// importlib.metadata.files(NAME): paths as RECORD has them. Of those that it does not list nothing is known.
Value Evaluator::files_of_wheel(const Arguments& given) {
  const auto name = given.text(0, "distribution_name");
  const auto record = name ? find_record(around_.files, finder_.path(), *name) : std::nullopt;
  if (!record) return unknown_call();
  record_site_ = record->site;
  std::vector<Value> paths;
  visit_wheel_record(record->text, [&](const WheelRecordLine& line) {
    paths.push_back(text(std::string(line.path)));
    return paths.size() <= kMaxItems;
  });
  return paths.size() > kMaxItems ? unknown_call() : list(std::move(paths));
}

// PackagePath.locate(): below the directory of sys.path that has the file; where it is gone, that of the list read
// last.
Value Evaluator::located(std::string_view path) {
  for (const std::string& directory : finder_.path()) {
    std::string whole = path_in(directory, path);
    if (known_functions_.exists(whole)) return text(std::move(whole));
  }
  return record_site_.empty() ? Value{} : text(path_in(record_site_, path));
}

// Of what stands in native code: names that code gives are strings of its file. One that is there may be of something
// else, one that is not there is nowhere.
Value Evaluator::has_attribute(const Value& base, std::string_view name) {
  const Value found = evaluate_attribute(base, name);
  if (!found.is_unknown()) return truth_value(true);
  constexpr std::size_t kLongest = 60;
  const bool is_of_module = !found.text.empty() && found.text != around_.python.interpreter;
  if (!is_of_module || name.starts_with("__") || name.size() > kLongest) return unknown_call();
  if (has_string(found.text, name)) return probable();
  return truth_value(false);
}

bool Evaluator::has_string(const std::string& path, std::string_view text) {
  const auto [known, is_new] = strings_.try_emplace(path + "\n" + std::string(text), true);
  if (!is_new) return known->second;
  const Result<std::unique_ptr<File>, Errno> file = around_.files.open(path);
  if (!file) return true;
  bool is_there = false;
  for_each_place(**file, std::string(text) + '\0', 0, kMaxNativeBytes, [&](std::uint64_t, std::string_view) {
    is_there = true;
    return false;
  });
  known->second = is_there;
  return known->second;
}

// exec() of a text, in the names around it, or in those that are given and not known.
Value Evaluator::run_text(const Arguments& given) {
  const auto code = given.text(0);
  if (!code) return unknown_call();
  const std::uint32_t line = line_;
  const std::shared_ptr<const Source> source = around_.sources.of_text(*code);
  Frame frame{frame_->module, std::make_shared<Scope>(), true};
  Frame* const outer = !given.has_only(1) ? std::exchange(frame_, &frame) : frame_;
  run_block(source->body);
  frame_ = outer;
  line_ = line;
  return is_over() ? Value{} : none();
}

// The first of this name in the class and its bases, as far as these are known.
const Value* Evaluator::find_method(const ClassBody& body, std::string_view name, int& classes_left) {
  if (--classes_left < 0) return nullptr;
  const auto own = body.scope->names.find(name);
  if (own != body.scope->names.end()) return &own->second;
  for (const std::shared_ptr<const ClassBody>& base : body.bases) {
    const Value* found = base ? find_method(*base, name, classes_left) : nullptr;
    if (found != nullptr || !base) return found;
  }
  return nullptr;
}

// What a method imports or opens, if its object was made of a class of a source: a possibility, since the object may
// have got another one.
Value Evaluator::call_method_of_class(const ClassBody& body, std::string_view name, const Value& self,
                                      const Arguments& given) {
  constexpr int kMostClasses = 64;
  int classes_left = kMostClasses;
  const Value* method = find_method(body, name, classes_left);
  const bool is_worth_it = method != nullptr && method->is(ValueKind::Function) &&
                           method->closure->function->suite.find("import") != std::string_view::npos;
  if (is_worth_it) {
    const std::shared_ptr<const Closure> closure = method->closure;
    perhaps([&] { follow(*closure, given.behind(self), Follow::Always); });
  }
  return unknown_call();
}

// A method of a value: of a text, a mapping; of what opens libraries by another name; or what changes a list.
Value Evaluator::call_method(const Expression& callee, const Value& self, const Arguments& given) {
  const Value result = known_functions_.method(self, callee.text, given);
  if (!result.is_unknown()) return result;
  if (self.is_text() && callee.text == "locate" && given.has_only(0)) return located(self.text);
  const bool opens = callee.text == "dlopen" || callee.text == "LoadLibrary" || callee.text == "load_library";
  const auto file = opens ? given.text(0) : std::nullopt;
  if (file && file->find(".so") != std::string::npos) return open_library(given, callee.text);
  if (callee.parts[0].kind != ExpressionKind::Name) return unknown_call();
  if (const auto changed = changed_list(self, callee.text, given)) {
    set(callee.parts[0].text, *changed);
    return none();
  }
  // Any other method may change it, and these cannot fail.
  if (self.is(ValueKind::List) || self.is(ValueKind::Mapping)) set(callee.parts[0].text, {});
  if (self.is(ValueKind::List) && (callee.text == "union" || callee.text == "copy" || callee.text == "difference"))
    return {};
  return unknown_call();
}

std::optional<Value> Evaluator::changed_list(const Value& self, std::string_view method, const Arguments& given) {
  if (!self.is(ValueKind::List) || given.size() == 0 || !given.is_complete()) return std::nullopt;
  std::vector<Value> items = *self.items;
  const Value first = given.at(0);
  if (method == "append" || method == "add") {
    items.push_back(first);
  } else if (method == "extend" && first.is(ValueKind::List)) {
    items.insert(items.end(), first.items->begin(), first.items->end());
  } else if (method == "insert" && first.is(ValueKind::Number) && given.has_only(2)) {
    const auto size = static_cast<std::int64_t>(items.size());
    const std::int64_t at = std::clamp<std::int64_t>(first.number < 0 ? first.number + size : first.number, 0, size);
    items.insert(items.begin() + at, given.at(1));
  } else {
    return std::nullopt;
  }
  return undecided_ == 0 ? list(std::move(items)) : Value{};
}

void Evaluator::bind_parameters(const Closure& closure, const Arguments& given, Scope& scope) {
  std::size_t position = 0;
  for (const Parameter& parameter : closure.function->parameters) {
    Value value;
    const Value* named = given.named(parameter.name);
    if (parameter.is_collecting) {
      std::vector<Value> rest;
      while (position < given.size()) rest.push_back(given.at(position++));
      if (given.is_complete() && !given.has_names()) value = list(std::move(rest));
    } else if (named != nullptr) {
      value = *named;
    } else if (!parameter.is_by_name && position < given.size()) {
      value = given.at(position++);
    } else if (parameter.has_default && given.is_complete()) {
      value = evaluate(parameter.otherwise);
    }
    scope.names.insert_or_assign(std::string(parameter.name), std::move(value));
  }
}

// Carries a function out, where that is worth it; what it returns.
Value Evaluator::follow(const Closure& closure, const Arguments& given, Follow which) {
  const std::shared_ptr<Module> module = loaded(closure.module);
  const bool is_own = module == frame_->module;
  const bool is_of_table = known_.contains(std::string(top_of(closure.module)));
  const bool opens = module && module->source && (module->source->may_open_libraries() || imports(*closure.function));
  const bool is_worth_it = module && (is_own || which == Follow::Always || (opens && !is_of_table));
  const bool is_bounded = call_depth_ < kMaxPythonCallDepth && calls_left_ > 0;
  if (!is_worth_it || !is_bounded || !running_.insert(closure.function.get()).second) return unknown_call();
  --calls_left_;
  const FunctionBody& body = around_.sources.body_of(closure.function);
  if (body.yields || closure.function->is_asynchronous) {
    running_.erase(closure.function.get());
    return unknown_call();
  }
  Frame frame{module, std::make_shared<Scope>(), true};
  frame.scope->outer = closure.outer;
  frame.returned = none();
  bind_parameters(closure, given, *frame.scope);
  Frame* const outer = std::exchange(frame_, &frame);
  const std::uint32_t line = line_;
  const int loops = std::exchange(loops_, 0);
  const bool was_uncertain = std::exchange(is_loop_uncertain_, false);
  ++call_depth_;
  const Flow flow = run_block(body.statements);
  --call_depth_;
  is_loop_uncertain_ = was_uncertain;
  loops_ = loops;
  line_ = line;
  frame_ = outer;
  running_.erase(closure.function.get());
  if (flow == Flow::Raise && frame.is_perhaps_left && !is_stopped_) raised_.reset();
  return frame.is_perhaps_left || is_over() ? Value{} : frame.returned;
}

// ctypes.CDLL and its like.
Value Evaluator::open_library(const Arguments& given, std::string_view by) {
  const Value* name = given.find(0, "name");
  if (name != nullptr && name->is(ValueKind::None)) return object();  // the program itself
  if (name == nullptr || !name->is_text() || name->text.empty() || !given.is_complete()) return unknown_call();
  if (opened_by_table_.contains(name->text)) return object();
  constexpr std::int64_t kGlobal = 0x100;
  const Value* mode = by == "ctypes.CDLL" || by == "ctypes.PyDLL" ? given.find(1, "mode") : nullptr;
  PythonOpen what{.file = name->text};
  if (mode != nullptr && mode->is(ValueKind::Number) && (mode->number & kGlobal) != 0)
    what.mode.scope = OpenScope::Global;
  open(std::move(what));
  return is_over() ? Value{} : object();
}

Value Evaluator::import_by_name(const Arguments& given, bool returns_top) {
  std::string name = given.text(0, "name").value_or("");
  if (name.starts_with('.') && !returns_top) {
    const auto package = given.text(1, "package");
    const bool is_in_it = package && !package->empty() && name.find_first_not_of('.') == 1;
    name = is_in_it ? *package + name : std::string();
  }
  if (name.empty() || name.starts_with('.') || name.find('/') != std::string::npos) return unknown_call();
  const bool is_there = import_or_raise(name);
  if (!is_there) return {};
  return {.kind = ValueKind::Module, .text = returns_top ? std::string(top_of(name)) : name};
}

Value Evaluator::find_spec(const Arguments& given) {
  const auto name = given.text(0, "name");
  if (!name || name->empty() || name->starts_with('.')) return unknown_call();
  const std::size_t dot = name->rfind('.');
  if (loaded(*name)) return object();
  if (dot != std::string::npos && !import_or_raise(name->substr(0, dot))) return {};
  const std::shared_ptr<Module> parent = dot == std::string::npos ? nullptr : loaded(name->substr(0, dot));
  if (dot != std::string::npos && !parent) return unknown_call();
  const bool is_there =
      finder_.find(std::string_view(*name).substr(dot + 1), parent ? parent->search : finder_.path()).has_value() ||
      (!parent && is_built_in_module(*name)) || find_editable(*name).has_value();
  if (is_there) return object();
  const bool is_certain =
      !is_path_unknown_ && !around_.pth_code.may_make(*name) && (!parent || !makes_modules(*parent));
  return is_certain ? none() : unknown_call();
}

// Source: CPython Lib/ctypes/util.py: the list of ldconfig -p, then what a compiler or a link editor takes for -lNAME.
// The latter is not played: where one is here, and a file that it could take, the result is not known.
Value Evaluator::find_library(const Arguments& given) {
  const auto name = given.text(0, "name");
  if (!name || !around_.machine.cached_library) return unknown_call();
  if (known_functions_.exists("/sbin/ldconfig")) {
    if (auto cached = around_.machine.cached_library(*name)) return text(*std::move(cached));
  }
  const auto is_any = [&](std::initializer_list<const char*> directories, const std::string& file) {
    return std::any_of(directories.begin(), directories.end(),
                       [&](const char* directory) { return known_functions_.exists(path_in(directory, file)); });
  };
  bool has_linker = false;
  for (const char* program : {"gcc", "cc", "ld"}) {
    has_linker = has_linker || is_any({"/usr/local/bin", "/usr/bin", "/bin"}, program);
  }
  const Value searched = known_functions_.variable("LD_LIBRARY_PATH");
  const std::string multiarch = around_.machine.name + "-linux-gnu/";
  for (const std::string& folder : {std::string(), multiarch}) {
    for (const char* suffix : {".so", ".a"}) {
      const std::string file = folder + "lib" + *name + suffix;
      if (has_linker && is_any({"/usr/local/lib", "/usr/lib", "/usr/lib64", "/lib"}, file)) return unknown_call();
    }
  }
  return has_linker && !searched.is(ValueKind::None) ? unknown_call() : none();
}

void Evaluator::change_path(std::string_view how, const Arguments& given) {
  const bool is_first = how == "sys.path.insert";
  const Value what = given.at(is_first ? 1 : 0);
  const bool is_clear = given.has_only(is_first ? 2 : 1) && (!is_first || given.at(0).is(ValueKind::Number));
  if (how == "sys.path.remove" || !is_clear || undecided_ != 0) {
    is_path_unknown_ = true;
    return;
  }
  const auto add = [&](const Value& directory) {
    if (directory.is_text() && directory.text.starts_with('/'))
      finder_.add(directory.text, is_first);
    else
      is_path_unknown_ = true;
  };
  if (how != "sys.path.extend") return add(what);
  if (!what.is(ValueKind::List)) {
    is_path_unknown_ = true;
    return;
  }
  for (const Value& directory : *what.items) add(directory);
}

}  // namespace soresolve::python
