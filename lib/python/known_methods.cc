// What methods and attributes of the interpreter's own kinds of values are.
//
// Source: the Python Library Reference: Text Sequence Type, Sequence Types, Set Types, Mapping Types, pathlib; CPython
// Objects/*.c for the texts of exceptions.
#include <algorithm>
#include <utility>

#include "base/path.h"
#include "base/pieces.h"
#include "base/small_file.h"
#include "python/evaluator.h"
#include "python/paths.h"

namespace soresolve::python {
namespace {

/// All methods that a kind has, in any release: what is in none of these lists is no attribute.
constexpr std::pair<ValueKind, std::string_view> kNames[] = {
    {ValueKind::Text,
     "capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha isascii "
     "isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip "
     "maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip "
     "split splitlines "
     "startswith strip swapcase title translate upper zfill"},
    {ValueKind::List, "append clear copy count extend index insert pop remove reverse sort"},
    {ValueKind::Tuple, "count index"},
    {ValueKind::Set,
     "add clear copy difference difference_update discard intersection intersection_update isdisjoint "
     "issubset issuperset "
     "pop remove symmetric_difference symmetric_difference_update union update"},
    {ValueKind::FrozenSet, "copy difference intersection isdisjoint issubset issuperset symmetric_difference union"},
    {ValueKind::Mapping, "clear copy fromkeys get items keys pop popitem setdefault update values move_to_end"},
    {ValueKind::Int,
     "as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag is_integer numerator real to_bytes"},
    {ValueKind::Bool,
     "as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag is_integer numerator real to_bytes"},
    {ValueKind::None, ""},
    {ValueKind::Iterator, "send throw close gi_frame gi_running gi_code gi_yieldfrom from_iterable"},
};

bool has_name(std::string_view all, std::string_view name) {
  const std::vector<std::string_view> words = words_in(all);
  return std::find(words.begin(), words.end(), name) != words.end();
}

}  // namespace

std::optional<bool> KnownMethods::has(ValueKind kind, std::string_view name) {
  for (const auto& [each, names] : kNames) {
    if (each == kind) return has_name(names, name);
  }
  if (kind == ValueKind::Opened) return true;
  const bool is_open = kind == ValueKind::Path || kind == ValueKind::Bytes || kind == ValueKind::View ||
                       kind == ValueKind::Float || kind == ValueKind::Property || kind == ValueKind::Range;
  return is_open ? std::optional(true) : std::nullopt;
}

std::optional<Value> KnownMethods::of_list(Evaluator& in, const Value& self, std::string_view name,
                                           const Arguments& given) {
  std::vector<Value>& items = self.items();
  const Value first = given.at(0);
  const auto place_of = [&]() -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Value each = items[i];
      const auto same = is_same(each, first) ? std::optional(true) : in.equal(each, first);
      if (!same) return std::nullopt;
      if (*same) return i;
    }
    return kNowhere;
  };
  if (name == "count" && given.has_only(1)) {
    Integer count = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto same = in.equal(items[i], first);
      if (!same) return Value{};
      count += *same ? 1 : 0;
    }
    return number(count);
  }
  if (name == "index" && given.has_only(1)) {
    const auto place = place_of();
    if (!place) return Value{};
    if (*place != kNowhere) return number(static_cast<Integer>(*place));
    const auto said = in.written(first);
    if (self.is(ValueKind::Tuple)) return in.heap_.failed("ValueError: tuple.index(x): x not in tuple");
    return in.heap_.failed("ValueError: " + said.value_or("") + " is not in list", said && in.minor_number_ < 14);
  }
  if (!self.is(ValueKind::List)) return std::nullopt;
  if (name == "copy" && given.count() == 0) return in.heap_.list(items);
  in.heap_.touch(*self.object);
  if (name == "append" && given.has_only(1)) {
    items.push_back(first);
    return items.size() <= kMaxItems ? std::optional(none()) : std::nullopt;
  }
  if (name == "clear" && given.count() == 0) return items.clear(), none();
  if (name == "extend" && given.has_only(1)) {
    const bool is_set = first.is_set() && first.items().size() > 1;
    const auto more = first.is_unknown() || is_set ? std::nullopt : in.items_of(first);
    if (!more) return std::nullopt;
    items.insert(items.end(), more->begin(), more->end());
    return items.size() <= kMaxItems ? std::optional(none()) : std::nullopt;
  }
  const auto size = static_cast<Integer>(items.size());
  if (name == "insert" && given.has_only(2) && first.is_number()) {
    const Integer at = std::clamp<Integer>(first.number < 0 ? first.number + size : first.number, 0, size);
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(at), given.at(1));
    return items.size() <= kMaxItems ? std::optional(none()) : std::nullopt;
  }
  if (name == "pop" && given.count() <= 1 && (given.count() == 0 || first.is_number())) {
    if (items.empty()) return in.heap_.failed("IndexError: pop from empty list");
    const Integer at = given.count() == 0 ? size - 1 : first.number < 0 ? first.number + size : first.number;
    if (at < 0 || at >= size) return in.heap_.failed("IndexError: pop index out of range");
    const Value popped = items[static_cast<std::size_t>(at)];
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
    if (popped.is_unknown()) return Value{.kind = ValueKind::NotImplemented};
    return popped;
  }
  if (name == "remove" && given.has_only(1)) {
    const auto place = place_of();
    if (!place) return std::nullopt;
    if (*place == kNowhere) return in.heap_.failed("ValueError: list.remove(x): x not in list");
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(*place));
    return none();
  }
  if (name == "reverse" && given.count() == 0) return std::reverse(items.begin(), items.end()), none();
  if (name == "sort" && given.size() == 0) {
    const Value made = in.sorted(items, given);
    if (made.is(ValueKind::Failed)) return made;
    if (!made.is(ValueKind::List)) return std::nullopt;
    self.items() = made.items();
    return none();
  }
  return std::nullopt;
}

std::optional<Value> KnownMethods::of_set(Evaluator& in, const Value& self, std::string_view name,
                                          const Arguments& given) {
  const Value first = given.at(0);
  if (name == "copy" && given.count() == 0) return in.heap_.make_items(self.kind, self.items());
  constexpr std::pair<std::string_view, std::string_view> kSigns[] = {{"union", "|"},
                                                                      {"update", "|"},
                                                                      {"intersection", "&"},
                                                                      {"intersection_update", "&"},
                                                                      {"difference", "-"},
                                                                      {"difference_update", "-"},
                                                                      {"symmetric_difference", "^"},
                                                                      {"symmetric_difference_update", "^"}};
  for (const auto& [each, sign] : kSigns) {
    if (each != name) continue;
    const bool is_change = name.ends_with("update");
    Value all = self;
    for (const Value& one : given) {
      Value part = one;
      if (!one.is_set()) {
        part = in.as_set(one);
        if (part.is_unknown()) return is_change ? std::nullopt : std::optional(Value{});
      }
      all = in.operate(all, sign, part, is_change);
      if (!all.is_set()) return is_change ? std::nullopt : std::optional(all);
    }
    if (is_change) return none();
    return given.size() == 0 ? in.heap_.make_items(self.kind, self.items()) : all;
  }
  if (name == "issubset" || name == "issuperset" || name == "isdisjoint") {
    const Value whole = in.as_set(first);
    if (!whole.is_set()) return Value{};
    if (name == "isdisjoint") {
      const Value both = in.operate(self, "&", whole);
      return both.is_set() ? truth_value(both.items().empty()) : Value{};
    }
    return in.compare(self, name == "issubset" ? "<=" : ">=", whole);
  }
  if (!self.is(ValueKind::Set)) return std::nullopt;
  in.heap_.touch(*self.object);
  if (name == "clear" && given.count() == 0) return self.items().clear(), none();
  if (name == "add" && given.has_only(1)) {
    const Value key = in.hashed(first);
    if (key.is(ValueKind::Failed)) return key;
    return !key.is_unknown() && in.add_to_set(self, first) ? std::optional(none()) : std::nullopt;
  }
  if (name == "discard" || name == "remove") {
    const auto place = first.is_unknown() ? std::nullopt : in.place_of(self, first);
    if (!place) return std::nullopt;
    if (*place != kNowhere)
      return self.items().erase(self.items().begin() + static_cast<std::ptrdiff_t>(*place)), none();
    const auto said = in.written(first);
    return name == "discard" ? none() : in.heap_.failed("KeyError: " + said.value_or(""), said.has_value());
  }
  if (name == "pop" && given.count() == 0) {
    if (self.items().empty()) return in.heap_.failed("KeyError: 'pop from an empty set'");
    if (self.items().size() > 1) return std::nullopt;
    const Value popped = self.items()[0];
    self.items().clear();
    return popped;
  }
  return std::nullopt;
}

std::optional<Value> KnownMethods::of_mapping(Evaluator& in, const Value& self, std::string_view name,
                                              const Arguments& given) {
  std::vector<Value>& items = self.items();
  const Value key = given.at(0);
  const Value otherwise = given.size() > 1 ? given.at(1) : none();
  const bool is_view = name == "keys" || name == "values" || name == "items";
  if (is_view && given.count() == 0) {
    Value view = in.heap_.make_items(ValueKind::View, {self});
    view.object->text = std::string(name);
    return view;
  }
  if (name == "copy" && given.count() == 0) return in.heap_.make_items(ValueKind::Mapping, items);
  if (name == "update") {
    in.heap_.touch(*self.object);
    if (given.size() > 1 || (given.size() == 1 && !in.update(self, key))) return std::nullopt;
    for (const auto& [each, value] : given.names()) in.set_item(self, in.heap_.text(each), value);
    return none();
  }
  if (name == "clear" && given.count() == 0) {
    in.heap_.touch(*self.object);
    return items.clear(), none();
  }
  if (name == "popitem" && given.count() == 0) {
    if (items.empty()) return in.heap_.failed("KeyError: 'popitem(): dictionary is empty'");
    in.heap_.touch(*self.object);
    const Value pair = in.heap_.tuple({items[items.size() - 2], items.back()});
    items.resize(items.size() - 2);
    return pair;
  }
  const bool is_of_key = name == "get" || name == "pop" || name == "setdefault";
  if (!is_of_key || given.size() == 0 || given.has_names()) return std::nullopt;
  if (const Value made = in.hashed(key); made.is(ValueKind::Failed)) return made;
  const auto place = key.is_unknown() ? std::nullopt : in.place_of(self, key);
  if (!place) return name == "get" ? std::optional(Value{}) : std::nullopt;
  const Value found = *place == kNowhere ? otherwise : items[*place + 1];
  if (name == "get") return found;
  if (*place == kNowhere && name == "setdefault") in.set_item(self, key, otherwise);
  if (name == "pop") {
    if (*place == kNowhere && given.size() < 2) return static_cast<Operations&>(in).item(self, key);
    if (*place != kNowhere) in.delete_item(self, key);
  }
  return found.is_unknown() ? Value{.kind = ValueKind::NotImplemented} : found;
}

// Of the names of a module, a class or an object as a mapping. Their order is not kept.
std::optional<Value> KnownMethods::of_names(Evaluator& in, const Value& self, std::string_view name,
                                            const Arguments& given) {
  const Value key = given.at(0);
  if (name == "get" || name == "setdefault" || name == "pop" || name == "__getitem__") {
    const Value found = in.name_in(self, key);
    if (found.is_unknown()) return name == "get" || name == "__getitem__" ? std::optional(Value{}) : std::nullopt;
    const Value otherwise = given.size() > 1 ? given.at(1) : none();
    if (!found.is(ValueKind::Failed) && name == "pop") in.delete_attribute(self.items()[0], key.text());
    if (!found.is(ValueKind::Failed) || name == "__getitem__" || (name == "pop" && given.size() < 2)) return found;
    if (name == "setdefault") in.set_name(self, key, otherwise);
    return otherwise;
  }
  if (name != "update" || given.size() > 1) return Value{};
  if (given.size() == 1) {
    if (!key.is_mapping() || key.has_escaped()) return std::nullopt;
    for (std::size_t i = 0; i + 1 < key.items().size(); i += 2) in.set_name(self, key.items()[i], key.items()[i + 1]);
  }
  for (const auto& [each, value] : given.names()) in.set_name(self, in.heap_.text(each), value);
  return none();
}

std::optional<Value> KnownMethods::of_path(Evaluator& in, const Value& self, std::string_view name,
                                           const Arguments& given) {
  const std::string& path = self.text();
  const auto made = [&](std::string text) { return in.heap_.make_text(ValueKind::Path, std::move(text)); };
  const bool is_absolute = path.starts_with('/');
  if (name == "is_absolute") return truth_value(is_absolute);
  if (name == "as_posix") return in.heap_.text(path);
  if (name == "locate" && given.has_only(0)) return in.located(path);
  const std::string whole = in.known_functions_.absolute(path);
  const bool is_whole = whole.starts_with('/');
  if (name == "exists" && is_whole) return truth_value(in.known_functions_.exists(whole));
  if (name == "is_file" && is_whole) return truth_value(in.known_functions_.exists(whole, FileKind::Regular));
  if (name == "is_dir" && is_whole) return truth_value(in.known_functions_.exists(whole, FileKind::Directory));
  if (name == "resolve" || name == "absolute") return made(normal_path(whole));
  if (name == "joinpath") return known_call("pathlib.Path")->call(in, given.behind(self));
  if (name == "expanduser") {
    const Value text = known_call("os.path.expanduser")->call(in, Arguments({in.heap_.text(path)}));
    return text.is_text() ? made(text.text()) : Value{};
  }
  if (name == "glob" && is_absolute) {
    const auto pattern = given.text(0, "pattern");
    return pattern ? in.known_functions_.matching(joined_path(path, *pattern), ValueKind::Path) : Value{};
  }
  const auto other = given.text(0);
  if (name == "with_name" && other) return made(joined_path(directory_part(path), *other));
  if (name == "with_suffix" && other) {
    const Value suffix = *attribute(in, self, "suffix");
    return made(path.substr(0, path.size() - suffix.text().size()) + *other);
  }
  if (name == "relative_to" && other) {
    const std::string base = other->ends_with('/') ? *other : *other + "/";
    if (path == *other) return made(".");
    return path.starts_with(base) ? made(path.substr(base.size())) : Value{};
  }
  if (name == "iterdir" && is_absolute) {
    const Value names = in.known_functions_.names_in(path);
    if (!names.is(ValueKind::List)) return Value{};
    std::vector<Value> paths;
    for (const Value& each : names.items()) paths.push_back(made(joined_path(path, each.text())));
    return in.heap_.list(std::move(paths));
  }
  return Value{};
}

// Of a file that open() has opened: what stands in it.
std::optional<Value> KnownMethods::of_file(Evaluator& in, const Value& self, std::string_view name,
                                           const Arguments& given) {
  if (self.text() != "file" || given.count() != 0) return Value{};
  if (name == "close") return none();
  if (name == "__enter__") return self;
  const auto text = read_small_file(in.around_.files, self.items()[0].text(), kMaxTextBytes);
  if (!text || !self.items()[1].is(ValueKind::None)) return Value{};
  if (name == "read") return in.heap_.text(*text);
  return Value{};
}

std::optional<Value> KnownMethods::of_iterator(Evaluator& in, const Value& self, std::string_view name,
                                               const Arguments& given) {
  auto& from = static_cast<IteratorObject&>(*self.object);
  if (name == "__next__" || (name == "send" && from.form == IteratorObject::Form::Generator && given.has_only(1))) {
    Value item;
    const auto pulled = name == "send" ? in.resume(from, item, given.at(0)) : in.pull(self, item);
    if (pulled == Evaluator::Pull::Item) return item.is_unknown() ? Value{.kind = ValueKind::NotImplemented} : item;
    return pulled == Evaluator::Pull::End ? in.stop_iteration(self) : Value{};
  }
  return std::nullopt;
}

// Of the object behind super(): what `object` and exceptions have.
std::optional<Value> KnownMethods::of_super(Evaluator& in, const Value& self, std::string_view name,
                                            const Arguments& given) {
  const Value object = self.items()[0];
  if (name == "__init__" && object.is(ValueKind::Instance)) {
    if (in.is_error(*object.object->type)) {
      in.heap_.touch(*object.object);
      object.items() = given.positions();
    }
    return none();
  }
  if (name == "__new__" && given.size() > 0) return known_call("object.__new__")->call(in, given);
  if (name == "__init_subclass__" || name == "__set_name__") return none();
  if (name == "__setattr__" && given.size() == 2)
    return known_call("object.__setattr__")->call(in, given.behind(object));
  if (name == "__eq__") return Value{.kind = ValueKind::NotImplemented};
  if ((name == "__repr__" || name == "__str__") && object.is(ValueKind::Instance) &&
      in.is_error(*object.object->type)) {
    Holder plain(ValueKind::Instance);
    plain.type = in.exception_class("Exception");
    plain.items = object.items();
    if (name == "__repr__") return Value{};
    auto said = in.shown(of(&plain));
    return said ? in.heap_.text(*std::move(said)) : Value{};
  }
  return Value{};
}

std::optional<Value> KnownMethods::call(Evaluator& in, const Value& self, std::string_view name,
                                        const Arguments& given) {
  switch (self.kind) {
    case ValueKind::Text:
    case ValueKind::Bytes: return of_text(in, self, name, given);
    case ValueKind::List:
    case ValueKind::Tuple:
      if (name == "_replace" && self.object->type != nullptr && given.size() == 0) {
        std::vector<Value> items = self.items();
        for (const auto& named : given.names()) {
          const auto& fields = self.object->type->fields;
          const auto field =
              std::find_if(fields.begin(), fields.end(), [&](const auto& one) { return one.name == named.first; });
          if (field == fields.end()) return Value{};
          items[static_cast<std::size_t>(field - fields.begin())] = named.second;
        }
        Value made = in.heap_.tuple(std::move(items));
        made.object->type = self.object->type;
        return made;
      }
      if (name == "_asdict" && self.object->type != nullptr) {
        const Value made = in.heap_.make_items(ValueKind::Mapping, {});
        for (std::size_t i = 0; i < self.items().size(); ++i)
          in.set_item(made, in.heap_.text(self.object->type->fields[i].name), self.items()[i]);
        return made;
      }
      return of_list(in, self, name, given);
    case ValueKind::Set:
    case ValueKind::FrozenSet: return of_set(in, self, name, given);
    case ValueKind::Mapping: return of_mapping(in, self, name, given);
    case ValueKind::View: return self.text() == "names" ? of_names(in, self, name, given) : Value{};
    case ValueKind::Opened: return of_file(in, self, name, given);
    case ValueKind::Path: return of_path(in, self, name, given);
    case ValueKind::Iterator: return of_iterator(in, self, name, given);
    case ValueKind::Super: return of_super(in, self, name, given);
    case ValueKind::Int:
    case ValueKind::Bool: {
      if (name != "bit_length" || given.count() != 0) return Value{};
      Integer bits = 0;
      for (Integer rest = self.number < 0 ? -self.number : self.number; rest != 0; rest >>= 1) ++bits;
      return number(bits);
    }
    case ValueKind::Property: {
      std::vector<Value> parts = self.items();
      const std::size_t which = name == "getter" ? 0 : name == "setter" ? 1 : name == "deleter" ? 2 : 3;
      if (which == 3 || !given.has_only(1)) return Value{};
      parts[which] = given.at(0);
      return in.heap_.make_items(ValueKind::Property, std::move(parts));
    }
    default: return Value{};
  }
}

std::optional<Value> KnownMethods::attribute(Evaluator& in, const Value& self, std::string_view name) {
  const auto text = [&](std::string made) { return in.heap_.text(std::move(made)); };
  if (self.is(ValueKind::Tuple) && self.object->type != nullptr) {
    ClassObject& type = *self.object->type;
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
      if (type.fields[i].name == name) return i < self.items().size() ? self.items()[i] : Value{};
    }
    if (name == "_replace" || name == "_asdict") {
      Value method = in.heap_.make_items(ValueKind::Method, {self});
      method.object->text = std::string(name);
      return method;
    }
    if (name == "__class__") return of(&type);
    if (Value* const found = in.find_in_class(type, name)) return in.bound(Value(*found), self, type);
    return std::nullopt;
  }
  if (self.is(ValueKind::Instance)) {
    const auto is_a = [&](std::string_view type) {
      return Evaluator::is_derived(*self.object->type, *in.exception_class(type));
    };
    if (self.has_escaped()) return std::nullopt;
    const std::vector<Value>& args = self.items();
    if (name == "args") return in.heap_.tuple(args);
    if (name == "with_traceback" || name == "add_note") {
      return Value{};
    }
    if (name == "__traceback__" || name == "__cause__" || name == "__context__" || name == "__notes__") return Value{};
    if (is_a("ImportError")) {
      if (name == "msg") return args.size() == 1 ? args[0] : none();
      if (name == "name" || name == "path") return args.empty() || self.object->text.empty() ? none() : Value{};
    }
    if (is_a("OSError") && (name == "errno" || name == "strerror" || name == "filename"))
      return args.size() < 2      ? none()
             : name == "errno"    ? args[0]
             : name == "strerror" ? args[1]
             : args.size() > 2    ? args[2]
                                  : none();
    if (is_a("StopIteration") && name == "value") return args.empty() ? none() : args[0];
    if (is_a("SystemExit") && name == "code")
      return args.empty() ? none() : args.size() == 1 ? args[0] : in.heap_.tuple(args);
    if (is_a("BaseExceptionGroup") && args.size() > 1) {
      if (name == "message") return args[0];
      if (name == "exceptions") return Value{};
    }
    return is_a("SyntaxError") || is_a("NameError") || is_a("AttributeError") || is_a("UnicodeError")
               ? std::optional(Value{})
               : std::nullopt;
  }
  if (name == "__class__") return in.type_of(self);
  if (self.is(ValueKind::Opened) && name == "parent" && !self.text().empty()) return text(self.text());
  if (self.is(ValueKind::Range) && (name == "start" || name == "stop" || name == "step"))
    return self.items()[name == "start" ? 0 : name == "stop" ? 1 : 2];
  if (self.is_number() && (name == "real" || name == "numerator")) return number(self.number);
  if (!self.is(ValueKind::Path)) return std::nullopt;
  const std::string& path = self.text();
  const std::string_view last = std::string_view(path).substr(path.rfind('/') + 1);
  const std::size_t dot = last.rfind('.');
  const bool has_suffix = dot != std::string_view::npos && dot != 0 && dot + 1 != last.size();
  const auto parent_of = [](const std::string& of) {
    const std::string made = directory_part(of);
    return made.empty() ? std::string(".") : made;
  };
  if (name == "parent") return in.heap_.make_text(ValueKind::Path, parent_of(path));
  if (name == "name") return text(std::string(last));
  if (name == "suffix") return text(has_suffix ? std::string(last.substr(dot)) : std::string());
  if (name == "stem") return text(std::string(has_suffix ? last.substr(0, dot) : last));
  if (name == "suffixes") {
    std::vector<Value> all;
    for (std::size_t at = last.find('.', 1); at != std::string_view::npos && !last.ends_with('.');) {
      const std::size_t next = last.find('.', at + 1);
      all.push_back(text(std::string(last.substr(at, next - at))));
      at = next;
    }
    return in.heap_.list(std::move(all));
  }
  if (name == "parts") {
    std::vector<Value> all;
    if (path.starts_with('/')) all.push_back(text("/"));
    for (const std::string_view part : pieces_in(path, '/')) {
      if (!part.empty()) all.push_back(text(std::string(part)));
    }
    return in.heap_.tuple(std::move(all));
  }
  if (name == "parents") {
    std::vector<Value> all;
    for (std::string at = path; at.size() > 1 && all.size() < kMaxItems;) {
      at = parent_of(at);
      all.push_back(in.heap_.make_text(ValueKind::Path, at));
    }
    return in.heap_.tuple(std::move(all));
  }
  return std::nullopt;
}

}  // namespace soresolve::python
