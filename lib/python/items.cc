// Lengths, items and slices of values. Source: the Python Library Reference, "Common Sequence Operations", "Mapping
// Types".
#include <algorithm>
#include <utility>

#include "python/operations.h"

namespace soresolve::python {

Value Operations::length(const Value& value) {
  if (value.is_text())
    return is_plain_ascii(value.text()) ? number(static_cast<Integer>(value.text().size())) : Value{};
  if (value.is(ValueKind::Bytes)) return number(static_cast<Integer>(value.text().size()));
  if (value.is_container()) {
    if (value.has_escaped()) return {};
    return number(static_cast<Integer>(value.items().size() / (value.is_mapping() ? 2 : 1)));
  }
  if (value.is(ValueKind::Range)) {
    const std::vector<Value>& parts = value.items();
    const Integer step = parts[2].number;
    const Integer size =
        step > 0 ? parts[1].number - parts[0].number + step - 1 : parts[1].number - parts[0].number + step + 1;
    return number(size / step < 0 ? 0 : size / step);
  }
  if (const auto made = special(value, "__len__", {})) return *made;
  const bool is_plain = value.is_number() || value.is(ValueKind::None) || value.is(ValueKind::Float) ||
                        value.is(ValueKind::Function) ||
                        (value.is(ValueKind::Instance) && !value.object->type->is_open);
  return is_plain ? failed("TypeError: object of type '" + type_name(value) + "' has no len()") : Value{};
}

std::optional<std::vector<std::size_t>> taken_by(const Value& slice, std::size_t size) {
  const std::vector<Value>& parts = slice.items();
  for (const Value& part : parts) {
    if (!part.is(ValueKind::None) && !part.is_number()) return std::nullopt;
  }
  const auto whole = static_cast<Integer>(size);
  const Integer step = parts[2].is(ValueKind::None) ? 1 : parts[2].number;
  if (step == 0) return std::nullopt;
  const auto bound = [&](const Value& part, Integer otherwise) {
    if (part.is(ValueKind::None)) return otherwise;
    const Integer at = part.number < 0 ? part.number + whole : part.number;
    return std::clamp<Integer>(at, step < 0 ? -1 : 0, step < 0 ? whole - 1 : whole);
  };
  const Integer begin = bound(parts[0], step < 0 ? whole - 1 : 0);
  const Integer end = bound(parts[1], step < 0 ? -1 : whole);
  std::vector<std::size_t> indices;
  for (Integer i = begin; step > 0 ? i < end : i > end; i += step) indices.push_back(static_cast<std::size_t>(i));
  return indices;
}

Value Operations::sliced(const Value& whole, const Value& slice) {
  const bool is_text = whole.is_text() || whole.is(ValueKind::Bytes);
  if (whole.has_escaped() || (!is_text && !whole.is_sequence()) || (is_text && !is_plain_ascii(whole.text())))
    return {};
  if (slice.items()[2].is_number() && slice.items()[2].number == 0)
    return failed("ValueError: slice step cannot be zero");
  const auto indices = taken_by(slice, is_text ? whole.text().size() : whole.items().size());
  if (!indices) return {};
  if (is_text) {
    std::string part;
    for (const std::size_t i : *indices) part += whole.text()[i];
    return heap_.make_text(whole.kind, std::move(part));
  }
  std::vector<Value> part;
  for (const std::size_t i : *indices) part.push_back(whole.items()[i]);
  return heap_.make_items(whole.kind, std::move(part));
}

Value Operations::item(const Value& whole, const Value& key) {
  if (whole.is_unknown()) return {};
  if (key.is(ValueKind::Slice) && !whole.is(ValueKind::Instance)) {
    if (whole.is_mapping()) return minor_number_ < 12 ? failed("TypeError: unhashable type: 'slice'") : Value{};
    return sliced(whole, key);
  }
  const bool is_text = whole.is_text() || whole.is(ValueKind::Bytes);
  if (is_text || whole.is_sequence()) {
    const std::string name = is_text && whole.is_text() ? "string" : type_name(whole);
    if (key.is(ValueKind::Instance)) {
      if (const auto made = special(key, "__index__", {}))
        return made->is_number()    ? item(whole, *made)
               : made->is_unknown() ? Value{}
                                    : failed("TypeError: __index__ returned non-int", false);
      if (key.object->type->is_open) return {};
    }
    if (key.is_unknown() || whole.has_escaped()) return {};
    if (!key.is_number()) {
      if (is_text)
        return failed("TypeError: string indices must be integers, not '" + type_name(key) + "'",
                      minor_number_ > 10 && whole.is_text());
      return failed("TypeError: " + name + " indices must be integers or slices, not " + type_name(key));
    }
    if (is_text && !is_plain_ascii(whole.text())) return {};
    const auto size = static_cast<Integer>(is_text ? whole.text().size() : whole.items().size());
    const Integer index = key.number < 0 ? key.number + size : key.number;
    if (index < 0 || index >= size)
      return failed("IndexError: " + (whole.is(ValueKind::Tuple) ? "tuple" : name) + " index out of range",
                    !whole.is(ValueKind::Bytes));
    const auto at = static_cast<std::size_t>(index);
    if (!is_text) return whole.items()[at];
    return whole.is_text() ? heap_.text(std::string(1, whole.text()[at]))
                           : number(static_cast<unsigned char>(whole.text()[at]));
  }
  if (whole.is_mapping()) {
    if (const Value made = hashed(key); made.is(ValueKind::Failed)) return made;
    const auto place = key.is_unknown() ? std::nullopt : place_of(whole, key);
    if (!place) return {};
    if (*place != kNowhere) return whole.items()[*place + 1];
    const auto name = written(key);
    return failed("KeyError: " + name.value_or(""), name.has_value());
  }
  if (whole.is(ValueKind::Range) && key.is_number()) {
    const Value size = length(whole);
    const Integer index = key.number < 0 ? key.number + size.number : key.number;
    if (index < 0 || index >= size.number) return failed("IndexError: range object index out of range");
    return number(whole.items()[0].number + index * whole.items()[2].number);
  }
  if (const auto made = special(whole, "__getitem__", {key})) return *made;
  const bool is_plain = whole.is_number() || whole.is(ValueKind::None) || whole.is(ValueKind::Function) ||
                        whole.is_set() || (whole.is(ValueKind::Instance) && !whole.object->type->is_open);
  return is_plain ? failed("TypeError: '" + type_name(whole) + "' object is not subscriptable") : Value{};
}

Value Operations::set_item(const Value& whole, const Value& key, const Value& value) {
  if (whole.is_unknown()) return {};
  if (whole.is_mapping()) {
    if (const Value made = hashed(key); made.is(ValueKind::Failed)) return made;
    const auto place = key.is_unknown() ? std::nullopt : place_of(whole, key);
    if (!place) return {};
    heap_.touch(*whole.object);
    if (*place != kNowhere) {
      whole.items()[*place + 1] = value;
      return none();
    }
    whole.items().push_back(key);
    whole.items().push_back(value);
    return whole.items().size() > 2 * kMaxItems ? Value{} : none();
  }
  if (whole.is(ValueKind::List)) {
    if (whole.has_escaped() || key.is_unknown() || key.is(ValueKind::Slice)) return {};
    if (!key.is_number()) return failed("TypeError: list indices must be integers or slices, not " + type_name(key));
    const auto size = static_cast<Integer>(whole.items().size());
    const Integer index = key.number < 0 ? key.number + size : key.number;
    if (index < 0 || index >= size) return failed("IndexError: list assignment index out of range");
    heap_.touch(*whole.object);
    whole.items()[static_cast<std::size_t>(index)] = value;
    return none();
  }
  if (const auto made = special(whole, "__setitem__", {key, value})) return none();
  const bool is_class = whole.is(ValueKind::Class) && !static_cast<const ClassObject&>(*whole.object).is_open;
  const bool is_plain = is_class || whole.is_text() || whole.is(ValueKind::Tuple) || whole.is_number() ||
                        whole.is_set() || whole.is(ValueKind::None) || whole.is(ValueKind::Bytes) ||
                        (whole.is(ValueKind::Instance) && !whole.object->type->is_open);
  return is_plain ? failed("TypeError: '" + type_name(whole) + "' object does not support item assignment") : Value{};
}

Value Operations::delete_item(const Value& whole, const Value& key) {
  if (whole.is_mapping()) {
    if (const Value made = hashed(key); made.is(ValueKind::Failed)) return made;
    const auto place = key.is_unknown() ? std::nullopt : place_of(whole, key);
    if (!place) return {};
    if (*place == kNowhere) return item(whole, key);
    heap_.touch(*whole.object);
    const auto at = whole.items().begin() + static_cast<std::ptrdiff_t>(*place);
    whole.items().erase(at, at + 2);
    return none();
  }
  if (whole.is(ValueKind::List) && !whole.has_escaped()) {
    const bool is_slice = key.is(ValueKind::Slice);
    if (!is_slice && !key.is_number()) return {};
    auto indices = is_slice ? taken_by(key, whole.items().size()) : std::vector<std::size_t>();
    if (!indices) return {};
    if (!is_slice) {
      const auto size = static_cast<Integer>(whole.items().size());
      const Integer index = key.number < 0 ? key.number + size : key.number;
      if (index < 0 || index >= size) return failed("IndexError: list assignment index out of range");
      indices->push_back(static_cast<std::size_t>(index));
    }
    heap_.touch(*whole.object);
    std::sort(indices->begin(), indices->end());
    for (std::size_t i = indices->size(); i-- > 0;)
      whole.items().erase(whole.items().begin() + static_cast<std::ptrdiff_t>((*indices)[i]));
    return none();
  }
  if (const auto made = special(whole, "__delitem__", {key})) return none();
  const bool is_plain = whole.is_text() || whole.is(ValueKind::Tuple);
  return is_plain ? failed("TypeError: '" + type_name(whole) + "' object doesn't support item deletion") : Value{};
}

}  // namespace soresolve::python
