// Expressions: what of their values is known. Source: the Python Language Reference, "Expressions".
#include <algorithm>
#include <charconv>
#include <utility>

#include "base/number_text.h"
#include "python/evaluator.h"
#include "python/parser.h"

namespace soresolve::python {
namespace {

Value number_of(std::string_view digits) {
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  }
  std::int64_t result = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), result, base);
  return error == std::errc() && end == digits.data() + digits.size() ? number(result) : Value{};
}

}  // namespace

Value Evaluator::evaluate(const Expression& expression) {
  if (is_over()) return {};
  if (--steps_left_ <= 0) return {};
  if (nesting_ >= kMaxPythonDepth) {
    limit("import-cut-depth", kMaxPythonDepth);
    return {};
  }
  ++nesting_;
  Value value = evaluate_kind(expression);
  --nesting_;
  return is_over() ? Value{} : value;
}

Value Evaluator::evaluate_kind(const Expression& expression) {
  const std::vector<Expression>& parts = expression.parts;
  switch (expression.kind) {
    case ExpressionKind::Opaque:
    case ExpressionKind::Slice: return {};
    case ExpressionKind::Keyword: return evaluate(parts[0]);
    case ExpressionKind::Name: return evaluate_name(expression.text);
    case ExpressionKind::Number: return number_of(expression.text);
    case ExpressionKind::String:
    case ExpressionKind::Strings: return evaluate_strings(expression);
    case ExpressionKind::Attribute: return evaluate_attribute(evaluate(parts[0]), expression.text);
    case ExpressionKind::Call: return call(expression);
    case ExpressionKind::Subscript: {
      const Value whole = evaluate(parts[0]);
      if (parts[1].kind == ExpressionKind::Slice) {
        const auto bound = [&](const Expression& part) {
          return part.kind == ExpressionKind::Opaque ? none() : evaluate(part);
        };
        return known_functions_.slice(whole, bound(parts[1].parts[0]), bound(parts[1].parts[1]));
      }
      const Value key = evaluate(parts[1]);
      const bool opens = whole.is(ValueKind::Known) && (whole.text == "ctypes.cdll" || whole.text == "ctypes.pydll");
      return opens && !is_over() ? open_library(Arguments({key}), whole.text) : known_functions_.item(whole, key);
    }
    case ExpressionKind::Tuple:
    case ExpressionKind::Mapping: return evaluate_items(expression);
    case ExpressionKind::Operation: {
      const Value left = evaluate(parts[0]);
      return operate(left, expression.text, evaluate(parts[1]));
    }
    case ExpressionKind::Negation: {
      const Value value = evaluate(parts[0]);
      return value.is(ValueKind::Number) && expression.text == "-" ? operate(number(0), "-", value) : Value{};
    }
    case ExpressionKind::Not: {
      const std::optional<bool> truth = evaluate(parts[0]).truth();
      return truth_value(truth ? std::optional(!*truth) : truth);
    }
    case ExpressionKind::And: return evaluate_logic(expression, false);
    case ExpressionKind::Or: return evaluate_logic(expression, true);
    case ExpressionKind::Comparison: {
      const Value left = evaluate(parts[0]);
      const Value right = evaluate(parts[1]);
      const bool is_of_modules = right.is(ValueKind::Known) && right.text == "sys.modules" && left.is_text();
      // Of those that the interpreter has loaded by itself nothing is known.
      if (is_of_modules) return loaded(left.text) ? truth_value(expression.text == "in") : Value{};
      const bool is_of_variables = right.is(ValueKind::Known) && right.text == "os.environ" && left.is_text();
      if (is_of_variables) {
        const Value variable = known_functions_.variable(left.text);
        return variable.is_unknown() ? Value{} : truth_value(variable.is_text() == (expression.text == "in"));
      }
      const bool is_of_none = right.is(ValueKind::None) && expression.text == "is not";
      if (is_of_none && left.is_probable()) return probable();
      return truth_value(compare(left, expression.text, right));
    }
    case ExpressionKind::Choice: {
      const std::optional<bool> truth = evaluate(parts[1]).truth();
      return truth ? evaluate(parts[*truth ? 0 : 2]) : Value{};
    }
    case ExpressionKind::Walrus: {
      Value value = evaluate(parts[0]);
      set(expression.text, value);
      return value;
    }
    case ExpressionKind::Comprehension: return evaluate_comprehension(expression);
  }
  return {};
}

// A name that a function of the source may change is known in functions that do so.
Value Evaluator::evaluate_name(std::string_view name) {
  if (const Value* found = find(name)) {
    const Module& module = *frame_->module;
    const bool is_changed = module.source && module.source->changed_by_functions.contains(name) &&
                            frame_->globals.find(name) == frame_->globals.end();
    if (!is_changed) return *found;
    const auto own = frame_->scope->names.find(name);
    const bool is_own = frame_->is_function && own != frame_->scope->names.end();
    return is_own || found->is(ValueKind::Function) ? *found : Value{};
  }
  if (Value known = known_functions_.named(name); !known.is_unknown()) return known;
  return KnownFunctions::exception_class(name);
}

Value Evaluator::evaluate_attribute(const Value& base, std::string_view name) {
  if (base.is(ValueKind::Module)) return attribute_of(base.text, name);
  if (base.is(ValueKind::Known)) return known_functions_.named(base.text + "." + std::string(name));
  if (base.is_unknown() && !base.text.empty()) return native(base.text);
  if (base.is(ValueKind::Object) && !base.text.empty() && name == "parent") return text(base.text);
  return known_functions_.attribute(base, name);
}

Value Evaluator::evaluate_strings(const Expression& expression) {
  const auto one = [&](const Expression& part) {
    const bool is_format =
        part.text.substr(0, part.text.find_first_of("\"'")).find_first_of("fF") != std::string_view::npos;
    return is_format ? formatted(part.text, part.line) : literal_text(part.text);
  };
  if (expression.kind == ExpressionKind::String) {
    auto whole = one(expression);
    return whole ? text(*std::move(whole)) : Value{};
  }
  std::string all;
  for (const Expression& part : expression.parts) {
    const auto next = one(part);
    if (!next || all.size() > kMaxTextBytes) return {};
    all += *next;
  }
  return text(std::move(all));
}

// An f-string: plain expressions in braces.
std::optional<std::string> Evaluator::formatted(std::string_view literal, std::uint32_t line) {
  const std::size_t quote = literal.find_first_of("\"'");
  std::string plain(literal.substr(0, quote));
  std::erase_if(plain, [](char c) { return c == 'f' || c == 'F'; });
  const auto text = literal_text(plain + std::string(literal.substr(quote)));
  if (!text) return std::nullopt;
  std::string all;
  for (std::size_t i = 0; i < text->size(); ++i) {
    const char c = (*text)[i];
    const bool is_brace = c == '{' || c == '}';
    if (!is_brace) {
      all += c;
    } else if (i + 1 < text->size() && (*text)[i + 1] == c) {
      all += c;
      ++i;
    } else {
      const std::size_t close = c == '{' ? text->find('}', i) : std::string::npos;
      if (close == std::string::npos) return std::nullopt;
      const std::string inside = text->substr(i + 1, close - i - 1);
      const Expression part = parse_expression(inside, line);
      const auto value = shown(evaluate(part));
      if (!value || all.size() > kMaxTextBytes) return std::nullopt;
      all += *value;
      i = close;
    }
  }
  return all;
}

// `stop`: the truth that ends it. One that is known decides, even behind what is not.
Value Evaluator::evaluate_logic(const Expression& expression, bool stop) {
  bool is_known = true;
  Value last;
  for (const Expression& part : expression.parts) {
    // Behind what is not known it is perhaps not evaluated.
    const int guess = is_known ? 0 : 1;
    undecided_ += guess;
    last = evaluate(part);
    undecided_ -= guess;
    if (is_over()) {
      if (guess != 0 && !is_stopped_) raised_.reset();
      return {};
    }
    const std::optional<bool> truth = last.truth();
    if (truth == stop) return is_known ? last : truth_value(stop);
    is_known = is_known && truth;
  }
  return is_known ? last : Value{};
}

Value Evaluator::evaluate_items(const Expression& expression) {
  std::vector<Value> items;
  for (const Expression& part : expression.parts) {
    Value item = evaluate(part);
    if (is_over()) return {};
    const bool is_unpacked = part.kind == ExpressionKind::Keyword;
    if (is_unpacked && !item.is(part.text == "**" ? ValueKind::Mapping : ValueKind::List)) return {};
    if (is_unpacked)
      items.insert(items.end(), item.items->begin(), item.items->end());
    else
      items.push_back(std::move(item));
    if (items.size() > kMaxItems) return {};
  }
  Value whole = list(std::move(items));
  if (expression.kind == ExpressionKind::Mapping && whole.is(ValueKind::List)) whole.kind = ValueKind::Mapping;
  return whole;
}

Value Evaluator::evaluate_comprehension(const Expression& expression) {
  const std::vector<Expression>& parts = expression.parts;
  if (parts.size() < 3) return {};
  Value whole = evaluate(parts[2]);
  if (whole.is(ValueKind::Mapping)) whole = known_functions_.method(whole, "keys", {});
  if (!whole.is(ValueKind::List)) {
    ++unknown_calls_;
    return {};
  }
  const std::shared_ptr<Scope> outer = frame_->scope;
  frame_->scope = std::make_shared<Scope>();
  frame_->scope->outer = outer == frame_->module->scope ? nullptr : outer;
  std::vector<Value> made;
  bool is_known = true;
  bool is_whole = true;  // every condition was decided
  const bool is_mapping = expression.text == "{:";
  for (const Value& item : *whole.items) {
    if (--turns_left_ < 0) is_known = false;
    if (is_over() || !is_known) break;
    bind(parts[1], item);
    std::optional<bool> is_taken = true;
    for (std::size_t i = 3; i < parts.size() && is_taken == true; ++i) is_taken = evaluate(parts[i]).truth();
    is_whole = is_whole && is_taken.has_value();
    if (is_taken != true) continue;
    const Value element = evaluate(parts[0]);
    if (is_mapping && element.is(ValueKind::List))
      made.insert(made.end(), element.items->begin(), element.items->end());
    else
      made.push_back(element);
  }
  frame_->scope = outer;
  if (!is_known || !is_whole || is_over()) return {};
  Value result = list(std::move(made));
  if (is_mapping && result.is(ValueKind::List)) result.kind = ValueKind::Mapping;
  return result;
}

}  // namespace soresolve::python
