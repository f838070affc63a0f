// By kinds of values. What a class of a source defines comes first, then what the interpreter's own types do.
#include "python/operations.h"

#include <algorithm>
#include <utility>

#include "python/known_functions.h"
#include "python/paths.h"

namespace soresolve::python {
namespace {

struct Sign {
  std::string_view sign;
  std::string_view method;
  std::string_view reflected;
};
constexpr Sign kSigns[] = {{"+", "add", "radd"},
                           {"-", "sub", "rsub"},
                           {"*", "mul", "rmul"},
                           {"/", "truediv", "rtruediv"},
                           {"//", "floordiv", "rfloordiv"},
                           {"%", "mod", "rmod"},
                           {"**", "pow", "rpow"},
                           {"|", "or", "ror"},
                           {"&", "and", "rand"},
                           {"^", "xor", "rxor"},
                           {"<<", "lshift", "rlshift"},
                           {">>", "rshift", "rrshift"},
                           {"@", "matmul", "rmatmul"},
                           {"==", "eq", "eq"},
                           {"!=", "ne", "ne"},
                           {"<", "lt", "gt"},
                           {"<=", "le", "ge"},
                           {">", "gt", "lt"},
                           {">=", "ge", "le"}};

const Sign* sign_of(std::string_view sign) {
  const auto found =
      std::find_if(std::begin(kSigns), std::end(kSigns), [&](const Sign& each) { return each.sign == sign; });
  return found == std::end(kSigns) ? nullptr : found;
}

std::string dunder(std::string_view name) { return "__" + std::string(name) + "__"; }

}  // namespace

bool is_plain_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

std::string decimal(Integer value, unsigned base) {
  __extension__ using Whole = unsigned __int128;
  const bool is_negative = value < 0;
  Whole rest = is_negative ? -static_cast<Whole>(value) : static_cast<Whole>(value);
  std::string digits;
  do {
    digits += "0123456789abcdef"[static_cast<unsigned>(rest % base)];
    rest /= base;
  } while (rest != 0);
  if (is_negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string type_name(const Value& value) {
  switch (value.kind) {
    case ValueKind::None: return "NoneType";
    case ValueKind::Ellipsis: return "ellipsis";
    case ValueKind::NotImplemented: return "NotImplementedType";
    case ValueKind::Bool: return "bool";
    case ValueKind::Int: return "int";
    case ValueKind::Float: return "float";
    case ValueKind::Text: return "str";
    case ValueKind::Bytes: return "bytes";
    case ValueKind::Path: return "PosixPath";
    case ValueKind::List: return "list";
    case ValueKind::Set: return "set";
    case ValueKind::FrozenSet: return "frozenset";
    case ValueKind::Mapping: return "dict";
    case ValueKind::Range: return "range";
    case ValueKind::Slice: return "slice";
    case ValueKind::View: return "dict_" + value.text();
    case ValueKind::Module: return "module";
    case ValueKind::Function: return "function";
    case ValueKind::Class: return "type";
    case ValueKind::Property: return "property";
    case ValueKind::Tuple:
    case ValueKind::Instance:
      return value.object->type == nullptr ? "tuple"
                                           : value.object->type->text.substr(value.object->type->text.rfind('.') + 1);
    default: return "object";
  }
}

Value Operations::no_attribute(const Value& self, std::string_view name) {
  const std::string end = " has no attribute '" + std::string(name) + "'";
  const bool is_class = self.is(ValueKind::Class);
  const std::string_view type = is_class ? std::string_view(self.text()) : std::string_view();
  if (is_class)
    return failed("AttributeError: type object '" + std::string(type.substr(type.rfind('.') + 1)) + "'" + end);
  return failed("AttributeError: '" + type_name(self) + "' object" + end);
}

Value Operations::of_classes(const Value& left, std::string_view sign, const Value& right, bool is_in_place,
                             bool& is_done) {
  const Sign* const names = sign_of(sign);
  if (names == nullptr || (!left.is(ValueKind::Instance) && !right.is(ValueKind::Instance))) return {};
  const auto ask = [&](const Value& self, const std::string& name, const Value& other) -> std::optional<Value> {
    if (!self.is(ValueKind::Instance)) return std::nullopt;
    auto made = special(self, name, {other});
    return made && !made->is(ValueKind::NotImplemented) ? made : std::nullopt;
  };
  is_done = true;
  if (is_in_place) {
    if (const auto made = ask(left, "__i" + std::string(names->method) + "__", right)) return *made;
  }
  // The right one comes first where its class is derived from the left one's.
  const bool is_right_first =
      left.is(ValueKind::Instance) && right.is(ValueKind::Instance) && left.object->type != right.object->type &&
      std::find(right.object->type->order.begin(), right.object->type->order.end(), left.object->type) !=
          right.object->type->order.end();
  if (is_right_first) {
    if (const auto made = ask(right, dunder(names->reflected), left)) return *made;
  }
  if (const auto made = ask(left, dunder(names->method), right)) return *made;
  if (sign == "!=") {
    if (const auto made = ask(left, "__eq__", right)) return truth_value(inverted(truth(*made)));
  }
  if (!is_right_first) {
    if (const auto made = ask(right, dunder(names->reflected), left)) return *made;
  }
  const auto is_open = [](const Value& value) { return value.is(ValueKind::Instance) && value.object->type->is_open; };
  if (is_open(left) || is_open(right) || left.is_unknown() || right.is_unknown()) return {};
  is_done = false;
  return {};
}

Value Operations::calculated(Integer left, std::string_view sign, Integer right) {
  Integer result = 0;
  const auto checked = [&](bool has_overflown) { return has_overflown ? Value{} : number(result); };
  if (sign == "+") return checked(__builtin_add_overflow(left, right, &result));
  if (sign == "-") return checked(__builtin_sub_overflow(left, right, &result));
  if (sign == "*") return checked(__builtin_mul_overflow(left, right, &result));
  if (sign == "|") return number(left | right);
  if (sign == "&") return number(left & right);
  if (sign == "^") return number(left ^ right);
  const bool is_shift = sign == "<<" || sign == ">>";
  if (is_shift && right < 0) return failed("ValueError: negative shift count");
  constexpr Integer kBits = 127;
  if (sign == ">>") return number(right >= kBits ? (left < 0 ? -1 : 0) : left >> right);
  if (sign == "<<" || sign == "**") {
    if (sign == "**" && right < 0) return {.kind = left == 0 ? ValueKind::Unknown : ValueKind::Float};
    if (sign == "<<" && right >= kBits) return left == 0 ? number(0) : Value{};
    const Integer factor = sign == "<<" ? 2 : left;
    result = sign == "<<" ? left : 1;
    if (sign == "**" && (left == 0 || left == 1)) return number(right == 0 ? 1 : left);
    if (sign == "**" && left == -1) return number(right % 2 == 0 ? 1 : -1);
    for (Integer i = 0; i < right; ++i) {
      if (__builtin_mul_overflow(result, factor, &result)) return {};
    }
    return number(result);
  }
  const bool is_known = minor_number_ >= 11 && minor_number_ < 14;
  if (sign == "/") return right == 0 ? failed("ZeroDivisionError: division by zero") : Value{.kind = ValueKind::Float};
  if (sign != "//" && sign != "%") return {};
  if (right == 0)
    return failed(sign == "%" ? "ZeroDivisionError: integer modulo by zero"
                              : "ZeroDivisionError: integer division or modulo by zero",
                  is_known);
  const Integer rest = left % right;
  const bool is_below = rest != 0 && (rest < 0) != (right < 0);
  if (sign == "%") return number(is_below ? rest + right : rest);
  if (right == -1) return calculated(0, "-", left);
  return number(left / right - (is_below ? 1 : 0));
}

Value Operations::repeated(const Value& whole, const Value& count) {
  const std::size_t times = count.number <= 0          ? 0
                            : count.number > 1'000'000 ? 1'000'000
                                                       : static_cast<std::size_t>(count.number);
  if (whole.is_text() || whole.is(ValueKind::Bytes)) {
    if (times * whole.text().size() > kMaxTextBytes) return {};
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += whole.text();
    return heap_.make_text(whole.kind, std::move(all));
  }
  if (whole.has_escaped() || times * whole.items().size() > kMaxItems) return {};
  std::vector<Value> all;
  for (std::size_t i = 0; i < times; ++i) all.insert(all.end(), whole.items().begin(), whole.items().end());
  return heap_.make_items(whole.kind, std::move(all));
}

Value Operations::joined(const Value& left, const Value& right, bool is_in_place) {
  if (left.is(ValueKind::List) && is_in_place) return {};  // extends; done by the caller
  if (left.kind == right.kind && (left.is_text() || left.is(ValueKind::Bytes)))
    return heap_.make_text(left.kind, left.text() + right.text());
  if (left.kind == right.kind && left.is_sequence()) {
    if (left.has_escaped() || right.has_escaped()) return {};
    std::vector<Value> items = left.items();
    items.insert(items.end(), right.items().begin(), right.items().end());
    return heap_.make_items(left.kind, std::move(items));
  }
  const std::string name = type_name(left);
  if (left.is(ValueKind::Bytes)) return failed("TypeError: can't concat " + type_name(right) + " to bytes");
  return failed("TypeError: can only concatenate " + name + " (not \"" + type_name(right) + "\") to " + name);
}

Value Operations::of_sets(const Value& left, std::string_view sign, const Value& right, bool is_in_place) {
  if (left.has_escaped() || right.has_escaped()) return {};
  std::vector<Value> items;
  const auto take = [&](const Value& from, const Value& other, bool is_wanted) {
    for (std::size_t i = 0; i < from.items().size(); ++i) {
      const auto place = place_of(other, from.items()[i]);
      if (!place) return false;
      if ((*place != kNowhere) == is_wanted) items.push_back(from.items()[i]);
    }
    return true;
  };
  bool is_known = true;
  if (sign == "|") {
    items = left.items();
    is_known = take(right, left, false);
  } else if (sign == "&") {
    is_known = take(left, right, true);
  } else {
    is_known = take(left, right, false) && (sign == "-" || take(right, left, false));
  }
  if (!is_known) return {};
  if (!is_in_place || !left.is(ValueKind::Set)) return heap_.make_items(left.kind, std::move(items));
  heap_.touch(*left.object);
  left.items() = std::move(items);
  return left;
}

Value Operations::unsupported(const Value& left, std::string_view sign, const Value& right, bool is_in_place) {
  const auto is_open = [](const Value& value) {
    if (value.is(ValueKind::Instance)) return value.object->type->is_open;
    return type_name(value) == "object" || value.is_unknown() || value.is(ValueKind::Known) ||
           value.is(ValueKind::Opened) || value.is(ValueKind::Class) || value.is(ValueKind::Iterator);
  };
  if (is_open(left) || is_open(right)) return {};
  std::string name = sign == "**" ? "** or pow()" : std::string(sign);
  if (is_in_place) name = sign == "**" ? "**=" : std::string(sign) + "=";
  return failed("TypeError: unsupported operand type(s) for " + name + ": '" + type_name(left) + "' and '" +
                type_name(right) + "'");
}

Value Operations::operate(const Value& left, std::string_view sign, const Value& right, bool is_in_place) {
  bool is_done = false;
  Value made = of_classes(left, sign, right, is_in_place, is_done);
  if (is_done) return made;
  if (left.is_text() && sign == "%") return filled(left, right);
  if (left.is(ValueKind::Bytes) && sign == "%") return {};
  if (left.is_unknown() || right.is_unknown()) return {};
  if (left.is_number() && right.is_number()) {
    Value result = calculated(left.number, sign, right.number);
    const bool is_of_bits = sign == "|" || sign == "&" || sign == "^";
    if (is_of_bits && left.is(ValueKind::Bool) && right.is(ValueKind::Bool)) result.kind = ValueKind::Bool;
    return result;
  }
  const auto is_real = [](const Value& value) { return value.is_number() || value.is(ValueKind::Float); };
  if (is_real(left) && is_real(right)) {
    const bool may_fail = sign == "/" || sign == "//" || sign == "%" || sign == "**";
    return sign == "+" || sign == "-" || sign == "*" || may_fail
               ? Value{.kind = may_fail ? ValueKind::Unknown : ValueKind::Float}
               : unsupported(left, sign, right, is_in_place);
  }
  const auto is_whole = [](const Value& value) {
    return value.is_text() || value.is(ValueKind::Bytes) || value.is_sequence();
  };
  if (sign == "*" && (is_whole(left) || is_whole(right))) {
    const bool is_left = is_whole(left);
    if (const auto made = special(is_left ? right : left, "__index__", {}))
      return made->is_number() ? repeated(is_left ? left : right, *made) : Value{};
  }
  if (sign == "*" && is_whole(left) && right.is_number() && !(is_in_place && left.is(ValueKind::List)))
    return repeated(left, right);
  if (sign == "*" && is_whole(left) && right.is_number()) {
    Value all = repeated(left, right);
    if (all.is_unknown()) return {};
    heap_.touch(*left.object);
    left.items() = all.items();
    return left;
  }
  if (sign == "*" && is_whole(right) && left.is_number()) return repeated(right, left);
  if (sign == "*" && (is_whole(left) || is_whole(right))) {
    const Value& other = is_whole(left) ? right : left;
    return other.is(ValueKind::Instance) || other.is(ValueKind::Known) || other.is(ValueKind::Class)
               ? unsupported(left, sign, right, is_in_place)
               : failed("TypeError: can't multiply sequence by non-int of type '" + type_name(other) + "'");
  }
  if (sign == "+" && is_whole(left)) return right.is(ValueKind::Known) ? Value{} : joined(left, right, is_in_place);
  const auto is_view = [](const Value& value) { return value.is(ValueKind::View); };
  if (is_view(left) || is_view(right)) {
    const Value first = as_set(left);
    const Value second = as_set(right);
    return first.is_set() && second.is_set() ? operate(first, sign, second) : Value{};
  }
  const bool is_of_sets = sign == "|" || sign == "&" || sign == "-" || sign == "^";
  if (is_of_sets && left.is_set() && right.is_set()) return of_sets(left, sign, right, is_in_place);
  if (sign == "|" && left.is_mapping() && right.is_mapping()) {
    if (left.has_escaped() || right.has_escaped()) return {};
    const Value both = is_in_place ? left : heap_.make_items(ValueKind::Mapping, left.items());
    for (std::size_t i = 0; i + 1 < right.items().size(); i += 2) {
      if (!set_item(both, right.items()[i], right.items()[i + 1]).is(ValueKind::None)) return {};
    }
    return both;
  }
  if (sign == "/" && (left.is(ValueKind::Path) || right.is(ValueKind::Path))) {
    const auto is_part = [](const Value& value) { return value.is_text() || value.is(ValueKind::Path); };
    if (is_part(left) && is_part(right))
      return heap_.make_text(ValueKind::Path, joined_path(left.text(), right.text()));
  }
  return unsupported(left, sign, right, is_in_place);
}

Value Operations::negated(std::string_view sign, const Value& value) {
  if (value.is_number()) {
    if (sign == "-") return calculated(0, "-", value.number);
    return number(sign == "~" ? -value.number - 1 : value.number);
  }
  if (value.is(ValueKind::Float) && sign != "~") return value;
  if (const auto made = special(value, sign == "-" ? "__neg__" : sign == "+" ? "__pos__" : "__invert__", {}))
    return *made;
  const bool is_plain = value.is_text() || value.is_container() || value.is(ValueKind::None) ||
                        (value.is(ValueKind::Instance) && !value.object->type->is_open);
  return is_plain
             ? failed("TypeError: bad operand type for unary " + std::string(sign) + ": '" + type_name(value) + "'")
             : Value{};
}

}  // namespace soresolve::python
