// Truths and comparisons of values. Source: the Python Language Reference, "Comparisons".
#include <algorithm>
#include <utility>

#include "python/operations.h"

namespace soresolve::python {
namespace {

constexpr int kMostDepth = 40;  ///< lists in each other

template <class Type>
std::optional<bool> by_sign(const Type& left, std::string_view sign, const Type& right) {
  if (sign == "<") return left < right;
  if (sign == "<=") return left <= right;
  if (sign == ">") return left > right;
  return left >= right;
}

bool has_texts(const Value& left, const Value& right) {
  return left.kind == right.kind && (left.is_text() || left.is(ValueKind::Bytes) || left.is(ValueKind::Path));
}

/// Kinds of which each object is equal to itself alone, unless its class says otherwise.
bool is_by_identity(const Value& value) {
  switch (value.kind) {
    case ValueKind::Module:
    case ValueKind::Function:
    case ValueKind::Class:
    case ValueKind::Instance:
    case ValueKind::Iterator:
    case ValueKind::Opened: return true;
    default: return false;
  }
}

/// Which of them are equal across kinds: numbers among each other, sets, and nothing else.
int family_of(const Value& value) {
  if (value.is_number() || value.is(ValueKind::Float)) return 1;
  if (value.is_set()) return 2;
  return 100 + static_cast<int>(value.kind);
}

}  // namespace

std::optional<bool> Operations::truth(const Value& value) {
  if (!value.is(ValueKind::Instance)) return truth_of(value);
  if (const auto made = special(value, "__bool__", {}))
    return made->is(ValueKind::Bool) ? truth_of(*made) : std::nullopt;
  if (const auto made = special(value, "__len__", {})) return made->is_number() ? truth_of(*made) : std::nullopt;
  return value.object->type->is_open ? std::nullopt : std::optional(true);
}

std::optional<bool> Operations::equal(const Value& left, const Value& right) {
  if (left.is_unknown() || right.is_unknown() || left.is(ValueKind::Failed) || right.is(ValueKind::Failed))
    return std::nullopt;
  if (left.object != nullptr && left.object == right.object && !left.is(ValueKind::Instance)) return true;
  for (const auto& [self, other] : {std::pair{left, right}, std::pair{right, left}}) {
    if (!self.is(ValueKind::Instance)) continue;
    if (const auto made = special(self, "__eq__", {other}); made && !made->is(ValueKind::NotImplemented))
      return truth(*made);
    if (self.object->type->is_open && left.object != right.object) return std::nullopt;
  }
  if (left.is_number() && right.is_number()) return left.number == right.number;
  if (family_of(left) != family_of(right)) return false;
  if (has_texts(left, right) || left.is(ValueKind::Known)) return left.text() == right.text();
  if (left.is(ValueKind::None) || left.is(ValueKind::Ellipsis)) return true;
  if (left.is_sequence() || left.is(ValueKind::Slice)) return equal_items(left, right);
  if (left.is_mapping() || left.is_set()) return equal_mappings(left, right);
  if (left.is(ValueKind::Range))
    return is_same(left, right) || equal_items(left, right) == true ? std::optional(true) : std::nullopt;
  return is_by_identity(left) && !left.has_escaped() ? std::optional(left.object == right.object) : std::nullopt;
}

std::optional<bool> Operations::equal_items(const Value& left, const Value& right) {
  if (left.has_escaped() || right.has_escaped() || depth_ > kMostDepth) return std::nullopt;
  if (left.items().size() != right.items().size()) return false;
  std::optional<bool> all = true;
  ++depth_;
  for (std::size_t i = 0; i < std::min(left.items().size(), right.items().size()); ++i) {
    const Value a = left.items()[i];
    const Value b = right.items()[i];
    const auto one = is_same(a, b) ? std::optional(true) : equal(a, b);
    if (one == false) all = all ? std::optional(false) : all;
    if (!one) all.reset();
    if (all != true) break;
  }
  --depth_;
  return all;
}

std::optional<bool> Operations::equal_mappings(const Value& left, const Value& right) {
  if (left.has_escaped() || right.has_escaped() || depth_ > kMostDepth) return std::nullopt;
  if (left.items().size() != right.items().size()) return false;
  std::optional<bool> all = true;
  ++depth_;
  const std::size_t step = left.is_mapping() ? 2 : 1;
  for (std::size_t i = 0; i < left.items().size() && all == true; i += step) {
    const auto place = place_of(right, left.items()[i]);
    if (!place)
      all.reset();
    else if (*place == kNowhere)
      all = false;
    else if (step == 2)
      all = equal(left.items()[i + 1], right.items()[*place + 1]);
  }
  --depth_;
  return all;
}

std::optional<std::size_t> Operations::place_of(const Value& whole, const Value& key) {
  if (whole.has_escaped()) return std::nullopt;
  const std::size_t step = whole.is_mapping() ? 2 : 1;
  bool is_known = true;
  for (std::size_t i = 0; i < whole.items().size(); i += step) {
    const Value each = whole.items()[i];
    const auto one = is_same(each, key) ? std::optional(true) : equal(each, key);
    if (one == true && is_known) return i;
    is_known = is_known && one;
  }
  return is_known ? std::optional(kNowhere) : std::nullopt;
}

bool Operations::add_to_set(const Value& whole, const Value& item) {
  const auto place = place_of(whole, item);
  if (!place) return false;
  if (*place != kNowhere) return true;
  heap_.touch(*whole.object);
  whole.items().push_back(item);
  return whole.items().size() <= kMaxItems;
}

Value Operations::hashed(const Value& key) {
  if (key.is_unknown()) return {};
  const bool is_mutable = key.is(ValueKind::List) || key.is(ValueKind::Set) || key.is_mapping();
  if (is_mutable) return failed("TypeError: unhashable type: '" + type_name(key) + "'", minor_number_ < 14);
  if (key.is(ValueKind::Tuple)) {
    for (const Value& item : key.items()) {
      if (Value made = hashed(item); !made.is(ValueKind::None)) return made;
    }
  }
  if (key.is(ValueKind::Instance)) {
    if (const auto made = special(key, "__hash__", {}))
      return made->is(ValueKind::None) || made->is_unknown() ? Value{} : none();
    if (const auto made = special(key, "__eq__", {key}))
      return failed("TypeError: unhashable type: '" + type_name(key) + "'", minor_number_ < 14);
  }
  return none();
}

/// Has its class a method that gives what is in it?
static bool is_iterable(const Value& value) {
  return std::any_of(value.object->type->order.begin(), value.object->type->order.end(), [](const ClassObject* each) {
    return each->is_open || each->scope.names.contains("__iter__") || each->scope.names.contains("__getitem__");
  });
}

Value Operations::contains(const Value& whole, const Value& part) {
  if (whole.is_unknown()) return {};
  if (whole.is_text() || whole.is(ValueKind::Bytes)) {
    if (part.is_unknown()) return {};
    if (part.kind == whole.kind) return truth_value(whole.text().find(part.text()) != std::string::npos);
    if (whole.is_text())
      return failed("TypeError: 'in <string>' requires string as left operand, not " + type_name(part));
    return {};
  }
  if (whole.is_set() || whole.is_mapping()) {
    if (const Value made = hashed(part); made.is(ValueKind::Failed)) return made;
  }
  if (whole.is_container()) {
    if (part.is_unknown() && whole.items().empty() && !whole.has_escaped()) return truth_value(false);
    if (part.is_unknown()) return {};
    if (whole.is_sequence()) {
      if (whole.has_escaped()) return {};
      std::optional<bool> found = false;
      for (std::size_t i = 0; i < whole.items().size(); ++i) {
        const Value each = whole.items()[i];
        const auto one = is_same(each, part) ? std::optional(true) : equal(each, part);
        if (one == true) return truth_value(true);
        if (!one) found.reset();
      }
      return truth_value(found);
    }
    const auto place = place_of(whole, part);
    return truth_value(place ? std::optional(*place != kNowhere) : std::nullopt);
  }
  if (whole.is(ValueKind::Range)) {
    if (!part.is_number()) return {};
    const std::vector<Value>& parts = whole.items();
    const Integer step = parts[2].number;
    const Integer from = part.number - parts[0].number;
    const bool is_inside =
        step > 0 ? part.number < parts[1].number && from >= 0 : part.number > parts[1].number && from <= 0;
    return truth_value(is_inside && from % step == 0);
  }
  if (const auto made = special(whole, "__contains__", {part})) return truth_value(truth(*made));
  const bool has_items = whole.is(ValueKind::Iterator) || whole.is(ValueKind::View) ||
                         (whole.is(ValueKind::Instance) && !part.is_unknown());
  if (has_items && !(whole.is(ValueKind::Instance) && !is_iterable(whole))) return found_in(whole, part);
  const bool is_plain =
      whole.is_number() || whole.is(ValueKind::None) || (whole.is(ValueKind::Instance) && !whole.object->type->is_open);
  return is_plain ? failed("TypeError: argument of type '" + type_name(whole) + "' is not iterable", minor_number_ < 14)
                  : Value{};
}

Value Operations::ordered_items(const Value& left, std::string_view sign, const Value& right) {
  if (left.has_escaped() || right.has_escaped() || depth_ > kMostDepth) return {};
  const std::size_t size = std::min(left.items().size(), right.items().size());
  for (std::size_t i = 0; i < size; ++i) {
    const Value a = left.items()[i];
    const Value b = right.items()[i];
    const auto same = is_same(a, b) ? std::optional(true) : equal(a, b);
    if (!same) return {};
    if (*same) continue;
    ++depth_;
    const Value result = compare(a, sign, b);
    --depth_;
    return result;
  }
  return truth_value(by_sign(left.items().size(), sign, right.items().size()));
}

Value Operations::ordered(const Value& left, std::string_view sign, const Value& right) {
  if (left.is_unknown() || right.is_unknown()) return {};
  bool is_done = false;
  Value made = of_classes(left, sign, right, false, is_done);
  if (is_done) return made;
  if (left.is_number() && right.is_number()) return truth_value(by_sign(left.number, sign, right.number));
  if (has_texts(left, right)) return truth_value(by_sign(left.text(), sign, right.text()));
  if (left.kind == right.kind && left.is_sequence()) return ordered_items(left, sign, right);
  if (left.is_set() && right.is_set()) {
    const Value& small = sign.starts_with('<') ? left : right;
    const Value& large = sign.starts_with('<') ? right : left;
    if (small.has_escaped() || large.has_escaped()) return {};
    for (std::size_t i = 0; i < small.items().size(); ++i) {
      const auto place = place_of(large, small.items()[i]);
      if (!place) return {};
      if (*place == kNowhere) return truth_value(false);
    }
    return truth_value(sign.ends_with('=') || small.items().size() < large.items().size());
  }
  if (left.is(ValueKind::Float) || right.is(ValueKind::Float) || left.is(ValueKind::Known) ||
      right.is(ValueKind::Known))
    return {};
  return failed("TypeError: '" + std::string(sign) + "' not supported between instances of '" + type_name(left) +
                "' and '" + type_name(right) + "'");
}

Value Operations::compare(const Value& left, std::string_view sign, const Value& right) {
  if (sign == "==" || sign == "!=") {
    bool is_done = false;
    const Value made = left.is(ValueKind::Instance) || right.is(ValueKind::Instance)
                           ? of_classes(left, sign, right, false, is_done)
                           : Value{};
    if (is_done) return made;
    const auto same = equal(left, right);
    return truth_value(sign == "==" ? same : inverted(same));
  }
  if (sign == "is" || sign == "is not") {
    std::optional<bool> same;
    const auto is_single = [](const Value& value) {
      return value.is(ValueKind::None) || value.is(ValueKind::Bool) || value.is(ValueKind::Ellipsis);
    };
    // A number or a text may be one object or two.
    const auto is_object = [](const Value& value) {
      const bool is_constant = value.is(ValueKind::Tuple) || value.is(ValueKind::FrozenSet);
      return (value.is_container() && !is_constant) || is_by_identity(value);
    };
    if (left.is_unknown() || right.is_unknown() || left.is(ValueKind::Failed))
      same.reset();
    else if (is_single(left) || is_single(right))
      same = left.kind == right.kind && left.number == right.number;
    else if (left.kind != right.kind && !left.is(ValueKind::Known) && !right.is(ValueKind::Known))
      same = false;
    else if (left.object == right.object && left.object != nullptr)
      same = true;
    else if (left.is(ValueKind::Known) && right.is(ValueKind::Known) && left.text() == right.text())
      same = true;
    else if (is_object(left) && is_object(right))
      same = false;
    return truth_value(sign == "is" ? same : inverted(same));
  }
  if (sign == "in") return contains(right, left);
  if (sign == "not in") {
    const Value made = contains(right, left);
    return made.is(ValueKind::Failed) ? made : truth_value(inverted(truth_of(made)));
  }
  return ordered(left, sign, right);
}

}  // namespace soresolve::python
