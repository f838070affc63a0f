// Methods of texts and bytes.
//
// Source: the Python Library Reference, "String Methods", "Bytes and Bytearray Operations"; CPython
// Objects/unicodeobject.c for the texts of exceptions.
#include <algorithm>
#include <utility>

#include "base/pieces.h"
#include "python/evaluator.h"

namespace soresolve::python {
namespace {

template <class Test>
Value all_are(std::string_view text, const Test& test) {
  return is_plain_ascii(text) ? truth_value(!text.empty() && std::all_of(text.begin(), text.end(), test)) : Value{};
}

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_lower(c) || is_upper(c); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char to_lower(char c) { return is_upper(c) ? static_cast<char>(c + 32) : c; }
char to_upper(char c) { return is_lower(c) ? static_cast<char>(c - 32) : c; }

constexpr std::string_view kBlanks = " \t\n\r\f\v\x1c\x1d\x1e\x1f";

}  // namespace

struct TextMethods {
  Evaluator& in;
  const Value& self;
  const Arguments& given;

  const std::string& whole() const { return self.text(); }
  Value text(std::string made) const { return in.heap_.make_text(self.kind, std::move(made)); }

  template <class Change>
  Value changed(const Change& change) const {
    if (!is_plain_ascii(whole())) return {};
    std::string result = whole();
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = change(result[i], i == 0 ? '\0' : whole()[i - 1]);
    return text(std::move(result));
  }

  std::optional<Value> stripped(bool left, bool right) const {
    const auto given_set =
        given.size() == 0 || given.at(0).is(ValueKind::None) ? std::optional(std::string(kBlanks)) : given.text(0);
    if (!given_set || !is_plain_ascii(*given_set) || !is_plain_ascii(whole())) return Value{};
    const std::size_t begin = left ? whole().find_first_not_of(*given_set) : 0;
    if (begin == std::string::npos) return text({});
    const std::size_t end = right ? whole().find_last_not_of(*given_set) : whole().size() - 1;
    return text(end == std::string::npos ? std::string() : whole().substr(begin, end + 1 - begin));
  }

  std::optional<Value> split(bool from_right) const {
    const Value separator = given.find(0, "sep") == nullptr ? none() : given.at(0, "sep");
    const Value* const most = given.find(1, "maxsplit");
    if (most != nullptr && !most->is_number()) return Value{};
    const Integer limit = most == nullptr || most->number < 0 ? Integer{1} << 40 : most->number;
    std::vector<std::string> parts;
    if (separator.is(ValueKind::None)) {
      if (from_right && most != nullptr) return Value{};
      std::string_view rest = whole();
      while (true) {
        const std::size_t begin = rest.find_first_not_of(kBlanks);
        if (begin == std::string_view::npos) break;
        rest.remove_prefix(begin);
        if (static_cast<Integer>(parts.size()) == limit) {
          parts.emplace_back(rest.substr(0, rest.find_last_not_of(kBlanks) + 1));
          break;
        }
        const std::size_t end = std::min(rest.find_first_of(kBlanks), rest.size());
        parts.emplace_back(rest.substr(0, end));
        rest.remove_prefix(end);
      }
      if (most != nullptr && static_cast<Integer>(parts.size()) > limit) {
        // The rest keeps its blanks at the end.
        return Value{};
      }
    } else {
      if (!separator.is_text() && !separator.is(ValueKind::Bytes)) return Value{};
      const std::string by = separator.text();
      if (by.empty()) return in.heap_.failed("ValueError: empty separator");
      std::string_view rest = whole();
      if (from_right) {
        for (std::size_t at = rest.rfind(by);
             at != std::string_view::npos && static_cast<Integer>(parts.size()) < limit; at = rest.rfind(by)) {
          parts.emplace(parts.begin(), rest.substr(at + by.size()));
          rest = rest.substr(0, at);
        }
        parts.emplace(parts.begin(), rest);
      } else {
        for (std::size_t at = rest.find(by); at != std::string_view::npos && static_cast<Integer>(parts.size()) < limit;
             at = rest.find(by)) {
          parts.emplace_back(rest.substr(0, at));
          rest.remove_prefix(at + by.size());
        }
        parts.emplace_back(rest);
      }
    }
    std::vector<Value> items;
    for (std::string& part : parts) items.push_back(text(std::move(part)));
    return in.heap_.make_items(ValueKind::List, std::move(items));
  }

  std::optional<Value> starts_or_ends(bool starts) const {
    if (!given.has_only(1)) return Value{};
    const Value what = given.at(0);
    const auto fits = [&](const Value& part) {
      return starts ? whole().starts_with(part.text()) : whole().ends_with(part.text());
    };
    if (what.kind == self.kind) return truth_value(fits(what));
    if (!what.is(ValueKind::Tuple)) {
      const std::string name = starts ? "startswith" : "endswith";
      const bool is_plain = self.is_text() && (what.is_number() || what.is(ValueKind::None) ||
                                               what.is(ValueKind::List) || what.is(ValueKind::Bytes));
      return is_plain ? in.heap_.failed("TypeError: " + name + " first arg must be str or a tuple of str, not " +
                                        type_name(what))
                      : Value{};
    }
    const std::vector<Value>& parts = what.items();
    if (!std::all_of(parts.begin(), parts.end(), [&](const Value& part) { return part.kind == self.kind; }))
      return Value{};
    return truth_value(std::any_of(parts.begin(), parts.end(), fits));
  }

  std::optional<Value> found(bool from_right, bool raises) const {
    const auto what = given.text(0);
    if (!what || !given.has_only(1) || !is_plain_ascii(whole())) return Value{};
    const std::size_t at = from_right ? whole().rfind(*what) : whole().find(*what);
    if (at == std::string::npos && raises) return in.heap_.failed("ValueError: substring not found");
    return number(at == std::string::npos ? -1 : static_cast<Integer>(at));
  }

  std::optional<Value> parted(bool from_right) const {
    const auto by = given.text(0);
    if (!by || by->empty()) return Value{};
    const std::size_t at = from_right ? whole().rfind(*by) : whole().find(*by);
    std::vector<Value> parts = {self, text({}), text({})};
    if (at == std::string::npos && from_right) std::swap(parts[0], parts[2]);
    if (at != std::string::npos)
      parts = {text(whole().substr(0, at)), text(*by), text(whole().substr(at + by->size()))};
    return in.heap_.make_items(ValueKind::Tuple, std::move(parts));
  }

  std::optional<Value> replaced() const {
    const auto what = given.text(0);
    const auto by = given.text(1);
    if (!what || !by || !given.has_only(2) || what->empty()) return Value{};
    std::string result = whole();
    for (std::size_t at = result.find(*what); at != std::string::npos && result.size() <= kMaxTextBytes;
         at = result.find(*what, at + by->size()))
      result.replace(at, what->size(), *by);
    return text(std::move(result));
  }

  std::optional<Value> padded(char align) const {
    const Value width = given.at(0);
    const auto fill = given.size() > 1 ? given.text(1) : std::string(" ");
    if (!width.is_number() || !fill || fill->size() != 1 || !is_plain_ascii(whole()) || width.number > 1000)
      return Value{};
    const auto size = static_cast<Integer>(whole().size());
    const Integer rest = width.number - size;
    if (rest <= 0) return self;
    // What is odd goes to the left where the width is odd, too.
    const Integer before = align == '<' ? 0 : align == '>' ? rest : rest / 2 + (rest & width.number & 1);
    return text(std::string(static_cast<std::size_t>(before), (*fill)[0]) + whole() +
                std::string(static_cast<std::size_t>(rest - before), (*fill)[0]));
  }

  std::optional<Value> joined() const {
    if (!given.has_only(1) || given.at(0).is_unknown()) return Value{};
    const auto parts = in.items_of(given.at(0));
    if (!parts) return Value{};
    std::string result;
    for (std::size_t i = 0; i < parts->size(); ++i) {
      const Value& part = (*parts)[i];
      if (part.kind != self.kind) {
        const bool is_open = part.is(ValueKind::Instance) && part.object->type->is_open;
        const bool is_certain = !part.is_unknown() && type_name(part) != "object" && !is_open && self.is_text();
        return is_certain ? in.heap_.failed("TypeError: sequence item " + std::to_string(i) +
                                            ": expected str instance, " + type_name(part) + " found")
                          : Value{};
      }
      if (result.size() > kMaxTextBytes) return Value{};
      result += (i == 0 ? std::string() : whole()) + part.text();
    }
    return text(std::move(result));
  }

  std::optional<Value> formatted() const {
    std::string result;
    std::size_t used = 0;
    std::string_view rest = whole();
    while (!rest.empty()) {
      const std::size_t open = std::min(rest.find_first_of("{}"), rest.size());
      result += rest.substr(0, open);
      rest.remove_prefix(open);
      if (rest.empty()) break;
      if (rest.size() > 1 && rest[1] == rest[0]) {
        result += rest[0];
        rest.remove_prefix(2);
        continue;
      }
      const std::size_t close = rest.find('}');
      if (rest[0] == '}' || close == std::string_view::npos)
        return in.heap_.failed(rest[0] == '}' ? "ValueError: Single '}' encountered in format string"
                                              : "ValueError: Single '{' encountered in format string",
                               rest[0] == '}' || rest.size() == 1);
      std::string_view field = rest.substr(1, close - 1);
      rest.remove_prefix(close + 1);
      std::string_view form;
      if (const std::size_t colon = field.find(':'); colon != std::string_view::npos) {
        form = field.substr(colon + 1);
        field = field.substr(0, colon);
      }
      char conversion = '\0';
      if (field.size() > 1 && field[field.size() - 2] == '!') {
        conversion = field.back();
        field = field.substr(0, field.size() - 2);
      }
      if (form.find('{') != std::string_view::npos) return Value{};
      const std::size_t end = std::min(field.find_first_of(".["), field.size());
      const std::string_view first = field.substr(0, end);
      const bool is_number = first.find_first_not_of("0123456789") == std::string_view::npos;
      std::size_t position = used;
      if (first.empty())
        ++used;
      else if (is_number)
        position = static_cast<std::size_t>(std::stoul(std::string(first.substr(0, 6))));
      const Value* value =
          is_number ? (position < given.size() ? &given.positions()[position] : nullptr) : given.named(first);
      if (value == nullptr) {
        if (is_number)
          return in.heap_.failed("IndexError: Replacement index " + std::to_string(position) +
                                 " out of range for positional args tuple");
        return in.heap_.failed("KeyError: '" + std::string(first) + "'");
      }
      Value part = *value;
      field.remove_prefix(end);
      while (!field.empty()) {
        const bool is_item = field[0] == '[';
        const std::size_t stop = is_item ? field.find(']') : std::min(field.find_first_of(".[", 1), field.size());
        if (stop == std::string_view::npos) return Value{};
        const std::string_view name = field.substr(1, stop - 1);
        const bool is_index = !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
        part = is_item
                   ? static_cast<Operations&>(in).item(
                         part, is_index ? number(std::stoi(std::string(name.substr(0, 6)))) : text(std::string(name)))
                   : in.attribute(part, name);
        if (part.is(ValueKind::Failed) || part.is_unknown()) return part;
        field.remove_prefix(stop + (is_item ? 1 : 0));
      }
      Value made = part;
      if (conversion != '\0') {
        auto said = conversion == 's' ? in.shown(part) : conversion == 'r' ? in.written(part) : std::nullopt;
        made = said ? text(*std::move(said)) : Value{};
      }
      made = in.formatted(made, form);
      if (made.is(ValueKind::Failed)) return made;
      if (!made.is_text() || result.size() > kMaxTextBytes) return Value{};
      result += made.text();
    }
    return text(std::move(result));
  }

  std::optional<Value> call(std::string_view name) const {
    if (name == "lower" || name == "casefold") return changed([](char c, char) { return to_lower(c); });
    if (name == "upper") return changed([](char c, char) { return to_upper(c); });
    if (name == "swapcase") return changed([](char c, char) { return is_lower(c) ? to_upper(c) : to_lower(c); });
    if (name == "title")
      return changed([](char c, char before) { return is_letter(before) ? to_lower(c) : to_upper(c); });
    if (name == "capitalize") {
      if (!is_plain_ascii(whole())) return Value{};
      std::string result = whole();
      std::transform(result.begin(), result.end(), result.begin(), to_lower);
      if (!result.empty()) result[0] = to_upper(result[0]);
      return text(std::move(result));
    }
    if (name == "strip") return stripped(true, true);
    if (name == "lstrip") return stripped(true, false);
    if (name == "rstrip") return stripped(false, true);
    if (name == "split") return split(false);
    if (name == "rsplit") return split(true);
    if (name == "startswith") return starts_or_ends(true);
    if (name == "endswith") return starts_or_ends(false);
    if (name == "find") return found(false, false);
    if (name == "rfind") return found(true, false);
    if (name == "index") return found(false, true);
    if (name == "rindex") return found(true, true);
    if (name == "partition") return parted(false);
    if (name == "rpartition") return parted(true);
    if (name == "replace") return replaced();
    if (name == "ljust") return padded('<');
    if (name == "rjust") return padded('>');
    if (name == "center") return padded('^');
    if (name == "join") return joined();
    if (name == "format" && self.is_text()) return formatted();
    if (name == "format_map") return Value{};
    if (name == "isdigit" || name == "isdecimal" || name == "isnumeric") return all_are(whole(), is_digit);
    if (name == "isalpha") return all_are(whole(), is_letter);
    if (name == "isalnum") return all_are(whole(), [](char c) { return is_letter(c) || is_digit(c); });
    if (name == "isspace") return all_are(whole(), [](char c) { return kBlanks.find(c) != std::string_view::npos; });
    if (name == "isascii") return truth_value(is_plain_ascii(whole()));
    if (name == "isidentifier") {
      const bool is_word = !whole().empty() && !is_digit(whole()[0]);
      return all_are(whole(), [&](char c) { return is_word && (is_letter(c) || is_digit(c) || c == '_'); });
    }
    if (name == "islower" || name == "isupper") {
      if (!is_plain_ascii(whole())) return Value{};
      const bool is_low = name == "islower";
      const bool has_any = std::any_of(whole().begin(), whole().end(), is_letter);
      return truth_value(has_any && std::none_of(whole().begin(), whole().end(), is_low ? is_upper : is_lower));
    }
    if (name == "count") {
      const auto what = given.text(0);
      if (!what || what->empty() || !given.has_only(1)) return Value{};
      Integer count = 0;
      for (std::size_t at = whole().find(*what); at != std::string::npos; at = whole().find(*what, at + what->size()))
        ++count;
      return number(count);
    }
    if (name == "removeprefix" || name == "removesuffix") {
      const auto what = given.text(0);
      if (!what) return Value{};
      const bool is_first = name == "removeprefix";
      if (is_first ? !whole().starts_with(*what) : what->empty() || !whole().ends_with(*what)) return self;
      return text(is_first ? whole().substr(what->size()) : whole().substr(0, whole().size() - what->size()));
    }
    if (name == "zfill") {
      const Value width = given.at(0);
      if (!width.is_number() || width.number > 1000 || !is_plain_ascii(whole())) return Value{};
      const bool has_sign = whole().starts_with('-') || whole().starts_with('+');
      const Integer rest = width.number - static_cast<Integer>(whole().size());
      if (rest <= 0) return self;
      return text(whole().substr(0, has_sign ? 1 : 0) + std::string(static_cast<std::size_t>(rest), '0') +
                  whole().substr(has_sign ? 1 : 0));
    }
    if (name == "splitlines" && given.count() == 0 &&
        whole().find_first_of("\r\v\f\x1c\x1d\x1e") == std::string::npos && is_plain_ascii(whole())) {
      std::vector<Value> lines;
      for (const std::string_view line : lines_in(whole())) lines.push_back(text(std::string(line)));
      return in.heap_.make_items(ValueKind::List, std::move(lines));
    }
    if (name == "hex" && !self.is_text() && given.count() == 0) {
      std::string digits;
      for (const char c : whole()) {
        const auto byte = static_cast<unsigned char>(c);
        digits += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
      }
      return in.heap_.text(std::move(digits));
    }
    if (name == "encode" && self.is_text() && given.count() == 0) return in.heap_.make_text(ValueKind::Bytes, whole());
    if (name == "decode" && !self.is_text() && given.count() == 0 && is_plain_ascii(whole()))
      return in.heap_.make_text(ValueKind::Text, whole());
    return Value{};
  }
};

std::optional<Value> KnownMethods::of_text(Evaluator& in, const Value& self, std::string_view name,
                                           const Arguments& given) {
  return TextMethods{in, self, given}.call(name);
}

}  // namespace soresolve::python
