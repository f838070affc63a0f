// Texts of values: str(), repr(), format(), and the operator % of a text.
#include <algorithm>
#include <utility>

#include "base/number_text.h"
#include "base/utf8.h"
#include "python/operations.h"

namespace soresolve::python {
namespace {

constexpr int kMostTextDepth = 40;
constexpr std::size_t kMostWidth = 1000;

/// repr() of a text or of bytes; nullopt: it has characters of which not every Python says whether they are printed.
std::optional<std::string> quoted(std::string_view text, bool is_bytes) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string all(is_bytes ? "b" : "");
  all += quote;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    constexpr std::string_view kEscaped = "\n\r\t\\";
    constexpr std::string_view kLetters = "nrt\\";
    const std::size_t which = kEscaped.find(c);
    if (which != std::string_view::npos || c == quote) {
      all += '\\';
      all += which == std::string_view::npos ? c : kLetters[which];
    } else if (byte < 0x20 || byte == 0x7f || (is_bytes && byte > 0x7f)) {
      all += "\\x";
      all += "0123456789abcdef"[byte >> 4];
      all += "0123456789abcdef"[byte & 15];
    } else if (byte < 0x80) {
      all += c;
    } else {
      // Letters of European scripts are printed by each.
      const Character one = first_character(text.substr(i));
      const bool is_letter =
          one.length != 0 && ((one.code >= 0xc0 && one.code < 0x250) || (one.code >= 0x391 && one.code < 0x3ca));
      if (!is_letter) return std::nullopt;
      all += text.substr(i, one.length);
      i += one.length - 1;
    }
    ++i;
  }
  return all + quote;
}

struct FormatSpec {
  char fill = ' ';
  char align = '\0';
  char sign = '\0';
  bool is_alternate = false;
  std::size_t width = 0;
  std::optional<std::size_t> precision = {};
  bool has_commas = false;
  char type = '\0';
};

std::optional<std::size_t> number_at(std::string_view& text) {
  const std::size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = size == 0 ? std::nullopt : parse_number<std::size_t>(text.substr(0, size));
  text.remove_prefix(size);
  return number && *number <= kMostWidth ? number : std::nullopt;
}

/// [[fill]align][sign][#][0][width][,][.precision][type]; nullopt: it is another one.
std::optional<FormatSpec> read_form(std::string_view text) {
  FormatSpec form;
  constexpr std::string_view kAligns = "<>^=";
  const auto is_align = [&](std::size_t at) {
    return at < text.size() && kAligns.find(text[at]) != std::string_view::npos;
  };
  if (is_align(1)) {
    form.fill = text[0];
    form.align = text[1];
    text.remove_prefix(2);
  } else if (is_align(0)) {
    form.align = text[0];
    text.remove_prefix(1);
  }
  const auto take = [&](std::string_view any) {
    const bool is_there = !text.empty() && any.find(text[0]) != std::string_view::npos;
    const char c = is_there ? text[0] : '\0';
    if (is_there) text.remove_prefix(1);
    return c;
  };
  form.sign = take("+- ");
  form.is_alternate = take("#") != '\0';
  if (text.starts_with('0') && form.align == '\0') {
    form.fill = '0';
    form.align = '=';
  }
  form.width = number_at(text).value_or(0);
  form.has_commas = take(",") != '\0';
  if (take(".") != '\0') {
    form.precision = number_at(text);
    if (!form.precision) return std::nullopt;
  }
  form.type = take("sdxXobcrn");
  return text.empty() ? std::optional(form) : std::nullopt;
}

std::string padded(const std::string& text, const FormatSpec& form, char usual) {
  if (text.size() >= form.width) return text;
  const std::size_t rest = form.width - text.size();
  const char align = form.align == '\0' ? usual : form.align;
  if (align == '=') {
    const std::size_t sign = text.find_first_not_of("+- ") == 0 ? 0 : 1;
    return text.substr(0, sign) + std::string(rest, form.fill) + text.substr(sign);
  }
  const std::size_t before = align == '<' ? 0 : align == '^' ? rest / 2 : rest;
  return std::string(before, form.fill) + text + std::string(rest - before, form.fill);
}

std::string with_commas(std::string digits) {
  for (std::size_t i = digits.size(); i > 3 && digits[i - 4] != '-';) digits.insert(i -= 3, ",");
  return digits;
}

std::optional<std::string> number_in(Integer value, const FormatSpec& form) {
  if (form.precision) return std::nullopt;
  const char type = form.type == '\0' || form.type == 'n' ? 'd' : form.type;
  if (type == 'c' || type == 's' || type == 'r') return std::nullopt;
  const bool is_hex = type == 'x' || type == 'X';
  std::string digits = decimal(value, type == 'd' ? 10 : is_hex ? 16 : type == 'o' ? 8 : 2);
  if (form.has_commas) {
    if (type != 'd' || form.fill == '0') return std::nullopt;
    digits = with_commas(std::move(digits));
  }
  if (type == 'X')
    std::transform(digits.begin(), digits.end(), digits.begin(),
                   [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
  const bool is_negative = digits[0] == '-';
  if (form.is_alternate && type != 'd') {
    if (form.fill == '0') return std::nullopt;
    digits.insert(is_negative ? 1 : 0, std::string("0") + type);
  }
  if (!is_negative && (form.sign == '+' || form.sign == ' ')) digits.insert(0, 1, form.sign);
  return padded(digits, form, '>');
}

std::optional<std::string> text_in(std::string text, const FormatSpec& form) {
  if ((form.type != '\0' && form.type != 's') || form.sign != '\0' || form.has_commas || form.align == '=')
    return std::nullopt;
  if (!is_plain_ascii(text) && (form.width != 0 || form.precision)) return std::nullopt;
  if (form.precision && *form.precision < text.size()) text.resize(*form.precision);
  return padded(text, form, '<');
}

}  // namespace

std::optional<std::string> Operations::written_items(const Value& value, std::string_view open,
                                                     std::string_view close) {
  if (value.has_escaped() || depth_ > kMostTextDepth) return std::nullopt;
  std::string all(open);
  ++depth_;
  const std::size_t count = value.items().size();
  for (std::size_t i = 0; i < std::min(count, value.items().size()); ++i) {
    const auto one = written(value.items()[i]);
    if (!one || all.size() > kMaxTextBytes) {
      --depth_;
      return std::nullopt;
    }
    const bool is_value = value.is_mapping() && i % 2 == 1;
    all += (i == 0 ? "" : is_value ? ": " : ", ") + *one;
  }
  --depth_;
  if (value.is(ValueKind::Tuple) && count == 1) all += ',';
  return all + std::string(close);
}

std::optional<std::string> Operations::written(const Value& value) {
  switch (value.kind) {
    case ValueKind::None: return "None";
    case ValueKind::Ellipsis: return "Ellipsis";
    case ValueKind::NotImplemented: return "NotImplemented";
    case ValueKind::Bool: return value.number != 0 ? "True" : "False";
    case ValueKind::Int: return decimal(value.number);
    case ValueKind::Text: return quoted(value.text(), false);
    case ValueKind::Bytes: return quoted(value.text(), true);
    case ValueKind::Path: {
      const auto text = quoted(value.text(), false);
      return text ? std::optional("PosixPath(" + *text + ")") : text;
    }
    case ValueKind::List: return written_items(value, "[", "]");
    case ValueKind::Mapping: return value.object->type == nullptr ? written_items(value, "{", "}") : std::nullopt;
    case ValueKind::Set:
    case ValueKind::FrozenSet: {
      // Of more than one, the order is not known.
      if (value.has_escaped() || value.items().size() > 1) return std::nullopt;
      const bool is_set = value.is(ValueKind::Set);
      if (value.items().empty()) return is_set ? "set()" : "frozenset()";
      return written_items(value, is_set ? "{" : "frozenset({", is_set ? "}" : "})");
    }
    case ValueKind::Range: {
      const std::vector<Value>& parts = value.items();
      std::string text = "range(" + decimal(parts[0].number) + ", " + decimal(parts[1].number);
      if (parts[2].number != 1) text += ", " + decimal(parts[2].number);
      return text + ")";
    }
    case ValueKind::Class: {
      const auto& type = static_cast<const ClassObject&>(*value.object);
      if (type.is_open) return std::nullopt;
      return "<class '" + (type.module.empty() ? "" : type.module + ".") + type.text + "'>";
    }
    case ValueKind::Tuple: {
      if (value.object->type == nullptr) return written_items(value, "(", ")");
      [[fallthrough]];
    }
    case ValueKind::Instance: {
      if (const auto made = special(value, "__repr__", {}))
        return made->is_text() ? std::optional(made->text()) : std::nullopt;
      const ClassObject& type = *value.object->type;
      const bool is_record = (type.is_data || type.is_tuple) && !type.is_open;
      const bool is_error = std::any_of(type.order.begin(), type.order.end(),
                                        [](const ClassObject* each) { return each->text == "BaseException"; });
      if (!is_record && (!is_error || type.is_open || value.has_escaped())) return std::nullopt;
      std::string all =
          (is_record ? type.text.substr(type.is_tuple ? type.text.rfind('.') + 1 : 0) : type_name(value)) + "(";
      const std::size_t count = is_record ? type.fields.size() : value.items().size();
      for (std::size_t i = 0; i < count; ++i) {
        Value part;
        if (!is_record || type.is_tuple) {
          part = value.items()[i];
        } else if (const auto found = static_cast<const Holder&>(*value.object).scope.names.find(type.fields[i].name);
                   found != static_cast<const Holder&>(*value.object).scope.names.end()) {
          part = found->second;
        }
        const auto one = depth_ > kMostTextDepth ? std::nullopt : written(part);
        if (!one) return std::nullopt;
        all += (i == 0 ? "" : ", ") + (is_record ? type.fields[i].name + "=" : std::string()) + *one;
      }
      return all + ")";
    }
    default: return std::nullopt;
  }
}

std::optional<std::string> Operations::shown(const Value& value) {
  if (value.is_text() || value.is(ValueKind::Path)) return value.text();
  if (!value.is(ValueKind::Instance)) return written(value);
  if (const auto made = special(value, "__str__", {}))
    return made->is_text() ? std::optional(made->text()) : std::nullopt;
  const ClassObject& type = *value.object->type;
  const auto is_named = [&](std::string_view name) {
    return std::any_of(type.order.begin(), type.order.end(),
                       [&](const ClassObject* each) { return each->text == name && each->module.empty(); });
  };
  if (!is_named("BaseException")) return written(value);
  if (value.has_escaped() || is_named("UnicodeDecodeError") || is_named("BaseExceptionGroup")) return std::nullopt;
  const std::vector<Value>& parts = value.items();
  if (parts.empty()) return "";
  if (is_named("OSError") && parts.size() == 2) {
    const auto code = shown(parts[0]);
    const auto words = shown(parts[1]);
    const auto& names = static_cast<const Holder&>(*value.object).scope.names;
    const auto file = names.find("filename");
    const auto name = file == names.end() ? std::string() : written(file->second);
    if (!code || !words || !name) return std::nullopt;
    return "[Errno " + *code + "] " + *words + (name->empty() ? "" : ": " + *name);
  }
  if (is_named("SyntaxError") && parts.size() > 1) return std::nullopt;
  if (parts.size() == 1) return is_named("KeyError") ? written(parts[0]) : shown(parts[0]);
  std::string all = "(";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto one = written(parts[i]);
    if (!one) return std::nullopt;
    all += (i == 0 ? "" : ", ") + *one;
  }
  return all + ")";
}

Value Operations::formatted(const Value& value, std::string_view form) {
  if (value.is_unknown()) return {};
  if (form.empty() && !value.is(ValueKind::Instance)) {
    auto text = shown(value);
    return text ? heap_.text(*std::move(text)) : Value{};
  }
  if (const auto made = special(value, "__format__", {heap_.text(std::string(form))})) return *made;
  const bool is_bare =
      value.is(ValueKind::Instance) || value.is_container() || value.is(ValueKind::None) || value.is(ValueKind::Path);
  if (is_bare) {
    auto text = form.empty() ? shown(value) : std::nullopt;
    if (text) return heap_.text(*std::move(text));
    const bool is_certain =
        !form.empty() && !(value.is(ValueKind::Instance) && value.object->type->is_open) && !value.is(ValueKind::Path);
    return is_certain ? failed("TypeError: unsupported format string passed to " + type_name(value) + ".__format__")
                      : Value{};
  }
  const auto read = read_form(form);
  if (!read) return {};
  std::optional<std::string> text;
  if (value.is_text()) text = text_in(value.text(), *read);
  if (value.is_number() && (value.is(ValueKind::Int) || read->type != '\0')) text = number_in(value.number, *read);
  return text ? heap_.text(*std::move(text)) : Value{};
}

Value Operations::filled(const Value& pattern, const Value& given) {
  if (given.is_unknown() && pattern.text().find('%') != std::string::npos) return {};
  const bool is_tuple = given.is(ValueKind::Tuple);
  std::string result;
  std::size_t used = 0;
  bool is_by_name = false;
  std::string_view rest = pattern.text();
  while (true) {
    const std::size_t percent = rest.find('%');
    result += rest.substr(0, percent);
    if (percent == std::string_view::npos) break;
    rest.remove_prefix(percent + 1);
    if (rest.empty()) return failed("ValueError: incomplete format");
    if (rest[0] == '%') {
      result += '%';
      rest.remove_prefix(1);
      continue;
    }
    std::optional<Value> value;
    if (rest[0] == '(') {
      const std::size_t close = rest.find(')');
      if (close == std::string_view::npos || !given.is_mapping()) return {};
      is_by_name = true;
      value = item(given, heap_.text(std::string(rest.substr(1, close - 1))));
      if (value->is(ValueKind::Failed)) return *value;
      rest.remove_prefix(close + 1);
    }
    FormatSpec form{.align = '>'};
    for (; !rest.empty() && std::string_view("-+ 0#").find(rest[0]) != std::string_view::npos; rest.remove_prefix(1)) {
      if (rest[0] == '-') form.align = '<';
      if (rest[0] == '#') form.is_alternate = true;
      if (rest[0] == '+' || rest[0] == ' ') form.sign = rest[0];
      if (rest[0] == '0' && form.align == '>') {
        form.fill = '0';
        form.align = '=';
      }
    }
    form.width = number_at(rest).value_or(0);
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      form.precision = number_at(rest);
    }
    if (rest.empty()) return {};
    const char type = rest[0];
    rest.remove_prefix(1);
    if (std::string_view("srdiuxXoc").find(type) == std::string_view::npos) return {};
    if (!value) {
      if (is_tuple ? used >= given.items().size() : used >= 1)
        return failed("TypeError: not enough arguments for format string");
      value = is_tuple ? given.items()[used] : given;
      ++used;
    }
    std::optional<std::string> text;
    if (type == 's' || type == 'r') {
      text = type == 's' ? shown(*value) : written(*value);
      if (form.align == '=') form = {.align = '>', .width = form.width, .precision = form.precision};
      form.sign = '\0';
      if (text) text = text_in(*text, form);
    } else if (type != 'c' && value->is_number()) {
      form.type = type == 'i' || type == 'u' ? 'd' : type;
      text = number_in(value->number, form);
    } else if (type != 'c' && (value->is_text() || value->is(ValueKind::None) || value->is_container())) {
      const bool is_real = type == 'd' || type == 'i' || type == 'u';
      return failed("TypeError: %" + std::string(1, type) + " format: " + (is_real ? "a real number" : "an integer") +
                        " is required, not " + type_name(*value),
                    minor_number_ >= 10);
    }
    if (!text || result.size() > kMaxTextBytes) return {};
    result += *text;
  }
  const bool is_left =
      is_tuple ? used < given.items().size() : used == 0 && !given.is_mapping() && !given.is(ValueKind::List);
  if (is_left && !is_by_name) {
    if (given.is(ValueKind::Instance) || given.is_unknown()) return {};
    return failed("TypeError: not all arguments converted during string formatting");
  }
  return heap_.text(std::move(result));
}

}  // namespace soresolve::python
