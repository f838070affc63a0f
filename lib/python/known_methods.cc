// What methods, attributes and items of values are. Methods of texts serve those of pathlib as well, since a path is
// its text.
//
// Source: the Python Library Reference: Text Sequence Type, Mapping Types, pathlib, glob.
#include <algorithm>

#include "base/number_text.h"
#include "base/path.h"
#include "base/pieces.h"
#include "python/known_functions.h"
#include "python/paths.h"

namespace soresolve::python {

Value KnownFunctions::joined(const Arguments& given, std::string path) {
  for (const Value& part : given) {
    if (!part.is_text()) return {};
    path = joined_path(path, part.text);
  }
  return given.is_complete() ? text(std::move(path)) : Value{};
}

Value KnownFunctions::home_of(std::string_view path) const {
  if (!path.starts_with('~')) return text(std::string(path));
  const Value home = variable("HOME");
  if (!home.is_text() || (path.size() > 1 && path[1] != '/')) return {};
  return text(home.text + std::string(path.substr(1)));
}

Value KnownFunctions::method(const Value& self, std::string_view name, const Arguments& given) const {
  if (!given.is_complete()) return {};
  if (self.is_text()) {
    Value result = text_method(self, name, given);
    return result.is_unknown() ? path_method(self.text, name, given) : result;
  }
  if (!self.is(ValueKind::Mapping)) return {};
  const std::vector<Value>& items = *self.items;
  const Value* key = given.find(0);
  if (name == "get" && key != nullptr) {
    const auto is_there = compare(*key, "in", self);
    if (is_there != false) return item(self, *key);
    return given.find(1) != nullptr ? given.at(1) : none();
  }
  std::vector<Value> parts;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (name == "items") parts.push_back(list({items[i], items[i + 1]}));
    if (name == "keys") parts.push_back(items[i]);
    if (name == "values") parts.push_back(items[i + 1]);
  }
  return name == "items" || name == "keys" || name == "values" ? list(std::move(parts)) : Value{};
}

Value KnownFunctions::text_method(const Value& self, std::string_view name, const Arguments& given) const {
  const std::string& whole = self.text;
  const auto first = given.text(0);
  const auto changed = [&](int (*change)(int)) {
    std::string result = whole;
    std::transform(result.begin(), result.end(), result.begin(), [&](char c) {
      return static_cast<unsigned char>(c) < 0x80 ? static_cast<char>(change(static_cast<unsigned char>(c))) : c;
    });
    return text(std::move(result));
  };
  if (name == "lower" && given.has_only(0)) return changed(std::tolower);
  if (name == "upper" && given.has_only(0)) return changed(std::toupper);
  if (name == "strip" && given.has_only(0)) return text(std::string(trimmed(whole, " \t\r\n")));
  if (name == "startswith" || name == "endswith") {
    const auto fits = [&](const Value& part) {
      return name == "startswith" ? whole.starts_with(part.text) : whole.ends_with(part.text);
    };
    if (first && given.has_only(1)) return truth_value(fits(given.at(0)));
    const Value all = given.at(0);
    if (!given.has_only(1) || !all.is(ValueKind::List)) return {};
    const std::vector<Value>& parts = *all.items;
    if (!std::all_of(parts.begin(), parts.end(), [](const Value& part) { return part.is_text(); })) return {};
    return truth_value(std::any_of(parts.begin(), parts.end(), fits));
  }
  if (name == "replace" && first && given.has_only(2) && given.at(1).is_text() && !first->empty()) {
    std::string result = whole;
    const std::string by = given.at(1).text;
    for (std::size_t at = result.find(*first); at != std::string::npos && result.size() <= kMaxTextBytes;
         at = result.find(*first, at + by.size()))
      result.replace(at, first->size(), by);
    return text(std::move(result));
  }
  if (name == "split" && first && first->size() == 1 && given.has_only(1)) {
    std::vector<Value> parts;
    for (const std::string_view part : pieces_in(whole, first->front())) parts.push_back(text(std::string(part)));
    return list(std::move(parts));
  }
  if (name == "split" && given.has_only(0)) {
    std::vector<Value> parts;
    for (const std::string_view part : words_in(whole, " \t\n\r\f\v")) parts.push_back(text(std::string(part)));
    return list(std::move(parts));
  }
  if (name == "join" && given.has_only(1) && given.at(0).is(ValueKind::List)) {
    std::string result;
    const auto parts = given.at(0).items;
    for (const Value& part : *parts) {
      if (!part.is_text() || result.size() > kMaxTextBytes) return {};
      result += (&part == parts->data() ? "" : whole) + part.text;
    }
    return text(std::move(result));
  }
  if (name == "format") {
    std::string result;
    std::size_t used = 0;
    for (std::size_t at = 0; at < whole.size();) {
      const std::size_t open = std::min(whole.find_first_of("{}", at), whole.size());
      result += whole.substr(at, open - at);
      if (open == whole.size()) break;
      const std::size_t close = whole.find('}', open);
      if (whole[open] == '}' || close == std::string::npos) return {};
      const std::string_view field = std::string_view(whole).substr(open + 1, close - open - 1);
      const auto position = field.empty() ? std::optional(used++) : parse_number<std::size_t>(field);
      const Value* value = given.find(position.value_or(given.size()), field);
      const auto part = value == nullptr ? std::nullopt : shown(*value);
      if (!part) return {};
      result += *part;
      at = close + 1;
    }
    return text(std::move(result));
  }
  return {};
}

Value KnownFunctions::path_method(const std::string& path, std::string_view name, const Arguments& given) const {
  const bool is_absolute = path.starts_with('/');
  if (name == "is_absolute") return truth_value(is_absolute);
  const std::string whole = absolute(path);
  const bool is_whole = whole.starts_with('/');
  if (name == "exists" && is_whole) return truth_value(exists(whole));
  if (name == "is_file" && is_whole) return truth_value(exists(whole, FileKind::Regular));
  if (name == "is_dir" && is_whole) return truth_value(exists(whole, FileKind::Directory));
  if (name == "resolve" || name == "absolute") return text(normal_path(absolute(path)));
  if (name == "as_posix") return text(path);
  if (name == "joinpath") return joined(given, path);
  if (name == "expanduser") return home_of(path);
  if (name == "glob" && is_absolute) {
    const auto pattern = given.text(0, "pattern");
    return pattern ? matching(joined_path(path, *pattern)) : Value{};
  }
  if (name == "with_name") {
    const auto other = given.text(0, "name");
    return other ? text(joined_path(directory_part(path), *other)) : Value{};
  }
  if (name == "iterdir" && is_absolute) {
    const Value names = names_in(path);
    if (!names.is(ValueKind::List)) return {};
    std::vector<Value> paths;
    for (const Value& each : *names.items) paths.push_back(text(joined_path(path, each.text)));
    return list(std::move(paths));
  }
  return {};
}

Value KnownFunctions::attribute(const Value& self, std::string_view name) const {
  if (self.is(ValueKind::List) && (name == "major" || name == "minor") && self.items->size() == 5)
    return (*self.items)[name == "major" ? 0 : 1];
  if (self.is(ValueKind::Error) && self.number == 0) {
    if (name == "msg") return text(self.text);
    if (name == "args") return list({text(self.text)});
  }
  if (!self.is_text()) return {};
  const std::string_view last = file_name_of(self.text);
  const std::size_t dot = last.rfind('.');
  const bool has_suffix = dot != std::string_view::npos && dot != 0;
  if (name == "parent") return text(directory_part(self.text));
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
    return list(std::move(all));
  }
  if (name == "parents") {
    std::vector<Value> all;
    for (std::string at = self.text; at.size() > 1 && all.size() < kMaxItems;) {
      at = directory_part(at);
      all.push_back(text(at));
    }
    return list(std::move(all));
  }
  return {};
}

Value KnownFunctions::item(const Value& whole, const Value& key) const {
  if (whole.is(ValueKind::List) && key.is(ValueKind::Number)) {
    const auto size = static_cast<std::int64_t>(whole.items->size());
    const std::int64_t index = key.number < 0 ? key.number + size : key.number;
    return index >= 0 && index < size ? (*whole.items)[static_cast<std::size_t>(index)] : Value{};
  }
  if (whole.is(ValueKind::Mapping)) {
    Value found;
    for (std::size_t i = 0; i + 1 < whole.items->size(); i += 2) {
      const auto same = compare((*whole.items)[i], "==", key);
      if (!same) return {};
      if (*same) found = (*whole.items)[i + 1];
    }
    return found;
  }
  if (whole.is(ValueKind::Known) && whole.text == "os.environ" && key.is_text()) {
    const Value value = variable(key.text);
    return value.is_text() ? value : Value{};
  }
  return {};
}

Value KnownFunctions::slice(const Value& whole, const Value& low, const Value& high) const {
  const bool is_list = whole.is(ValueKind::List);
  if (!is_list && !whole.is_text()) return {};
  const auto size = static_cast<std::int64_t>(is_list ? whole.items->size() : whole.text.size());
  const auto bound = [&](const Value& given, std::int64_t otherwise) -> std::optional<std::int64_t> {
    if (given.is(ValueKind::None)) return otherwise;
    if (!given.is(ValueKind::Number)) return std::nullopt;
    return std::clamp<std::int64_t>(given.number < 0 ? given.number + size : given.number, 0, size);
  };
  const auto begin = bound(low, 0);
  const auto end = bound(high, size);
  if (!begin || !end) return {};
  const std::int64_t count = std::max<std::int64_t>(*end - *begin, 0);
  if (!is_list) return text(whole.text.substr(static_cast<std::size_t>(*begin), static_cast<std::size_t>(count)));
  return list(std::vector<Value>(whole.items->begin() + *begin, whole.items->begin() + *begin + count));
}

}  // namespace soresolve::python
