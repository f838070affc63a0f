// Sources: the Python Language Reference, "Comparisons", "Binary arithmetic operations", "String and Bytes literals";
// the Library Reference, "printf-style String Formatting", pathlib (the operator /).
#include "python/value.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "python/paths.h"

namespace soresolve::python {
namespace {

template <class Type>
std::optional<bool> ordered(const Type& left, std::string_view sign, const Type& right) {
  if (sign == "<") return left < right;
  if (sign == "<=") return left <= right;
  if (sign == ">") return left > right;
  if (sign == ">=") return left >= right;
  return std::nullopt;
}

bool is_number(const Value& value) { return value.is(ValueKind::Number) || value.is(ValueKind::Bool); }

std::optional<bool> equal(const Value& left, const Value& right) {
  if (left.is_unknown() || right.is_unknown()) return std::nullopt;
  if (is_number(left) && is_number(right)) return left.number == right.number;
  if (left.is_text() && right.is_text()) return left.text == right.text;
  if (left.is(ValueKind::None) && right.is(ValueKind::None)) return true;
  if (left.is(ValueKind::List) && right.is(ValueKind::List)) {
    if (left.items->size() != right.items->size()) return false;
    std::optional<bool> all = true;
    for (std::size_t i = 0; i < left.items->size(); ++i) {
      const auto one = equal((*left.items)[i], (*right.items)[i]);
      if (one == false) return false;
      if (!one) all.reset();
    }
    return all;
  }
  // A library that was opened, or a module, is neither a text nor nothing.
  const auto is_plain = [](const Value& value) {
    return is_number(value) || value.is_text() || value.is(ValueKind::None) || value.is(ValueKind::List);
  };
  return is_plain(left) && is_plain(right) ? std::optional(false) : std::nullopt;
}

/// As tuples are ordered: by the first part that differs.
std::optional<bool> ordered_lists(const std::vector<Value>& left, std::string_view sign,
                                  const std::vector<Value>& right) {
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    const auto same = equal(left[i], right[i]);
    if (!same) return std::nullopt;
    if (!*same) return compare(left[i], sign, right[i]);
  }
  return ordered(left.size(), sign, right.size());
}

std::optional<bool> identical(const Value& left, const Value& right) {
  const auto is_single = [](const Value& value) { return value.is(ValueKind::None) || value.is(ValueKind::Bool); };
  if (left.is_unknown() || right.is_unknown() || (!is_single(left) && !is_single(right))) return std::nullopt;
  return left.kind == right.kind && left.number == right.number;
}

std::optional<bool> contains(const Value& whole, const Value& part) {
  if (whole.is_text() && part.is_text()) return whole.text.find(part.text) != std::string::npos;
  if (!whole.is(ValueKind::List) && !whole.is(ValueKind::Mapping)) return std::nullopt;
  std::optional<bool> found = false;
  const std::size_t step = whole.is(ValueKind::Mapping) ? 2 : 1;
  for (std::size_t i = 0; i < whole.items->size(); i += step) {
    const auto one = equal((*whole.items)[i], part);
    if (one == true) return true;
    if (!one) found.reset();
  }
  return found;
}

std::optional<std::int64_t> calculated(std::int64_t left, std::string_view sign, std::int64_t right) {
  std::int64_t result = 0;
  if (sign == "+") return __builtin_add_overflow(left, right, &result) ? std::nullopt : std::optional(result);
  if (sign == "-") return __builtin_sub_overflow(left, right, &result) ? std::nullopt : std::optional(result);
  if (sign == "*") return __builtin_mul_overflow(left, right, &result) ? std::nullopt : std::optional(result);
  if (sign == "|") return left | right;
  if (sign == "&") return left & right;
  if (sign == "^") return left ^ right;
  const bool is_power = sign == "**" && left == 2;
  if ((is_power || (sign == "<<" && left >= 0)) && right >= 0 && right < 62 && left < 2)
    return is_power ? std::int64_t{1} << right : left << right;
  if (sign == "//" && left >= 0 && right > 0) return left / right;
  if (sign == "%" && left >= 0 && right > 0) return left % right;
  return std::nullopt;
}

/// "%s" and "%d" of plain values.
std::optional<std::string> formatted(std::string_view pattern, const Value& given) {
  std::vector<Value> values;
  if (given.is(ValueKind::List))
    values = *given.items;
  else
    values.push_back(given);
  std::string result;
  std::size_t used = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      result += pattern[i];
      continue;
    }
    const char sign = ++i < pattern.size() ? pattern[i] : '\0';
    if (sign == '%') {
      result += '%';
      continue;
    }
    const auto one = (sign == 's' || sign == 'd') && used < values.size() ? shown(values[used++]) : std::nullopt;
    if (!one) return std::nullopt;
    result += *one;
  }
  return result;
}

}  // namespace

std::optional<bool> Value::truth() const {
  switch (kind) {
    case ValueKind::Unknown: return std::nullopt;
    case ValueKind::None: return false;
    case ValueKind::Bool:
    case ValueKind::Number: return number != 0;
    case ValueKind::Text: return !text.empty();
    case ValueKind::List:
    case ValueKind::Mapping: return !items->empty();
    case ValueKind::Known:
    case ValueKind::Module:
    case ValueKind::Function:
    case ValueKind::Class:
    case ValueKind::Error:
    case ValueKind::Object: return true;
  }
  return std::nullopt;
}

Value none() { return {.kind = ValueKind::None}; }
Value truth_value(std::optional<bool> truth) {
  return truth ? Value{.kind = ValueKind::Bool, .number = *truth ? 1 : 0} : Value{};
}
Value number(std::int64_t value) { return {.kind = ValueKind::Number, .number = value}; }
Value text(std::string value) {
  if (value.size() > kMaxTextBytes) return {};
  return {.kind = ValueKind::Text, .text = std::move(value)};
}
Value list(std::vector<Value> items) {
  if (items.size() > kMaxItems) return {};
  return {.kind = ValueKind::List, .items = std::make_shared<const std::vector<Value>>(std::move(items))};
}
Value probable() { return {.number = 1}; }

Value native(std::string file) { return {.text = std::move(file)}; }

Value object() { return {.kind = ValueKind::Object}; }

std::optional<std::string> literal_text(std::string_view literal) {
  const std::size_t open = literal.find_first_of("\"'");
  if (open == std::string_view::npos) return std::nullopt;
  const std::string_view prefix = literal.substr(0, open);
  literal.remove_prefix(open);
  if (prefix.find_first_of("bBfFtT") != std::string_view::npos) return std::nullopt;
  const std::string_view quote = literal.substr(0, 1);
  const bool is_long = literal.size() >= 6 && literal[1] == quote[0] && literal[2] == quote[0];
  const std::size_t size = is_long ? 3 : 1;
  if (literal.size() < 2 * size || !literal.ends_with(quote)) return std::nullopt;
  literal = literal.substr(size, literal.size() - 2 * size);
  const bool is_raw = prefix.find_first_of("rR") != std::string_view::npos;
  if (is_raw || literal.find('\\') == std::string_view::npos) return std::string(literal);
  std::string result;
  for (std::size_t i = 0; i < literal.size(); ++i) {
    if (literal[i] != '\\') {
      result += literal[i];
      continue;
    }
    constexpr std::string_view kWritten = "\\'\"nt";
    constexpr std::string_view kMeant = "\\'\"\n\t";
    const std::size_t which = ++i < literal.size() ? kWritten.find(literal[i]) : std::string_view::npos;
    const bool is_joined = i < literal.size() && literal[i] == '\n';
    if (which == std::string_view::npos && !is_joined) return std::nullopt;
    if (!is_joined) result += kMeant[which];
  }
  return result;
}

std::optional<bool> compare(const Value& left, std::string_view sign, const Value& right) {
  const auto inverted = [](std::optional<bool> truth) { return truth ? std::optional(!*truth) : truth; };
  if (sign == "==") return equal(left, right);
  if (sign == "!=") return inverted(equal(left, right));
  if (sign == "is") return identical(left, right);
  if (sign == "is not") return inverted(identical(left, right));
  if (sign == "in") return contains(right, left);
  if (sign == "not in") return inverted(contains(right, left));
  if (is_number(left) && is_number(right)) return ordered(left.number, sign, right.number);
  if (left.is_text() && right.is_text()) return ordered(left.text, sign, right.text);
  if (left.is(ValueKind::List) && right.is(ValueKind::List)) return ordered_lists(*left.items, sign, *right.items);
  return std::nullopt;
}

Value operate(const Value& left, std::string_view sign, const Value& right) {
  if (is_number(left) && is_number(right)) {
    const auto result = calculated(left.number, sign, right.number);
    return result ? number(*result) : Value{};
  }
  if (left.is_text() && sign == "%") {
    const auto result = formatted(left.text, right);
    return result ? text(*result) : Value{};
  }
  if (left.is_text() && right.is_text()) {
    if (sign == "+") return text(left.text + right.text);
    if (sign == "/") return text(joined_path(left.text, right.text));
  }
  if (left.is(ValueKind::List) && right.is(ValueKind::List) && sign == "+") {
    std::vector<Value> items = *left.items;
    items.insert(items.end(), right.items->begin(), right.items->end());
    return list(std::move(items));
  }
  if (left.is(ValueKind::List) && right.is(ValueKind::List) && sign == "|") {
    std::vector<Value> items = *left.items;
    for (const Value& item : *right.items) {
      const bool is_there = std::any_of(items.begin(), items.end(),
                                        [&](const Value& known) { return compare(known, "==", item) == true; });
      if (!is_there) items.push_back(item);
    }
    return list(std::move(items));
  }
  return {};
}

std::optional<std::string> shown(const Value& value) {
  switch (value.kind) {
    case ValueKind::None: return "None";
    case ValueKind::Bool: return value.number != 0 ? "True" : "False";
    case ValueKind::Number: return std::to_string(value.number);
    case ValueKind::Text: return value.text;
    case ValueKind::Error: return value.number == 0 ? std::optional(value.text) : std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace soresolve::python
