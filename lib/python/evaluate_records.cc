// Classes whose fields are known: dataclasses and named tuples. Source: the Python Library Reference, dataclasses,
// collections.namedtuple, typing.NamedTuple.
#include <algorithm>
#include <utility>

#include "base/pieces.h"
#include "python/evaluator.h"

namespace soresolve::python {

// The fields of a dataclass, or of a typing.NamedTuple, with those of its bases.
void Evaluator::note_fields(ClassObject& type, bool is_tuple, bool is_by_name) {
  for (std::size_t i = type.order.size(); i-- > 1;) {
    for (const ClassObject::Field& field : type.order[i]->fields) {
      const auto known = std::find_if(type.fields.begin(), type.fields.end(),
                                      [&](const auto& each) { return each.name == field.name; });
      if (known == type.fields.end() && !is_tuple) type.fields.push_back(field);
    }
  }
  for (const std::string& name : type.annotated) {
    is_by_name = is_by_name || name == "*";
    if (name == "*") continue;
    ClassObject::Field field{.name = name, .is_by_name = is_by_name};
    const auto value = type.scope.names.find(name);
    if (value != type.scope.names.end()) {
      const Value given = value->second;
      const bool is_field = given.is(ValueKind::Opened) && given.text() == "field";
      field.has_default = !is_field || given.items()[0].is(ValueKind::Bool);
      field.is_made = is_field && given.items()[1].number == 1;
      field.is_taken = !is_field || given.items()[3].number == 1;
      field.otherwise = is_field ? given.items()[2] : given;
      if (is_field) type.is_open = type.is_open || given.has_escaped();
      if (!is_field && (given.is(ValueKind::List) || given.is_mapping() || given.is(ValueKind::Set)) && !is_tuple)
        return raise_text("ValueError: mutable default " + std::string("<class '") + type_name(given) +
                          "'> for field " + name + " is not allowed: use default_factory");
      if (is_tuple || is_field) heap_.erase(type.scope, name);
      if (is_field && field.has_default && !field.is_made) heap_.set(type.scope, name, field.otherwise);
    }
    const auto known =
        std::find_if(type.fields.begin(), type.fields.end(), [&](const auto& each) { return each.name == name; });
    if (known != type.fields.end())
      *known = field;
    else
      type.fields.push_back(field);
  }
  bool has_default = false;
  for (const ClassObject::Field& field : type.fields) {
    if (has_default && !field.has_default && field.is_taken && !type.is_open && !field.is_by_name)
      return raise_text("TypeError: non-default argument '" + field.name + "' follows default argument",
                        !is_tuple && minor_number_ < 14);
    has_default = has_default || (field.has_default && field.is_taken && !field.is_by_name);
  }
  type.is_tuple = type.is_tuple || is_tuple;
  type.is_data = type.is_data || !is_tuple;
  std::vector<Value> order;
  for (const ClassObject::Field& field : type.fields) order.push_back(heap_.text(field.name));
  type.scope.names.insert_or_assign("__match_args__", heap_.tuple(order));
  if (is_tuple) type.scope.names.insert_or_assign("_fields", heap_.tuple(std::move(order)));
}

// collections.namedtuple(NAME, FIELDS).
Value Evaluator::record_class(std::string_view name, const Value& fields, const Value& defaults) {
  auto* const type = heap_.make<ClassObject>(ValueKind::Class);
  type->text = std::string(name);
  type->module = frame_->module->name;
  type->order = {type};
  std::vector<std::string> names;
  if (fields.is_text()) {
    std::string all = fields.text();
    std::replace(all.begin(), all.end(), ',', ' ');
    for (const std::string_view word : words_in(all, " \t\n\r\f\v")) names.emplace_back(word);
  } else {
    const auto items = items_of(fields);
    if (!items) return {};
    for (const Value& item : *items) {
      if (item.is(ValueKind::Tuple) && !item.items().empty() && item.items()[0].is_text())
        names.push_back(item.items()[0].text());
      else if (item.is_text())
        names.push_back(item.text());
      else
        return {};
    }
  }
  std::vector<Value> values;
  if (!defaults.is(ValueKind::None)) {
    const auto items = items_of(defaults);
    if (!items || items->size() > names.size()) return {};
    values = *items;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool has_default = i + values.size() >= names.size();
    type->fields.push_back({.name = names[i],
                            .otherwise = has_default ? values[i + values.size() - names.size()] : Value{},
                            .has_default = has_default});
  }
  type->annotated.clear();
  note_fields(*type, true);
  return of(type);
}

// Of a class with fields: what each gets.
void Evaluator::init_record(ClassObject& type, const Value& self, const Arguments& given) {
  const std::string name =
      minor_number_ >= 10
          ? (type.is_tuple ? type.text.substr(type.text.rfind('.') + 1) + ".__new__()" : type.text + ".__init__()")
          : "__init__()";
  std::size_t position = 0;
  std::vector<std::string> missing;
  std::size_t used = 0;
  std::vector<Value> values;
  for (const ClassObject::Field& field : type.fields) {
    Value value;
    const Value* const named = field.is_taken ? given.named(field.name) : nullptr;
    if (named != nullptr) ++used;
    if (field.is_taken && !field.is_by_name && position < given.size()) {
      if (named != nullptr)
        return raise_text("TypeError: " + name + " got multiple values for argument '" + field.name + "'");
      value = given.positions()[position++];
    } else if (named != nullptr) {
      value = *named;
    } else if (field.has_default) {
      value = field.is_made ? call_value(field.otherwise, {}) : field.otherwise;
      if (is_over()) return;
    } else if (given.is_complete() && field.is_taken) {
      missing.push_back("'" + field.name + "'");
    }
    values.push_back(value);
  }
  if (position < given.size() || used < given.names().size()) return raise_text("TypeError: " + name, false);
  if (!missing.empty()) {
    std::string all;
    for (std::size_t i = 0; i < missing.size(); ++i)
      all += (i == 0 ? "" : i + 1 < missing.size() ? ", " : missing.size() == 2 ? " and " : ", and ") + missing[i];
    return raise_text("TypeError: " + name + " missing " + std::to_string(missing.size()) +
                      " required positional argument" + (missing.size() == 1 ? "" : "s") + ": " + all);
  }
  if (type.is_tuple) {
    self.items() = std::move(values);
    return;
  }
  Scope& scope = static_cast<Holder&>(*self.object).scope;
  for (std::size_t i = 0; i < values.size(); ++i) heap_.set(scope, type.fields[i].name, values[i]);
  special(self, "__post_init__", {});
}

}  // namespace soresolve::python
