// What gets a value, and where names are. Source: the Python Language Reference, "Assignment statements", "Naming and
// binding".
#include <algorithm>
#include <utility>

#include "python/evaluator.h"

namespace soresolve::python {

// NAME: TEXT = VALUE. In a class its order is that of the fields.
void Evaluator::annotate(const Statement& statement) {
  const Expression& target = statement.values[0];
  const bool is_name = target.kind == ExpressionKind::Name;
  const bool is_of_class = statement.text.find("ClassVar") != std::string_view::npos;
  if (frame_->type != nullptr && is_name && !is_of_class) {
    // What stands behind it in a dataclass is given by name.
    const bool is_mark = statement.text.find("KW_ONLY") != std::string_view::npos;
    std::vector<std::string>& all = frame_->type->annotated;
    if (is_mark) return all.push_back("*");
    if (std::find(all.begin(), all.end(), target.text) == all.end()) all.emplace_back(target.text);
    if (statement.text.find("InitVar") != std::string_view::npos) frame_->type->is_open = true;
  }
  if (statement.values.size() < 2) return;
  const Value value = evaluate(statement.values[1]);
  if (!is_over()) bind(target, value);
}

Evaluator::Flow Evaluator::change(const Statement& statement) {
  const Expression& target = statement.values[0];
  const std::string_view sign = statement.text.substr(0, statement.text.size() - 1);
  const bool is_attribute = target.kind == ExpressionKind::Attribute;
  const bool is_item = target.kind == ExpressionKind::Subscript;
  const Value base = is_attribute || is_item ? evaluate(target.parts[0]) : Value{};
  const Value key = is_item ? evaluate(target.parts[1]) : Value{};
  if (is_over()) return Flow::Raise;
  const Value old = is_attribute ? attribute(base, target.text) : is_item ? checked(item(base, key)) : evaluate(target);
  const Value by = evaluate(statement.values[1]);
  if (is_over()) return Flow::Raise;
  Value made;
  if (old.is(ValueKind::List) && sign == "+") {
    call_method(old, "extend", Arguments({by}));
    made = old;
  } else {
    made = checked(operate(old, sign, by, true));
    if (made.is_unknown() && (old.is(ValueKind::List) || old.is(ValueKind::Set) || old.is_mapping())) escape(old);
  }
  if (is_over()) return Flow::Raise;
  if (is_attribute)
    set_attribute(base, target.text, made);
  else if (is_item) {
    if (const Value done = checked(set_item(base, key, made)); done.is_unknown()) escape(base), escape(made);
  } else
    bind(target, made);
  return is_over() ? Flow::Raise : Flow::Next;
}

Value Evaluator::function_of(const std::shared_ptr<const Function>& function) {
  auto* const made = heap_.make<FunctionObject>(ValueKind::Function);
  made->function = function;
  made->module = frame_->module;
  made->text = qualified(function->name);
  made->owner = frame_->type != nullptr       ? frame_->type
                : frame_->function != nullptr ? frame_->function->owner
                                              : nullptr;
  made->outer = frame_->type != nullptr                   ? frame_->around
                : frame_->scope == &frame_->module->scope ? nullptr
                                                          : frame_->scope;
  made->defaults.resize(function->parameters.size());
  for (std::size_t i = 0; i < function->parameters.size() && !is_over(); ++i) {
    if (function->parameters[i].has_default) made->defaults[i] = evaluate(function->parameters[i].otherwise);
  }
  return of(made);
}

void Evaluator::define(const Statement& statement) {
  std::vector<Value> decorators;
  for (const Expression& decorator : statement.function->decorators) {
    decorators.push_back(evaluate(decorator));
    if (is_over()) return;
  }
  Value function = function_of(statement.function);
  for (std::size_t i = decorators.size(); i-- > 0 && !is_over();) function = decorated(decorators[i], function);
  if (!is_over()) set(statement.text, function);
}

// Where the name is, or nullptr.
Scope* Evaluator::scope_of(std::string_view name) {
  const Frame& frame = *frame_;
  Scope& module = frame.module->scope;
  Scope* scope = frame.scope;
  if (frame.code != nullptr) {
    const FunctionNames& names = frame.code->names;
    if (names.locals.contains(name)) return scope->names.contains(name) ? scope : nullptr;
    scope = names.globals.contains(name) ? nullptr : names.nonlocals.contains(name) ? scope->outer : scope;
  } else if (frame.type != nullptr) {
    if (scope->names.contains(name)) return scope;
    scope = frame.around;
  }
  for (; scope != nullptr; scope = scope->outer) {
    if (scope->names.contains(name)) return scope;
  }
  return module.names.contains(name) ? &module : nullptr;
}

Value* Evaluator::find(std::string_view name) {
  Scope* const scope = scope_of(name);
  return scope == nullptr ? nullptr : &scope->names.find(name)->second;
}

void Evaluator::set(std::string_view name, const Value& value) {
  Scope* scope = frame_->scope;
  if (frame_->code != nullptr) {
    if (frame_->code->names.globals.contains(name)) scope = &frame_->module->scope;
    if (frame_->code->names.nonlocals.contains(name)) {
      Scope* const outer = scope_of(name);
      scope = outer == nullptr ? scope->outer : outer;
    }
  }
  if (scope == nullptr) return;
  if (scope->escaped.contains(name)) escape(value);
  heap_.set(*scope, name, value);
}

void Evaluator::bind(const Expression& target, const Value& value) {
  switch (target.kind) {
    case ExpressionKind::Name: return set(target.text, value);
    case ExpressionKind::Tuple: return bind_all(target, value);
    case ExpressionKind::Attribute: {
      const Value base = evaluate(target.parts[0]);
      if (!is_over()) set_attribute(base, target.text, value);
      return;
    }
    case ExpressionKind::Subscript: return bind_item(target, value);
    default: return;
  }
}

void Evaluator::bind_all(const Expression& target, const Value& value) {
  const auto items = value.is_unknown() ? std::nullopt : items_of(value);
  if (is_over()) return;
  const std::vector<Expression>& parts = target.parts;
  const auto star = std::find_if(parts.begin(), parts.end(),
                                 [](const Expression& part) { return part.kind == ExpressionKind::Keyword; });
  const bool has_star = star != parts.end();
  const std::size_t fixed = parts.size() - (has_star ? 1 : 0);
  if (items && (items->size() < fixed || (!has_star && items->size() != fixed))) {
    if (items->size() > fixed)
      return raise_text("ValueError: too many values to unpack (expected " + std::to_string(fixed) + ")",
                        minor_number_ < 14);
    return raise_text("ValueError: not enough values to unpack (expected " + std::string(has_star ? "at least " : "") +
                      std::to_string(fixed) + ", got " + std::to_string(items->size()) + ")");
  }
  std::size_t at = 0;
  for (const Expression& part : parts) {
    if (is_over()) return;
    if (part.kind != ExpressionKind::Keyword) {
      bind(part, items ? (*items)[at] : Value{});
      ++at;
      continue;
    }
    const std::size_t count = items ? items->size() - fixed : 0;
    Value rest = heap_.list({});
    rest.object->has_escaped = !items;
    if (items)
      rest.items().assign(items->begin() + static_cast<std::ptrdiff_t>(at),
                          items->begin() + static_cast<std::ptrdiff_t>(at + count));
    bind(part.parts[0], rest);
    at += count;
  }
}

void Evaluator::bind_item(const Expression& target, const Value& value) {
  const Value base = evaluate(target.parts[0]);
  const Value key =
      target.parts[1].kind == ExpressionKind::Slice ? evaluate_slice(target.parts[1]) : evaluate(target.parts[1]);
  if (is_over()) return;
  if (base.is(ValueKind::Known) && base.text() == "sys.modules") {
    if (!key.is_text()) return;
    Module* made = value.is(ValueKind::Module) ? static_cast<Module*>(value.object) : nullptr;
    if (made == nullptr) {
      made = heap_.make<Module>(ValueKind::Module);
      made->name = key.text();
      made->is_open = true;
      made->is_blocked = value.is(ValueKind::None);
    }
    modules_.insert_or_assign(key.text(), made);
    return;
  }
  if (base.is(ValueKind::View) && base.text() == "names") return set_name(base, key, value);
  if (base.is(ValueKind::List) && key.is(ValueKind::Slice) && !base.has_escaped()) {
    const auto items = items_of(value);
    if (is_over()) return;
    auto indices = taken_by(key, base.items().size());
    const bool is_plain = key.items()[2].is(ValueKind::None);
    if (items && indices && is_plain) {
      const auto begin = key.items()[0].is(ValueKind::None) ? 0 : key.items()[0].number;
      const auto size = static_cast<Integer>(base.items().size());
      const auto from =
          static_cast<std::size_t>(indices->empty() ? std::clamp<Integer>(begin < 0 ? begin + size : begin, 0, size)
                                                    : static_cast<Integer>(indices->front()));
      heap_.touch(*base.object);
      std::vector<Value>& all = base.items();
      const auto place = all.erase(all.begin() + static_cast<std::ptrdiff_t>(from),
                                   all.begin() + static_cast<std::ptrdiff_t>(from + indices->size()));
      all.insert(place, items->begin(), items->end());
      return;
    }
  }
  const Value done = checked(set_item(base, key, value));
  if (is_over() || !done.is_unknown()) return;
  escape(base);
  escape(value);
}

void Evaluator::remove(const Expression& target) {
  switch (target.kind) {
    case ExpressionKind::Name: {
      Scope* const scope = scope_of(target.text);
      if (scope != nullptr) return heap_.erase(*scope, target.text);
      evaluate_name(target.text);
      return;
    }
    case ExpressionKind::Tuple:
      for (const Expression& part : target.parts) {
        if (!is_over()) remove(part);
      }
      return;
    case ExpressionKind::Attribute: {
      const Value base = evaluate(target.parts[0]);
      if (!is_over()) delete_attribute(base, target.text);
      return;
    }
    case ExpressionKind::Subscript: {
      const Value base = evaluate(target.parts[0]);
      const bool is_slice = target.parts[1].kind == ExpressionKind::Slice;
      const Value key = is_slice ? evaluate_slice(target.parts[1]) : evaluate(target.parts[1]);
      if (is_over()) return;
      if (base.is(ValueKind::Known) && base.text() == "sys.modules") {
        if (key.is_text()) modules_.erase(key.text());
        return;
      }
      if (const Value done = checked(delete_item(base, key)); done.is_unknown()) escape(base);
      return;
    }
    default: return;
  }
}

}  // namespace soresolve::python
