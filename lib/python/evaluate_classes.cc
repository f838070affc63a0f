// Classes, what is made of them, and attributes.
//
// Sources: the Python Language Reference, "Data model"; the Library Reference, "Exception hierarchy", dataclasses,
// collections.namedtuple; CPython Objects/typeobject.c (mro_implementation).
#include <algorithm>
#include <utility>

#include "base/pieces.h"
#include "python/evaluator.h"

namespace soresolve::python {
namespace {

/// Bases of the interpreter's exceptions.
constexpr std::pair<std::string_view, std::string_view> kExceptions[] = {
    {"ArithmeticError", "Exception"},
    {"AssertionError", "Exception"},
    {"AttributeError", "Exception"},
    {"BaseException", ""},
    {"BaseExceptionGroup", "BaseException"},
    {"BlockingIOError", "OSError"},
    {"BufferError", "Exception"},
    {"BytesWarning", "Warning"},
    {"ConnectionError", "OSError"},
    {"DeprecationWarning", "Warning"},
    {"EOFError", "Exception"},
    {"Exception", "BaseException"},
    {"ExceptionGroup", "BaseExceptionGroup"},
    {"FileExistsError", "OSError"},
    {"FileNotFoundError", "OSError"},
    {"FloatingPointError", "ArithmeticError"},
    {"FutureWarning", "Warning"},
    {"GeneratorExit", "BaseException"},
    {"ImportError", "Exception"},
    {"ImportWarning", "Warning"},
    {"IndentationError", "SyntaxError"},
    {"IndexError", "LookupError"},
    {"InterruptedError", "OSError"},
    {"IsADirectoryError", "OSError"},
    {"KeyError", "LookupError"},
    {"KeyboardInterrupt", "BaseException"},
    {"LookupError", "Exception"},
    {"MemoryError", "Exception"},
    {"ModuleNotFoundError", "ImportError"},
    {"NameError", "Exception"},
    {"NotADirectoryError", "OSError"},
    {"NotImplementedError", "RuntimeError"},
    {"OSError", "Exception"},
    {"OverflowError", "ArithmeticError"},
    {"PendingDeprecationWarning", "Warning"},
    {"PermissionError", "OSError"},
    {"RecursionError", "RuntimeError"},
    {"ReferenceError", "Exception"},
    {"ResourceWarning", "Warning"},
    {"RuntimeError", "Exception"},
    {"RuntimeWarning", "Warning"},
    {"StopAsyncIteration", "Exception"},
    {"StopIteration", "Exception"},
    {"SyntaxError", "Exception"},
    {"SyntaxWarning", "Warning"},
    {"SystemError", "Exception"},
    {"SystemExit", "BaseException"},
    {"TabError", "IndentationError"},
    {"TimeoutError", "OSError"},
    {"TypeError", "Exception"},
    {"UnboundLocalError", "NameError"},
    {"UnicodeDecodeError", "UnicodeError"},
    {"UnicodeEncodeError", "UnicodeError"},
    {"UnicodeError", "ValueError"},
    {"UnicodeWarning", "Warning"},
    {"UserWarning", "Warning"},
    {"ValueError", "Exception"},
    {"Warning", "Exception"},
    {"ZeroDivisionError", "ArithmeticError"},
};

constexpr std::size_t kMostBases = 64;

/// The kinds that a class of the interpreter has.
struct KnownClass {
  std::string_view name;
  ValueKind kind;
  ValueKind also = ValueKind::Unknown;
};
constexpr KnownClass kKnownClasses[] = {{"int", ValueKind::Int, ValueKind::Bool},
                                        {"bool", ValueKind::Bool},
                                        {"float", ValueKind::Float},
                                        {"str", ValueKind::Text},
                                        {"bytes", ValueKind::Bytes},
                                        {"list", ValueKind::List},
                                        {"tuple", ValueKind::Tuple},
                                        {"set", ValueKind::Set},
                                        {"frozenset", ValueKind::FrozenSet},
                                        {"dict", ValueKind::Mapping},
                                        {"range", ValueKind::Range},
                                        {"slice", ValueKind::Slice},
                                        {"property", ValueKind::Property},
                                        {"staticmethod", ValueKind::StaticMethod},
                                        {"classmethod", ValueKind::ClassMethod},
                                        {"type", ValueKind::Class},
                                        {"types.ModuleType", ValueKind::Module},
                                        {"types.FunctionType", ValueKind::Function},
                                        {"pathlib.Path", ValueKind::Path}};

const KnownClass* known_class(std::string_view name) {
  const auto found = std::find_if(std::begin(kKnownClasses), std::end(kKnownClasses),
                                  [&](const KnownClass& each) { return each.name == name; });
  return found == std::end(kKnownClasses) ? nullptr : found;
}

/// Bases that change nothing of what is looked at here.
bool is_plain_base(std::string_view name) {
  return name == "object" || name == "abc.ABC" || name == "typing.Generic" || name == "typing.Protocol";
}

}  // namespace

std::optional<ValueKind> kind_of_class(std::string_view name) {
  const KnownClass* const known = known_class(name);
  return known == nullptr ? std::nullopt : std::optional(known->kind);
}

// nullptr: there is none of this name. IOError is another name of OSError.
ClassObject* Evaluator::exception_class(std::string_view name) {
  if (name == "IOError" || name == "EnvironmentError") name = "OSError";
  if (const auto known = exceptions_.find(name); known != exceptions_.end()) return known->second;
  const auto row = std::find_if(std::begin(kExceptions), std::end(kExceptions),
                                [&](const auto& each) { return each.first == name; });
  if (row == std::end(kExceptions)) return nullptr;
  auto* const made = heap_.make<ClassObject>(ValueKind::Class);
  made->text = std::string(name);
  made->order = {made};
  if (!row->second.empty()) {
    ClassObject* const base = exception_class(row->second);
    made->bases = {of(base)};
    made->order.insert(made->order.end(), base->order.begin(), base->order.end());
    if (name == "ExceptionGroup") made->order.insert(made->order.begin() + 2, exception_class("Exception"));
  }
  exceptions_.emplace(name, made);
  return made;
}

Value Evaluator::make_exception(ClassObject& type, std::vector<Value> args) {
  auto* const made = heap_.make<Holder>(ValueKind::Instance);
  made->type = &type;
  made->items = std::move(args);
  return of(made);
}

bool Evaluator::is_derived(const ClassObject& type, const ClassObject& base) {
  return std::find(type.order.begin(), type.order.end(), &base) != type.order.end();
}

bool Evaluator::is_error(const ClassObject& type) {
  return std::any_of(type.order.begin(), type.order.end(),
                     [](const ClassObject* each) { return each->text == "BaseException" && each->module.empty(); });
}

// By C3. Where that finds no order the class is not made; here its own comes first, and nothing is known of the rest.
void Evaluator::order_class(ClassObject& type) {
  std::vector<std::vector<ClassObject*>> lists;
  std::vector<ClassObject*> bases;
  for (const Value& base : type.bases) {
    bases.push_back(static_cast<ClassObject*>(base.object));
    lists.push_back(bases.back()->order);
    type.is_open = type.is_open || bases.back()->is_open;
    type.is_abstract = type.is_abstract || bases.back()->is_abstract;
    type.is_tuple = type.is_tuple || bases.back()->is_tuple;
    type.is_data = type.is_data || bases.back()->is_data;
    type.is_frozen = type.is_frozen || bases.back()->is_frozen;
    if (type.fields.empty()) type.fields = bases.back()->fields;
  }
  lists.push_back(bases);
  type.order = {&type};
  while (type.order.size() < kMostBases) {
    std::erase_if(lists, [](const auto& list) { return list.empty(); });
    if (lists.empty()) return;
    ClassObject* next = nullptr;
    for (const auto& list : lists) {
      const bool is_later = std::any_of(lists.begin(), lists.end(), [&](const auto& other) {
        return std::find(other.begin() + 1, other.end(), list.front()) != other.end();
      });
      if (!is_later) {
        next = list.front();
        break;
      }
    }
    if (next == nullptr) break;
    type.order.push_back(next);
    for (auto& list : lists) {
      if (list.front() == next) list.erase(list.begin());
    }
  }
  raise_text("TypeError: Cannot create a consistent method resolution order (MRO)", false);
}

// The first of this name in the class and its bases, or behind one of these.
Value* Evaluator::find_in_class(const ClassObject& type, std::string_view name, const ClassObject* behind) const {
  bool is_behind = behind == nullptr;
  for (ClassObject* const each : type.order) {
    const auto found = is_behind ? each->scope.names.find(name) : each->scope.names.end();
    if (found != each->scope.names.end()) return &found->second;
    is_behind = is_behind || each == behind;
  }
  return nullptr;
}

Evaluator::Flow Evaluator::run_class(const Statement& statement) {
  std::vector<Value> decorators;
  for (const Expression& decorator : statement.function->decorators) decorators.push_back(evaluate(decorator));
  if (is_over()) return Flow::Raise;
  auto* const type = heap_.make<ClassObject>(ValueKind::Class);
  type->text = qualified(statement.text);
  type->module = frame_->module->name;
  Arguments options;
  bool is_record = false;
  for (const Expression& base : statement.values) {
    const Value value = evaluate(base);
    if (is_over()) return Flow::Raise;
    if (base.kind == ExpressionKind::Keyword) {
      const bool is_plain = base.text == "metaclass" && value.is(ValueKind::Known) &&
                            (value.text() == "abc.ABCMeta" || value.text() == "type");
      if (base.text == "metaclass" || base.text.starts_with('*')) type->is_open = type->is_open || !is_plain;
      if (is_plain) type->is_abstract = value.text() == "abc.ABCMeta";
      if (base.text != "metaclass" && !base.text.starts_with('*')) options.add_named(base.text, value);
    } else if (value.is(ValueKind::Class)) {
      type->bases.push_back(value);
    } else if (value.is(ValueKind::Known) && value.text() == "typing.NamedTuple") {
      is_record = true;
    } else if (value.is(ValueKind::Known) && is_plain_base(value.text())) {
      type->is_abstract = type->is_abstract || value.text() == "abc.ABC" || value.text() == "typing.Protocol";
    } else {
      type->is_open = true;
      const std::string_view name = base.kind == ExpressionKind::Call ? base.parts[0].text : base.text;
      if (name.empty()) continue;
      // Known by its name alone.
      auto* const unknown = heap_.make<ClassObject>(ValueKind::Class);
      unknown->text = std::string(name);
      unknown->is_open = true;
      unknown->order = {unknown};
      type->bases.push_back(of(unknown));
    }
  }
  order_class(*type);
  if (is_over()) return Flow::Raise;
  type->scope.names.emplace("__module__", heap_.text(frame_->module->name));
  type->scope.names.emplace("__qualname__", heap_.text(type->text));
  Frame frame{.module = frame_->module, .scope = &type->scope, .type = type};
  frame.function = frame_->function;
  frame.around = frame_->type != nullptr                   ? frame_->around
                 : frame_->scope == &frame_->module->scope ? nullptr
                                                           : frame_->scope;
  Frame* const outer = std::exchange(frame_, &frame);
  Flow flow = run_block(statement.body);
  frame_ = outer;
  if (flow == Flow::Raise) return flow;
  for (const char* name : {"__init_subclass__", "__class_getitem__"}) {
    const auto hook = type->scope.names.find(std::string_view(name));
    if (hook != type->scope.names.end() && hook->second.is(ValueKind::Function))
      hook->second = heap_.make_items(ValueKind::ClassMethod, {hook->second});
  }
  if (is_record) note_fields(*type, true);
  for (const auto& [name, value] : std::map<std::string, Value, std::less<>>(type->scope.names)) {
    if (value.is(ValueKind::Instance)) special(value, "__set_name__", {of(type), heap_.text(name)});
  }
  if (Value* const hook = find_in_class(*type, "__init_subclass__", type); hook != nullptr && !is_over())
    call_value(bound(Value(*hook), {}, *type), options);
  Value made = of(type);
  for (std::size_t i = decorators.size(); i-- > 0 && !is_over();) made = decorated(decorators[i], made);
  if (is_over()) return Flow::Raise;
  set(statement.text, made);
  return Flow::Next;
}

// What a decorator makes of a function or a class. One that is not known may do anything with it.
Value Evaluator::decorated(const Value& decorator, const Value& what) {
  if (!decorator.is_unknown() && !decorator.is(ValueKind::Opened)) return call_value(decorator, Arguments({what}));
  if (what.is(ValueKind::Class)) {
    static_cast<ClassObject&>(*what.object).is_open = true;
    // It gives names to the module (re's global_enum), or returns something else.
    frame_->module->is_open = true;
  }
  unknown_call(Arguments({what}));
  return what.is(ValueKind::Class) ? what : Value{};
}

// Is a method that a base declares abstract in it still?
bool Evaluator::lacks_methods(const ClassObject& type) const {
  const auto is_abstract = [](const Value& value) {
    return value.is(ValueKind::Function) &&
           static_cast<const Holder&>(*value.object).scope.names.contains("__isabstractmethod__");
  };
  return std::any_of(type.order.begin(), type.order.end(), [&](const ClassObject* each) {
    return std::any_of(each->scope.names.begin(), each->scope.names.end(), [&](const auto& entry) {
      return is_abstract(entry.second) && is_abstract(*find_in_class(type, entry.first));
    });
  });
}

Value Evaluator::instantiate(ClassObject& type, const Arguments& given) {
  if (type.is_tuple && !type.is_open) {
    if (find_in_class(type, "__new__") != nullptr || !given.is_complete()) return unknown_call(given);
    Object* const made = heap_.make(ValueKind::Tuple);
    made->type = &type;
    init_record(type, of(made), given);
    return is_over() ? Value{} : of(made);
  }
  Value* const maker = find_in_class(type, "__new__");
  Value self;
  if (maker != nullptr) {
    const Value function = maker->is(ValueKind::StaticMethod) ? maker->items()[0] : *maker;
    self = call_value(function, given.behind(of(&type)));
    if (is_over()) return {};
    const bool is_own = self.is(ValueKind::Instance) && is_derived(*self.object->type, type);
    if (!is_own) return self;
  } else {
    // OSError takes its arguments in __init__.
    const bool has_args = is_error(type) && !(is_derived(type, *exception_class("OSError")) &&
                                              find_in_class(type, "__init__") != nullptr);
    self = make_exception(type, has_args ? given.positions() : std::vector<Value>());
    self.object->has_escaped = type.is_open || (is_error(type) && !given.is_complete());
  }
  if (self.has_escaped()) unknown_call(given);
  if (type.is_abstract && !type.is_open && lacks_methods(type)) {
    raise_text("TypeError: Can't instantiate abstract class " + std::string(last_part(type.text)), false);
    return {};
  }
  Value* const init = find_in_class(type, "__init__");
  if (init != nullptr) {
    const Value method = *init;
    const Value made = call_value(method, given.behind(self));
    if (is_over()) return {};
    if (!made.is(ValueKind::None) && !made.is_unknown())
      raise_text("TypeError: __init__() should return None, not '" + type_name(made) + "'");
    return is_over() ? Value{} : self;
  }
  if (type.is_data) {
    if (given.is_complete())
      init_record(type, self, given);
    else
      escape(self);
    return is_over() ? Value{} : self;
  }
  if (&type == exception_class("OSError") && given.size() >= 2 && given.at(0).is_number()) {
    // By its number it is of another class.
    constexpr std::pair<int, std::string_view> kClasses[] = {
        {1, "PermissionError"},     {2, "FileNotFoundError"},  {4, "InterruptedError"},
        {11, "BlockingIOError"},    {13, "PermissionError"},   {17, "FileExistsError"},
        {20, "NotADirectoryError"}, {21, "IsADirectoryError"}, {110, "TimeoutError"}};
    for (const auto& [code, name] : kClasses) {
      if (given.at(0).number == code) self.object->type = exception_class(name);
    }
  }
  if (is_error(type) && is_derived(type, *exception_class("OSError")) && self.items().size() > 2) {
    heap_.set(static_cast<Holder&>(*self.object).scope, "filename", self.items()[2]);
    self.object->has_escaped = self.items().size() > 3;
    self.items().resize(2);
  }
  if (is_error(type)) {
    Scope& scope = static_cast<Holder&>(*self.object).scope;
    for (const auto& [name, value] : given.names()) {
      if (name != "name" && name != "path")
        return raise_text("TypeError: " + type_name(self) + "() takes no keyword arguments", false), Value{};
      heap_.set(scope, name, value);
    }
    return self;
  }
  if (!type.is_open && maker == nullptr && given.count() != 0 && given.is_complete())
    raise_text("TypeError: " + std::string(last_part(type.text)) + "() takes no arguments");
  return is_over() ? Value{} : self;
}

// super(), of the function that runs and its first parameter; or with both.
Value Evaluator::super_of(const Arguments& given) {
  ClassObject* behind = nullptr;
  Value self;
  if (given.has_only(0)) {
    const Frame& frame = *frame_;
    if (frame.function == nullptr || frame.function->function->parameters.empty()) return {};
    behind = frame.function->owner;
    const auto first = frame.scope->names.find(frame.function->function->parameters[0].name);
    if (first != frame.scope->names.end()) self = first->second;
  } else if (given.has_only(2) && given.at(0).is(ValueKind::Class)) {
    behind = static_cast<ClassObject*>(given.at(0).object);
    self = given.at(1);
  }
  const bool is_object = self.is(ValueKind::Instance) || self.is(ValueKind::Class);
  if (behind == nullptr || !is_object) return {};
  Object* const made = heap_.make(ValueKind::Super);
  made->type = behind;
  made->items = {self};
  return of(made);
}

std::optional<Value> Evaluator::special(const Value& self, std::string_view name, std::vector<Value> given) {
  if (is_over() || (!self.is(ValueKind::Instance) && !(self.is(ValueKind::Tuple) && self.object->type != nullptr)))
    return std::nullopt;
  ClassObject& type = *self.object->type;
  Value* const found = find_in_class(type, name);
  if (found != nullptr) {
    if (found->is(ValueKind::None)) return none();
    const Value method = bound(Value(*found), self, type);
    return is_over() ? Value{} : call_value(method, Arguments(std::move(given)));
  }
  if (type.is_data && type.is_compared && name == "__eq__" && given.size() == 1 && !type.is_open) {
    if (!given[0].is(ValueKind::Instance) || given[0].object->type != &type)
      return Value{.kind = ValueKind::NotImplemented};
    std::optional<bool> same = true;
    for (const ClassObject::Field& field : type.fields) {
      const auto one = equal(instance_attribute(self, field.name), instance_attribute(given[0], field.name));
      if (one == false) return truth_value(false);
      if (!one) same.reset();
    }
    return truth_value(same);
  }
  return type.is_open && !is_error(type) ? std::optional(Value{}) : std::nullopt;
}

std::optional<bool> Evaluator::is_instance(const Value& value, const Value& classes) {
  if (value.is_unknown() || classes.is_unknown()) return std::nullopt;
  if (classes.is(ValueKind::Tuple)) {
    std::optional<bool> any = false;
    for (const Value& each : classes.items()) {
      const auto one = is_instance(value, each);
      if (one == true) return true;
      if (!one) any.reset();
    }
    return any;
  }
  ClassObject* const type = value.object == nullptr ? nullptr : value.object->type;
  if (classes.is(ValueKind::Known)) {
    const std::string& name = classes.text();
    if (name == "object") return true;
    const KnownClass* const known = known_class(name);
    if (known == nullptr || value.is(ValueKind::Known) || value.is(ValueKind::Opened)) {
      if (known != nullptr && value.is(ValueKind::Known) && (name == "str" || name == "int" || name == "bytes"))
        return false;
      return std::nullopt;
    }
    if (value.kind == known->kind || value.kind == known->also) return true;
    return value.is(ValueKind::Instance) && type->is_open ? std::nullopt : std::optional(false);
  }
  if (!classes.is(ValueKind::Class)) return std::nullopt;
  auto& wanted = static_cast<ClassObject&>(*classes.object);
  const bool has_class = value.is(ValueKind::Instance) || (value.is(ValueKind::Tuple) && type != nullptr);
  if (has_class && is_derived(*type, wanted)) return true;
  const bool is_open = wanted.is_open || wanted.is_abstract || (has_class && type->is_open) ||
                       find_in_class(wanted, "__instancecheck__") != nullptr;
  return is_open || value.is(ValueKind::Opened) ? std::nullopt : std::optional(false);
}

std::optional<bool> Evaluator::is_subclass(const Value& type, const Value& classes) {
  if (classes.is(ValueKind::Tuple)) {
    std::optional<bool> any = false;
    for (const Value& each : classes.items()) {
      const auto one = is_subclass(type, each);
      if (one == true) return true;
      if (!one) any.reset();
    }
    return any;
  }
  if (classes.is(ValueKind::Known) && classes.text() == "object" && type.is(ValueKind::Class)) return true;
  if (type.is(ValueKind::Known) && classes.is(ValueKind::Known)) {
    if (type.text() == classes.text()) return true;
    return known_class(type.text()) != nullptr && known_class(classes.text()) != nullptr
               ? std::optional(type.text() == "bool" && classes.text() == "int")
               : std::nullopt;
  }
  if (!type.is(ValueKind::Class)) return std::nullopt;
  const auto& own = static_cast<const ClassObject&>(*type.object);
  if (classes.is(ValueKind::Known))
    return own.is_open || own.is_tuple || known_class(classes.text()) == nullptr ? std::nullopt : std::optional(false);
  if (!classes.is(ValueKind::Class)) return std::nullopt;
  const auto& wanted = static_cast<const ClassObject&>(*classes.object);
  if (is_derived(own, wanted)) return true;
  return own.is_open || wanted.is_open || wanted.is_abstract ? std::nullopt : std::optional(false);
}

Value Evaluator::type_of(const Value& value) {
  const bool has_class = value.is(ValueKind::Instance) || (value.is(ValueKind::Tuple) && value.object->type != nullptr);
  if (has_class) return of(value.object->type);
  for (const KnownClass& each : kKnownClasses) {
    if (value.kind == each.kind && each.name != "pathlib.Path") return known_functions_.named(each.name);
  }
  return {};
}

}  // namespace soresolve::python
