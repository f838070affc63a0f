// Attributes of objects, classes, modules and functions. Source: the Python Language Reference, "Data model".
#include <algorithm>
#include <utility>

#include "python/evaluator.h"
#include "python/tokens.h"

namespace soresolve::python {

// globals(), vars() and __dict__.
Value Evaluator::names_of(const Value& base) {
  const Value made = heap_.make_items(ValueKind::View, {base});
  made.object->text = "names";
  return made;
}

// NAMES[KEY]; Unknown with a truth: it is there, and what it is is not known.
Value Evaluator::name_in(const Value& names, const Value& key) {
  const Value base = names.items()[0];
  const Scope& scope = static_cast<Holder&>(*base.object).scope;
  if (!key.is_text() || base.has_escaped()) return {};
  if (const auto found = scope.names.find(key.text()); found != scope.names.end()) {
    const bool is_known = !scope.escaped.contains(key.text()) && !found->second.is_unknown();
    return is_known ? found->second : Value{.number = 1};
  }
  if (base.is(ValueKind::Module)) {
    const auto& module = static_cast<const Module&>(*base.object);
    if (module.is_open || module.source == nullptr || scope.escaped.contains(key.text())) return {};
    constexpr std::string_view kUsual[] = {"__builtins__", "__loader__", "__cached__", "__annotations__"};
    if (std::find(std::begin(kUsual), std::end(kUsual), key.text()) != std::end(kUsual)) return {};
  }
  const auto name = written(key);
  return heap_.failed("KeyError: " + name.value_or(""), name.has_value());
}

void Evaluator::set_name(const Value& names, const Value& key, const Value& value) {
  const Value base = names.items()[0];
  Scope& scope = static_cast<Holder&>(*base.object).scope;
  if (key.is_text()) return heap_.set(scope, key.text(), value);
  // Any of them may be another one now.
  if (base.is(ValueKind::Module)) static_cast<Module&>(*base.object).is_open = true;
  std::vector<std::string> all;
  for (const auto& [name, known] : scope.names) {
    if (!known.is(ValueKind::Module) && !known.is(ValueKind::Class) && !known.is(ValueKind::Function))
      all.push_back(name);
  }
  for (const std::string& name : all) heap_.set(scope, name, {});
  escape(value);
}

// Of what stands in native code: names that code gives are strings of its file. One that is there may be of something
// else, one that is not there is nowhere.
Value Evaluator::has_attribute(const Value& base, std::string_view name) {
  ++unknown_calls_;
  const Value found =
      base.is(ValueKind::Module) ? attribute_of(static_cast<Module&>(*base.object), name, true) : attribute(base, name);
  if (raised_) {
    const bool is_missing = raised_->what.is(ValueKind::Instance) &&
                            is_derived(*raised_->what.object->type, *exception_class("AttributeError"));
    if (!is_missing || is_stopped_) return {};
    raised_.reset();
    --unknown_calls_;
    return truth_value(false);
  }
  constexpr std::size_t kLongest = 60;
  const bool is_native = found.is_unknown() && found.object != nullptr;
  if (!is_native && !found.is_unknown()) {
    --unknown_calls_;
    return truth_value(true);
  }
  const bool is_of_module = is_native && found.object->text != around_.python.interpreter;
  if (!is_of_module || name.starts_with("__") || name.size() > kLongest) return {};
  --unknown_calls_;
  if (has_string(found.object->text, name)) return probable();
  return truth_value(false);
}

// What is found in a class, as an attribute of an object of it; `self` is not known: of the class itself.
Value Evaluator::bound(const Value& found, const Value& self, ClassObject& type) {
  const bool is_of_class = self.is_unknown();
  const auto method = [&](const Value& first, const Value& function) {
    return heap_.make_items(ValueKind::Method, {first, function});
  };
  switch (found.kind) {
    case ValueKind::Function: return is_of_class ? found : method(self, found);
    case ValueKind::StaticMethod: return found.items()[0];
    case ValueKind::ClassMethod: return method(of(&type), found.items()[0]);
    case ValueKind::Property: {
      if (is_of_class) return found;
      const Value getter = found.items()[0];
      if (getter.is(ValueKind::None)) return heap_.failed("AttributeError: unreadable attribute", false);
      return call_value(getter, Arguments({self}));
    }
    case ValueKind::Instance:
      if (Value* const get = find_in_class(*found.object->type, "__get__")) {
        const Value function = *get;
        return call_value(function, Arguments({found, is_of_class ? none() : self, of(&type)}));
      }
      return found;
    default: return found;
  }
}

Value Evaluator::instance_attribute(const Value& base, std::string_view name) {
  ClassObject& type = *base.object->type;
  Scope& own = static_cast<Holder&>(*base.object).scope;
  if (Value* const all = find_in_class(type, "__getattribute__")) {
    const Value function = *all;
    return call_value(function, Arguments({base, heap_.text(std::string(name))}));
  }
  if (name == "__class__") return of(&type);
  Value* const in_class = find_in_class(type, name);
  const bool is_first =
      in_class != nullptr &&
      (in_class->is(ValueKind::Property) ||
       (in_class->is(ValueKind::Instance) && find_in_class(*in_class->object->type, "__set__") != nullptr));
  if (in_class != nullptr && is_first) return checked(bound(Value(*in_class), base, type));
  if (const auto found = own.names.find(name); found != own.names.end())
    return base.has_escaped() ? Value{} : found->second;
  if (in_class != nullptr) {
    const bool is_method = in_class->is(ValueKind::Function) || in_class->is(ValueKind::ClassMethod) ||
                           in_class->is(ValueKind::StaticMethod);
    return (base.has_escaped() || in_class->has_escaped()) && !is_method ? Value{}
                                                                         : checked(bound(Value(*in_class), base, type));
  }
  if (const auto known = is_error(type) ? KnownMethods::attribute(*this, base, name) : std::nullopt) return *known;
  // What every object has.
  const bool has_names = find_in_class(type, "__slots__") == nullptr && !base.has_escaped() && !type.is_open;
  if (name == "__dict__") return has_names ? names_of(base) : Value{};
  if (name.starts_with("__") && name.ends_with("__")) return {};
  if (Value* const hook = find_in_class(type, "__getattr__"); hook != nullptr && !base.has_escaped())
    return call_value(Value(*hook), Arguments({base, heap_.text(std::string(name))}));
  if (base.has_escaped() || type.is_open) return {};
  return checked(no_attribute(base, name));
}

Value Evaluator::class_attribute(ClassObject& type, std::string_view name) {
  if (Value* const found = find_in_class(type, name)) {
    const bool is_function =
        found->is(ValueKind::Function) || found->is(ValueKind::ClassMethod) || found->is(ValueKind::StaticMethod);
    // A metaclass or a decorator may have made something else of it.
    return (type.is_open || type.has_escaped) && !is_function ? Value{} : checked(bound(Value(*found), {}, type));
  }
  if (name == "__name__") return heap_.text(std::string(last_part(type.text)));
  if (name == "__qualname__") return heap_.text(type.text);
  if (name == "__module__") return heap_.text(type.module.empty() ? "builtins" : type.module);
  if (name == "__mro__" && !type.is_open) {
    std::vector<Value> order;
    for (ClassObject* const each : type.order) order.push_back(of(each));
    order.push_back(known_functions_.named("object"));
    return heap_.tuple(std::move(order));
  }
  const bool is_of_type = name.starts_with("__") || name == "mro" ||
                          (type.is_abstract && (name == "register" || name.starts_with("_abc_")));
  const bool is_field =
      std::any_of(type.fields.begin(), type.fields.end(), [&](const auto& each) { return each.name == name; });
  if (type.is_open || is_of_type || is_error(type) || type.has_escaped ||
      (type.is_tuple && (is_field || name.starts_with('_'))))
    return {};
  return checked(no_attribute(of(&type), name));
}

Value Evaluator::attribute(const Value& base, std::string_view name) {
  switch (base.kind) {
    case ValueKind::Module: return attribute_of(static_cast<Module&>(*base.object), name, true);
    case ValueKind::Known: {
      const std::string dotted = base.text() + "." + std::string(name);
      if (dotted == "sys.path") return path_;
      if (dotted == "os.environ") return variables_;
      if (name.starts_with("__") && name != "__name__" && name != "__new__" && name != "__setattr__") return {};
      if (base.text() == "sys.modules" || kind_of_class(base.text()).has_value() || base.text() == "object") {
        if (name == "__name__" && kind_of_class(base.text()).has_value()) {
          const bool is_of_types = base.text().starts_with("types.");
          return heap_.text(is_of_types ? type_name({.kind = *kind_of_class(base.text())})
                                        : std::string(last_part(base.text())));
        }
        Value known = known_functions_.named(dotted);
        if (!known.is_unknown()) return known;
        Value method = heap_.make_items(ValueKind::Method, {base});
        method.object->text = std::string(name);
        return method;
      }
      return known_functions_.named(dotted);
    }
    case ValueKind::Unknown: return base.object != nullptr ? heap_.native(base.object->text) : Value{};
    case ValueKind::Instance: return instance_attribute(base, name);
    case ValueKind::Class: return class_attribute(static_cast<ClassObject&>(*base.object), name);
    case ValueKind::Super: {
      const Value self = base.items()[0];
      ClassObject& type = self.is(ValueKind::Class) ? static_cast<ClassObject&>(*self.object) : *self.object->type;
      if (Value* const found = find_in_class(type, name, base.object->type))
        return checked(bound(Value(*found), self.is(ValueKind::Class) ? Value{} : self, type));
      if (type.is_open) return {};
      Value method = heap_.make_items(ValueKind::Method, {base});
      method.object->text = std::string(name);
      return name.starts_with("__") ? method : checked(no_attribute(base, name));
    }
    case ValueKind::Function: {
      auto& function = static_cast<FunctionObject&>(*base.object);
      if (const auto found = function.scope.names.find(name); found != function.scope.names.end())
        return function.has_escaped ? Value{} : found->second;
      if (name == "__name__") return heap_.text(std::string(function.function->name));
      if (name == "__qualname__") return heap_.text(function.text);
      if (name == "__module__") return heap_.text(function.module->name);
      constexpr std::string_view kOfFunctions =
          "__annotations__ __builtins__ __call__ __class__ __closure__ __code__ __defaults__ __dict__ __dir__ __doc__ "
          "__eq__ __get__ __getattribute__ __globals__ __hash__ __init__ __kwdefaults__ __ne__ __new__ __reduce__ "
          "__repr__ __setattr__ __sizeof__ __str__ __subclasshook__ __type_params__";
      const bool is_there = function.has_escaped || has_word(kOfFunctions, name);
      return is_there ? Value{} : checked(no_attribute(base, name));
    }
    case ValueKind::Method:
      if (base.items().size() == 2 && name == "__self__") return base.items()[0];
      return base.items().size() == 2 && name != "__func__" ? attribute(base.items()[1], name) : Value{};
    case ValueKind::Partial:
      if (name == "func") return base.items()[0];
      if (name == "args") return base.items()[1];
      return name == "keywords" ? base.items()[2] : Value{};
    default: break;
  }
  if (const auto known = KnownMethods::attribute(*this, base, name)) return *known;
  const std::optional<bool> has = KnownMethods::has(base.kind, name);
  if (has == false) return name.starts_with("__") ? Value{} : checked(no_attribute(base, name));
  if (!has) return {};
  Value method = heap_.make_items(ValueKind::Method, {base});
  method.object->text = std::string(name);
  return method;
}

void Evaluator::set_attribute(const Value& base, std::string_view name, const Value& value) {
  switch (base.kind) {
    case ValueKind::Module: {
      auto& module = static_cast<Module&>(*base.object);
      if (module.name == "sys" && name == "path") {
        path_ = value;
        if (!value.is(ValueKind::List)) is_path_unknown_ = true;
      }
      return heap_.set(module.scope, name, value);
    }
    case ValueKind::Instance: {
      ClassObject& type = *base.object->type;
      if (Value* const hook = find_in_class(type, "__setattr__")) {
        call_value(Value(*hook), Arguments({base, heap_.text(std::string(name)), value}));
        return;
      }
      if (type.is_frozen)
        return raise_text("dataclasses.FrozenInstanceError: cannot assign to field '" + std::string(name) + "'");
      Value* const in_class = find_in_class(type, name);
      if (in_class != nullptr && in_class->is(ValueKind::Property)) {
        const Value setter = in_class->items()[1];
        if (setter.is(ValueKind::None))
          return raise_text(
              "AttributeError: property '" + std::string(name) + "' of '" + type_name(base) + "' object has no setter",
              minor_number_ >= 11);
        call_value(setter, Arguments({base, value}));
        return;
      }
      if (in_class != nullptr && in_class->is(ValueKind::Instance)) {
        if (const auto made = special(*in_class, "__set__", {base, value})) return;
      }
      if (find_in_class(type, "__slots__") != nullptr) return escape(base), escape(value);
      [[fallthrough]];
    }
    case ValueKind::Class:
    case ValueKind::Function:
      if (base.has_escaped()) escape(value);
      return heap_.set(static_cast<Holder&>(*base.object).scope, name, value);
    case ValueKind::Unknown:
    case ValueKind::Known:
    case ValueKind::Opened:
    case ValueKind::Super:
    case ValueKind::Partial:
    case ValueKind::Method:
    case ValueKind::Failed: return escape(value);
    case ValueKind::None:
    case ValueKind::Bool:
    case ValueKind::Int:
    case ValueKind::Text:
    case ValueKind::Bytes:
    case ValueKind::List:
    case ValueKind::Tuple:
    case ValueKind::Set:
    case ValueKind::Mapping:
      if (base.object == nullptr || base.is_text() || (base.object->type == nullptr && base.text().empty()))
        checked(no_attribute(base, name));
      return;
    default: return escape(value);
  }
}

void Evaluator::delete_attribute(const Value& base, std::string_view name) {
  const bool has_names = base.is(ValueKind::Instance) || base.is(ValueKind::Class) || base.is(ValueKind::Function) ||
                         base.is(ValueKind::Module);
  if (!has_names) return;
  if (base.is(ValueKind::Instance)) {
    ClassObject& type = *base.object->type;
    if (const auto made = special(base, "__delattr__", {heap_.text(std::string(name))})) return;
    Value* const in_class = find_in_class(type, name);
    if (in_class != nullptr && in_class->is(ValueKind::Property)) {
      const Value deleter = in_class->items()[2];
      if (!deleter.is(ValueKind::None)) call_value(deleter, Arguments({base}));
      return;
    }
  }
  Scope& scope = static_cast<Holder&>(*base.object).scope;
  if (scope.names.contains(name)) return heap_.erase(scope, name);
  const bool is_open =
      base.has_escaped() || base.is(ValueKind::Module) || (base.is(ValueKind::Instance) && base.object->type->is_open);
  if (!is_open)
    checked(minor_number_ >= 11 && base.is(ValueKind::Instance)
                ? no_attribute(base, name)
                : heap_.failed("AttributeError: " + std::string(name), false));
}

}  // namespace soresolve::python
