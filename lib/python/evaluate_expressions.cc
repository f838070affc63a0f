// Expressions: what of their values is known. Source: the Python Language Reference, "Expressions".
#include <algorithm>
#include <charconv>
#include <utility>

#include "python/built_in_names.h"
#include "python/evaluator.h"
#include "python/parser.h"

namespace soresolve::python {
namespace {

Value number_of(std::string_view text) {
  std::string digits(text);
  std::erase(digits, '_');
  const char prefix = digits.size() > 1 && digits[0] == '0' ? static_cast<char>(digits[1] | 0x20) : '\0';
  const int base = prefix == 'x' ? 16 : prefix == 'o' ? 8 : prefix == 'b' ? 2 : 10;
  if (base == 10 && digits.find_first_not_of("0123456789") != std::string::npos)
    return {.kind = (digits.back() | 0x20) == 'j' ? ValueKind::Unknown : ValueKind::Float};
  Integer result = 0;
  for (const char c : std::string_view(digits).substr(base == 10 ? 0 : 2)) {
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    const bool is_over = __builtin_mul_overflow(result, static_cast<Integer>(base), &result) ||
                         __builtin_add_overflow(result, static_cast<Integer>(digit), &result);
    if (is_over) return probable();
  }
  return number(result);
}

bool is_format(const Expression& literal) {
  return literal.text.substr(0, literal.text.find_first_of("\"'")).find_first_of("fF") != std::string_view::npos;
}

}  // namespace

Value Evaluator::checked(const Value& value) {
  if (!value.is(ValueKind::Failed)) return value;
  if (!is_over()) raise_text(value.text(), value.number == 0);
  return {};
}

std::optional<bool> Evaluator::tested(const Value& value) { return is_over() ? std::nullopt : truth(value); }

Value Evaluator::evaluate(const Expression& expression) {
  if (is_over()) return {};
  if (--steps_left_ <= 0) return {};
  if (nesting_ >= kMaxPythonDepth) {
    limit("import-cut-depth", kMaxPythonDepth);
    return {};
  }
  ++nesting_;
  const Value value = checked(evaluate_kind(expression));
  --nesting_;
  return is_over() ? Value{} : value;
}

Value Evaluator::evaluate_kind(const Expression& expression) {
  const std::vector<Expression>& parts = expression.parts;
  switch (expression.kind) {
    case ExpressionKind::Opaque:
      for (const Expression& part : parts) evaluate(part);
      return {};
    case ExpressionKind::Keyword: return evaluate(parts[0]);
    case ExpressionKind::Name: return evaluate_name(expression.text);
    case ExpressionKind::Number:
    case ExpressionKind::String:
    case ExpressionKind::Strings: return evaluate_literal(expression);
    case ExpressionKind::Ellipsis: return {.kind = ValueKind::Ellipsis};
    case ExpressionKind::Attribute: {
      const Value base = evaluate(parts[0]);
      return is_over() ? Value{} : attribute(base, expression.text);
    }
    case ExpressionKind::Call: return call(expression);
    case ExpressionKind::Slice: return evaluate_slice(expression);
    case ExpressionKind::Subscript: {
      const Value whole = evaluate(parts[0]);
      const Value key = evaluate(parts[1]);
      if (is_over()) return {};
      if (whole.is(ValueKind::Known)) {
        if (whole.text() == "ctypes.cdll" || whole.text() == "ctypes.pydll")
          return open_library(Arguments({key}), whole.text());
        if (whole.text() == "sys.modules") return module_in(key);
        return whole.text().starts_with("typing.") ? whole : Value{};
      }
      if (whole.is(ValueKind::View) && whole.text() == "names") return name_in(whole, key);
      if (whole.is(ValueKind::Class)) {
        // A class method, whether or not it is declared so.
        Value* const made = find_in_class(static_cast<ClassObject&>(*whole.object), "__class_getitem__");
        if (made == nullptr) return {};
        return call_value(bound(Value(*made), {}, static_cast<ClassObject&>(*whole.object)), Arguments({key}));
      }
      return item(whole, key);
    }
    case ExpressionKind::Tuple:
    case ExpressionKind::Mapping: return evaluate_items(expression);
    case ExpressionKind::Operation: {
      const Value left = evaluate(parts[0]);
      const Value right = evaluate(parts[1]);
      return is_over() ? Value{} : operate(left, expression.text, right);
    }
    case ExpressionKind::Negation: {
      const Value value = evaluate(parts[0]);
      return is_over() ? Value{} : negated(expression.text, value);
    }
    case ExpressionKind::Not: {
      const std::optional<bool> truth = tested(evaluate(parts[0]));
      return truth_value(truth ? std::optional(!*truth) : truth);
    }
    case ExpressionKind::And: return evaluate_logic(expression, false);
    case ExpressionKind::Or: return evaluate_logic(expression, true);
    case ExpressionKind::Comparison: {
      const Value left = evaluate(parts[0]);
      return evaluate_comparison(expression, left, evaluate(parts[1]));
    }
    case ExpressionKind::Choice: return evaluate_choice(expression);
    case ExpressionKind::Walrus: {
      const Value value = evaluate(parts[0]);
      Scope* scope = frame_->scope;
      while (scope != nullptr && scope->is_comprehension) scope = scope->outer;
      if (is_over()) return {};
      if (scope == frame_->scope)
        set(expression.text, value);
      else
        heap_.set(scope == nullptr ? frame_->module->scope : *scope, expression.text, value);
      return value;
    }
    case ExpressionKind::Comprehension: return evaluate_comprehension(expression);
    case ExpressionKind::Lambda: return function_of(expression.function);
    case ExpressionKind::Yield:
    case ExpressionKind::YieldFrom: return evaluate_yield(expression);
  }
  return {};
}

Value Evaluator::evaluate_literal(const Expression& expression) {
  const bool has_format = expression.kind == ExpressionKind::String
                              ? is_format(expression)
                              : std::any_of(expression.parts.begin(), expression.parts.end(), is_format);
  if (has_format) return evaluate_strings(expression);
  const auto [known, is_new] = literals_.try_emplace(&expression);
  if (!is_new) return known->second;
  const Value made =
      expression.kind == ExpressionKind::Number ? number_of(expression.text) : evaluate_strings(expression);
  return literals_[&expression] = made;
}

// A name that code which is not followed may bind at any time is not known.
Value Evaluator::evaluate_name(std::string_view name) {
  if (Scope* const scope = scope_of(name)) {
    if (!scope->escaped.empty() && scope->escaped.contains(name)) return {};
    const Value& found = scope->names.find(name)->second;
    // A metaclass may make something of what is assigned in its class (enum).
    const bool is_made = frame_->type != nullptr && frame_->type->is_open && scope == frame_->scope;
    return is_made && !found.is(ValueKind::Function) ? Value{} : found;
  }
  if (frame_->code != nullptr && frame_->code->names.locals.contains(name)) {
    const std::string words =
        minor_number_ >= 11
            ? "cannot access local variable '" + std::string(name) + "' where it is not associated with a value"
            : "local variable '" + std::string(name) + "' referenced before assignment";
    raise_text("UnboundLocalError: " + words);
    return {};
  }
  if (Value known = known_functions_.named(name); !known.is_unknown() && name.find('.') == std::string_view::npos)
    return known;
  if (ClassObject* const type = exception_class(name)) return of(type);
  // `try: NAME` / `except NameError:` asks whether a name is there (numpy's __NUMPY_SETUP__); elsewhere what is not
  // known is no failure.
  const Module& module = *frame_->module;
  const bool may_be_there = module.is_open || may_be_built_in(name) || !module.scope.escaped.empty();
  const bool is_nowhere =
      !may_be_there && !name.starts_with('_') && module.source && !module.source->may_make_globals();
  if (is_nowhere || (is_asked_ && !may_be_there && is_expected("NameError")))
    raise_text("NameError: name '" + std::string(name) + "' is not defined");
  return {};
}

Value Evaluator::evaluate_slice(const Expression& expression) {
  std::vector<Value> bounds;
  for (const Expression& part : expression.parts)
    bounds.push_back(part.kind == ExpressionKind::Opaque ? none() : evaluate(part));
  return is_over() ? Value{} : heap_.make_items(ValueKind::Slice, std::move(bounds));
}

Value Evaluator::evaluate_strings(const Expression& expression) {
  const std::vector<Expression> alone =
      expression.kind == ExpressionKind::String ? std::vector{expression} : std::vector<Expression>();
  const std::vector<Expression>& parts = alone.empty() ? expression.parts : alone;
  std::string all;
  const bool is_bytes =
      parts[0].text.substr(0, parts[0].text.find_first_of("\"'")).find_first_of("bB") != std::string_view::npos;
  bool is_known = true;
  for (const Expression& part : parts) {
    std::optional<std::string> next;
    if (is_format(part)) {
      const Value made = evaluate_format(part);
      if (made.is_text()) next = made.text();
    } else {
      next = literal_text(part.text);
    }
    if (is_over()) return {};
    is_known = is_known && next && all.size() <= kMaxTextBytes;
    if (is_known) all += *next;
  }
  return is_known ? heap_.make_text(is_bytes ? ValueKind::Bytes : ValueKind::Text, std::move(all)) : Value{};
}

// An f-string. Its fields are expressions, with `!r` and a format behind them.
Value Evaluator::evaluate_format(const Expression& expression) {
  const std::string_view literal = expression.text;
  const std::size_t quote = literal.find_first_of("\"'");
  const bool is_raw = literal.substr(0, quote).find_first_of("rR") != std::string_view::npos;
  const bool is_long =
      literal.size() >= quote + 6 && literal[quote + 1] == literal[quote] && literal[quote + 2] == literal[quote];
  const std::size_t size = is_long ? 3 : 1;
  const std::function<std::optional<std::string>(std::string_view)> filled =
      [&](std::string_view text) -> std::optional<std::string> {
    std::string all;
    bool is_known = true;
    for (std::size_t i = 0; i < text.size();) {
      const char c = text[i];
      if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
        all += c;
        i += 2;
        continue;
      }
      if (c != '{') {
        const std::size_t end = std::min(text.find_first_of("{}", i == 0 || c != '}' ? i : i + 1), text.size());
        const auto plain = unescaped(text.substr(i, end - i), is_raw, false);
        is_known = is_known && plain;
        if (plain) all += *plain;
        if (end == i) return std::nullopt;
        i = end;
        continue;
      }
      // The end of the expression: in no brackets and in no text.
      int depth = 0;
      std::size_t end = i + 1;
      char inside = '\0';
      for (; end < text.size(); ++end) {
        const char each = text[end];
        if (inside != '\0') {
          if (each == inside) inside = '\0';
        } else if (each == '"' || each == '\'') {
          inside = each;
        } else if (std::string_view("([{").find(each) != std::string_view::npos) {
          ++depth;
        } else if (depth > 0 && std::string_view(")]}").find(each) != std::string_view::npos) {
          --depth;
        } else if (depth == 0 && (each == '}' || each == ':' || (each == '!' && text.substr(end + 1, 1) != "="))) {
          break;
        }
      }
      std::string_view field = text.substr(i + 1, end - i - 1);
      char conversion = '\0';
      const std::size_t last = field.find_last_not_of(' ');
      const bool is_shown = last != std::string_view::npos && last > 0 && field[last] == '=' &&
                            std::string_view("=!<>").find(field[last - 1]) == std::string_view::npos;
      if (is_shown) {
        all += field;
        field = field.substr(0, last);
      }
      if (end < text.size() && text[end] == '!') {
        conversion = end + 1 < text.size() ? text[end + 1] : '\0';
        end += 2;
      }
      std::string form;
      if (end < text.size() && text[end] == ':') {
        const std::size_t begin = ++end;
        for (depth = 0; end < text.size() && (depth > 0 || text[end] != '}'); ++end)
          depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
        const auto made = filled(text.substr(begin, end - begin));
        is_known = is_known && made;
        form = made.value_or("");
      } else if (is_shown && conversion == '\0') {
        conversion = 'r';
      }
      i = end + 1;
      auto [parsed, is_new] = fields_.try_emplace(field.data());
      if (is_new) parsed->second = parse_expression(field, expression.line);
      const Value value = evaluate(parsed->second);
      if (is_over()) return std::nullopt;
      Value made;
      if (conversion == '\0') {
        made = checked(formatted(value, form));
      } else if (auto said = conversion == 's' ? shown(value) : conversion == 'r' ? written(value) : std::nullopt) {
        made = checked(formatted(heap_.text(*std::move(said)), form));
      }
      if (is_over()) return std::nullopt;
      is_known = is_known && made.is_text() && all.size() <= kMaxTextBytes;
      if (is_known) all += made.text();
    }
    return is_known ? std::optional(std::move(all)) : std::nullopt;
  };
  auto text = filled(literal.substr(quote + size, literal.size() - quote - 2 * size));
  return text ? heap_.text(*std::move(text)) : Value{};
}

Value Evaluator::evaluate_comparison(const Expression& expression, const Value& left, const Value& right) {
  if (is_over()) return {};
  const bool is_of_modules = right.is(ValueKind::Known) && right.text() == "sys.modules" && left.is_text();
  // Of those that the interpreter has loaded by itself nothing is known, but that a module elsewhere is none of them.
  if (is_of_modules) {
    const bool is_there = loaded(left.text()) != nullptr;
    const bool is_known = is_there || !is_standard(top_of(left.text()));
    return is_known ? truth_value(is_there == (expression.text == "in")) : Value{};
  }
  const bool is_of_none = right.is(ValueKind::None) && expression.text == "is not";
  if (is_of_none && left.is_probable()) return probable();
  return compare(left, expression.text, right);
}

Value Evaluator::evaluate_choice(const Expression& expression) {
  const Value condition = evaluate(expression.parts[1]);
  const std::optional<bool> truth = tested(condition);
  if (is_over()) return {};
  if (truth) return evaluate(expression.parts[*truth ? 0 : 2]);
  Value first;
  Value second;
  Alternatives both(*this);
  const auto take = [&](Value& into, const Expression& part) {
    return [&] {
      into = evaluate(part);
      return is_over() ? Flow::Raise : Flow::Next;
    };
  };
  both.add(condition.is_probable(), take(first, expression.parts[0]));
  both.add(!condition.is_probable(), take(second, expression.parts[2]));
  both.end();
  if (is_same(first, second)) return first;
  escape(first);
  escape(second);
  return truth_of(first) == true && truth_of(second) == true ? probable() : Value{};
}

// `stop`: the truth that ends it. One that is known decides, even behind what is not.
Value Evaluator::evaluate_logic(const Expression& expression, bool stop) {
  const bool is_chain = !expression.text.empty();
  Value left = is_chain ? evaluate(expression.parts[0].parts[0]) : Value{};
  const auto evaluate_part = [&](const Expression& part) {
    if (!is_chain) return evaluate(part);
    const Value right = evaluate(part.parts[1]);
    const Value compared = checked(evaluate_comparison(part, left, right));
    left = right;
    return compared;
  };
  const std::function<Value(std::size_t, bool)> from = [&](std::size_t first, bool is_known) -> Value {
    Value last;
    for (std::size_t i = first; i < expression.parts.size(); ++i) {
      last = evaluate_part(expression.parts[i]);
      if (is_over()) return {};
      const std::optional<bool> truth = tested(last);
      if (is_over()) return {};
      if (truth == stop) return is_known ? last : unknown_of(stop);
      if (truth || i + 1 == expression.parts.size()) continue;
      // Behind what is not known it is perhaps not evaluated.
      escape(last);
      Value rest;
      Alternatives both(*this);
      both.add(true, [&] {
        rest = from(i + 1, false);
        return is_over() ? Flow::Raise : Flow::Next;
      });
      both.add_nothing();
      both.end();
      return truth_of(rest) == stop ? unknown_of(stop) : Value{};
    }
    return is_known ? last : Value{};
  };
  return from(0, true);
}

Value Evaluator::evaluate_items(const Expression& expression) {
  std::vector<Value> items;
  const bool is_mapping = expression.kind == ExpressionKind::Mapping;
  const ValueKind kind = is_mapping               ? ValueKind::Mapping
                         : expression.text == "[" ? ValueKind::List
                         : expression.text == "{" ? ValueKind::Set
                                                  : ValueKind::Tuple;
  bool is_known = true;
  for (const Expression& part : expression.parts) {
    const Value item = evaluate(part);
    if (is_over()) return {};
    if (part.kind != ExpressionKind::Keyword) {
      items.push_back(item);
      continue;
    }
    if (part.text == "**") {
      is_known = is_known && item.is_mapping() && !item.has_escaped();
      if (is_known) items.insert(items.end(), item.items().begin(), item.items().end());
    } else {
      const auto all = items_of(item, kind == ValueKind::Set);
      if (is_over()) return {};
      is_known = is_known && all;
      if (is_known) items.insert(items.end(), all->begin(), all->end());
    }
  }
  const bool has_order = kind == ValueKind::List || kind == ValueKind::Tuple;
  Value whole = heap_.make_items(kind, has_order && is_known ? items : std::vector<Value>());
  if (whole.is_unknown()) return {};
  // Each key or element once.
  for (std::size_t i = 0; !has_order && is_known && i < items.size(); i += is_mapping ? 2 : 1) {
    const Value key = checked(hashed(items[i]));
    if (is_over()) return {};
    is_known = !key.is_unknown() &&
               (is_mapping ? set_item(whole, items[i], items[i + 1]).is(ValueKind::None) : add_to_set(whole, items[i]));
  }
  if (!is_known) {
    for (const Value& item : items) escape(item);
    if (kind == ValueKind::Tuple) return items.empty() ? Value{} : probable();
    whole.items().clear();
    whole.object->has_escaped = true;
  }
  return whole;
}

// The function that it is, called with what it goes through first.
Value Evaluator::evaluate_comprehension(const Expression& expression) {
  if (expression.parts.empty() || !expression.function) return {};
  const Value whole = evaluate(expression.parts[0]);
  if (is_over()) return {};
  const bool is_generator = expression.text == "(";
  const bool is_set = expression.text == "{";
  const Value iterator = iterator_of(whole, is_set);
  if (is_over()) return {};
  Value made = function_of(expression.function);
  auto& function = static_cast<FunctionObject&>(*made.object);
  if (is_generator) return run_function(function, Arguments({iterator.is_unknown() ? Value{} : iterator}));
  std::vector<Value> yielded;
  Frame frame{.module = frame_->module, .scope = heap_.make_scope(function.outer)};
  frame.scope->is_comprehension = true;
  frame.code = &around_.sources.body_of(expression.function);
  frame.function = &function;
  frame.collected = &yielded;
  frame.scope->names.emplace(".0", iterator);
  Frame* const outer = std::exchange(frame_, &frame);
  const int loops = std::exchange(loops_, 0);
  const bool was_uncertain = std::exchange(is_loop_uncertain_, false);
  const int undecided = std::exchange(collecting_, undecided_);
  run_block(frame.code->statements);
  collecting_ = undecided;
  is_loop_uncertain_ = was_uncertain;
  loops_ = loops;
  frame_ = outer;
  if (is_over()) return {};
  const bool is_mapping = expression.text == "{:";
  bool is_known = frame.is_perhaps_whole;
  Value result = heap_.make_items(is_mapping ? ValueKind::Mapping : is_set ? ValueKind::Set : ValueKind::List, {});
  for (const Value& each : yielded) {
    if (!is_known) break;
    if (is_mapping) {
      const Value key = checked(hashed(each.items()[0]));
      if (is_over()) return {};
      is_known = !key.is_unknown() && set_item(result, each.items()[0], each.items()[1]).is(ValueKind::None);
    } else if (is_set) {
      const Value key = checked(hashed(each));
      if (is_over()) return {};
      is_known = !key.is_unknown() && add_to_set(result, each);
    } else {
      result.items().push_back(each);
      is_known = result.items().size() <= kMaxItems;
    }
  }
  if (is_known) return result;
  for (const Value& each : yielded) escape(each);
  result.items().clear();
  result.object->has_escaped = true;
  return result;
}

// In a comprehension; of a generator see resume().
Value Evaluator::evaluate_yield(const Expression& expression) {
  const Value value = expression.parts.empty() ? none() : evaluate(expression.parts[0]);
  if (is_over()) return {};
  if (frame_->collected == nullptr || expression.kind == ExpressionKind::YieldFrom) {
    // In the midst of an expression of a generator.
    escape(value);
    frame_->is_perhaps_whole = false;
    return {};
  }
  if (undecided_ != collecting_) {
    frame_->is_perhaps_whole = false;
    escape(value);
  }
  if (frame_->collected->size() <= kMaxItems) frame_->collected->push_back(value);
  return none();
}

}  // namespace soresolve::python
