// Sources: the Python Language Reference, "String and Bytes literals"; the Library Reference, "Truth Value Testing".
#include "python/value.h"

#include <charconv>

#include "base/utf8.h"

namespace soresolve::python {

Value none() { return {.kind = ValueKind::None}; }
Value truth_value(std::optional<bool> truth) {
  return truth ? Value{.kind = ValueKind::Bool, .number = *truth ? 1 : 0} : Value{};
}
Value number(Integer value) { return {.kind = ValueKind::Int, .number = value}; }
Value probable() { return {.number = 1}; }
Value unknown_of(bool truth) { return {.number = truth ? 2 : 3}; }

std::optional<bool> truth_of(const Value& value) {
  switch (value.kind) {
    case ValueKind::Unknown: return value.number > 1 ? std::optional(value.number == 2) : std::nullopt;
    case ValueKind::Failed:
    case ValueKind::Float:
    case ValueKind::NotImplemented: return std::nullopt;
    case ValueKind::None: return false;
    case ValueKind::Bool:
    case ValueKind::Int: return value.number != 0;
    case ValueKind::Text:
    case ValueKind::Bytes: return !value.text().empty();
    case ValueKind::List:
    case ValueKind::Tuple:
    case ValueKind::Set:
    case ValueKind::FrozenSet:
    case ValueKind::Mapping: return value.has_escaped() ? std::nullopt : std::optional(!value.items().empty());
    case ValueKind::View: return value.text() == "names" ? std::optional(true) : truth_of(value.items()[0]);
    case ValueKind::Range: {
      const std::vector<Value>& parts = value.items();
      return parts[2].number > 0 ? parts[0].number < parts[1].number : parts[0].number > parts[1].number;
    }
    default: return true;
  }
}

bool is_same(const Value& left, const Value& right) {
  if (left.kind != right.kind || left.number != right.number) return false;
  if (left.object == right.object) return left.object != nullptr || !left.is_unknown();
  const bool is_plain =
      left.is_text() || left.is(ValueKind::Bytes) || left.is(ValueKind::Path) || left.is(ValueKind::Known);
  return is_plain && left.text() == right.text();
}

std::optional<std::string> unescaped(std::string_view inside, bool is_raw, bool is_bytes) {
  if (is_raw || inside.find('\\') == std::string_view::npos) return std::string(inside);
  std::string result;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 == inside.size()) {
      result += inside[i];
      continue;
    }
    const char c = inside[++i];
    constexpr std::string_view kWritten = "\\'\"abfnrtv";
    constexpr std::string_view kMeant = "\\'\"\a\b\f\n\r\t\v";
    const std::size_t which = kWritten.find(c);
    const std::size_t digits = c == 'x' ? 2 : is_bytes ? 0 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    const bool is_octal = c >= '0' && c <= '7';
    if (which != std::string_view::npos) {
      result += kMeant[which];
    } else if (digits != 0 || is_octal) {
      const std::string_view text = is_octal
                                        ? inside.substr(i, std::min(inside.find_first_not_of("01234567", i), i + 3) - i)
                                        : inside.substr(i + 1, digits);
      std::uint32_t code = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code, is_octal ? 8 : 16);
      if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
      i += text.size() - (is_octal ? 1 : 0);
      if (is_bytes)
        result += static_cast<char>(code);
      else
        result += utf8_of(code);
    } else if (c == 'N' && !is_bytes) {
      return std::nullopt;
    } else if (c != '\n') {
      result += '\\';
      result += c;
    }
  }
  return result;
}

std::optional<std::string> literal_text(std::string_view literal) {
  const std::size_t open = literal.find_first_of("\"'");
  if (open == std::string_view::npos) return std::nullopt;
  const std::string_view prefix = literal.substr(0, open);
  literal.remove_prefix(open);
  if (prefix.find_first_of("fFtT") != std::string_view::npos) return std::nullopt;
  const std::string_view quote = literal.substr(0, 1);
  const bool is_long = literal.size() >= 6 && literal[1] == quote[0] && literal[2] == quote[0];
  const std::size_t size = is_long ? 3 : 1;
  if (literal.size() < 2 * size || !literal.ends_with(quote)) return std::nullopt;
  literal = literal.substr(size, literal.size() - 2 * size);
  const bool is_raw = prefix.find_first_of("rR") != std::string_view::npos;
  return unescaped(literal, is_raw, prefix.find_first_of("bB") != std::string_view::npos);
}

}  // namespace soresolve::python
