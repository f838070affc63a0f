// What Python looks for in a literal: digits, prefixes, escapes, the fields of an f-string.
//
// Source: the Python Language Reference, "Literals"; PEP 701 for what f-strings have in their fields since 3.12.
#include <algorithm>
#include <string>

#include "python/expression_parser.h"
#include "python/parser.h"

namespace soresolve::python {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
constexpr std::size_t kMostName = 200;  ///< bytes of an escape by name; Unicode's longest has 88
/// A field in a field counts as so many steps down: each is read once for each around it.
constexpr int kStepsOfField = 10;

/// Escapes whose digits are missing. What \N names is not looked up.
bool has_bad_escape(std::string_view text, bool is_bytes) {
  for (std::size_t at = text.find('\\'); at < text.size(); at = text.find('\\', at + 2)) {
    const char c = at + 1 < text.size() ? text[at + 1] : '\0';
    const std::size_t digits = c == 'x' ? 2 : is_bytes ? 0 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    const std::string_view hex = text.substr(std::min(at + 2, text.size()), digits);
    if (hex.size() < digits || hex.find_first_not_of(kHexDigits) != std::string_view::npos) return true;
    if (digits == 8 && (hex.substr(0, 2) != "00" || hex.substr(2, 2) > "10")) return true;
    if (c == 'N' && !is_bytes &&
        (text.substr(at + 2, 1) != "{" || text.substr(at, kMostName).find('}') == std::string_view::npos))
      return true;
  }
  return false;
}

}  // namespace

bool is_number(std::string_view digits) {
  // One underscore between two digits, or behind a prefix.
  const auto take = [&digits](std::string_view set, bool is_begun) {
    bool has_one = false;
    while (true) {
      const std::size_t joint = is_begun && digits.starts_with('_') ? 1 : 0;
      if (digits.size() <= joint || set.find(digits[joint]) == std::string_view::npos) return has_one;
      digits.remove_prefix(joint + 1);
      has_one = is_begun = true;
    }
  };
  const auto take_one_of = [&digits](std::string_view set) {
    const bool is_there = !digits.empty() && set.find(digits[0]) != std::string_view::npos;
    if (is_there) digits.remove_prefix(1);
    return is_there;
  };
  const char base = digits.size() > 1 && digits[0] == '0' ? static_cast<char>(digits[1] | 0x20) : '\0';
  if (base == 'x' || base == 'o' || base == 'b') {
    digits.remove_prefix(2);
    return take(base == 'x' ? kHexDigits : base == 'o' ? "01234567" : "01", true) && digits.empty();
  }
  constexpr std::string_view kDecimals = "0123456789";
  const std::string_view all = digits;
  bool has_digits = take(kDecimals, false);
  const std::string_view whole = all.substr(0, all.size() - digits.size());
  const bool has_point = take_one_of(".");
  if (has_point) has_digits = take(kDecimals, false) || has_digits;
  const bool has_exponent = take_one_of("eE");
  if (has_exponent) {
    take_one_of("+-");
    has_digits = take(kDecimals, false) && has_digits;
  }
  const bool is_imaginary = take_one_of("jJ");
  const bool is_zero = whole.find_first_not_of("0_") == std::string_view::npos;
  return has_digits && digits.empty() &&
         (has_point || has_exponent || is_imaginary || is_zero || !whole.starts_with('0'));
}

/// The string that is next.
void ExpressionParser::check_literal() {
  std::string_view text = token_.text;
  const std::size_t begin = text.find_first_of("\"'");
  if (token_.is_open || begin == std::string_view::npos) return fail();
  std::string prefix(text.substr(0, begin));
  std::transform(prefix.begin(), prefix.end(), prefix.begin(), [](char c) { return static_cast<char>(c | 0x20); });
  std::sort(prefix.begin(), prefix.end());
  constexpr std::string_view kPrefixes[] = {"", "b", "f", "r", "t", "u", "br", "fr", "rt"};
  if (std::find(std::begin(kPrefixes), std::end(kPrefixes), prefix) == std::end(kPrefixes)) return fail();
  const auto has = [&prefix](char c) { return prefix.find(c) != std::string::npos; };
  text.remove_prefix(begin);
  const std::size_t size = text.size() >= 6 && text[1] == text[0] && text[2] == text[0] ? 3 : 1;
  const std::string_view quotes = text.substr(0, size);
  text = text.substr(size, text.size() - 2 * size);
  const bool is_ascii = std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
  if (has('b') && !is_ascii) return fail();
  if (has('t')) needs(14);
  if (has('f') || has('t')) return check_format(text, has('r'), quotes);
  if (!has('r') && has_bad_escape(text, has('b'))) fail();
}

/// The inside of an f-string.
void ExpressionParser::check_format(std::string_view text, bool is_raw, std::string_view quotes) {
  std::size_t begin = 0;  // of what is no field
  const auto end_plain = [&](std::size_t end) {
    if (!is_raw && has_bad_escape(text.substr(begin, end - begin), false)) fail();
  };
  for (std::size_t at = 0; at < text.size() && !failed_;) {
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (c == '\\' && !is_raw && next == 'N' && text.substr(at + 2, 1) == "{") {
      at = std::min(text.find('}', at), text.size());
      if (at != text.size()) ++at;
    } else if (c == '\\') {
      at += is_raw || next == '{' || next == '}' ? 1 : 2;
    } else if ((c == '{' || c == '}') && next == c) {
      at += 2;
    } else if (c == '}') {
      fail();
    } else if (c == '{') {
      end_plain(at);
      at += check_field(text.substr(at), is_raw, quotes);
      begin = at;
    } else {
      ++at;
    }
  }
  end_plain(text.size());
}

/// One that begins with its brace: its size.
std::size_t ExpressionParser::check_field(std::string_view text, bool is_raw, std::string_view quotes) {
  ExpressionParser field(text, 1, scope_);
  field.depth_ = depth_ + kStepsOfField;
  field.lexer_.begin_line();
  field.advance();
  field.advance();
  if (field.depth_ > kMaxNesting) field.fail();
  field.yield_or_list();
  if (field.take("=")) needs(8);
  const char* place = field.place();
  if (field.take("!")) {
    if (!field.token_.is("r") && !field.token_.is("s") && !field.token_.is("a")) field.fail();
    field.advance();
    if (!field.token_.is("}") && !field.token_.text.starts_with(':')) field.fail();
  }
  std::size_t end = static_cast<std::size_t>(field.place() - text.data());
  const std::string_view inside = text.substr(0, static_cast<std::size_t>(place - text.data()));
  const bool is_new = inside.find('\\') != std::string_view::npos || inside.find(quotes) != std::string_view::npos ||
                      (quotes.size() == 1 && inside.find('\n') != std::string_view::npos);
  if (is_new) needs_at(12, text.data());
  if (!field.failed_ && field.token_.text.starts_with(':')) {
    for (++end; end < text.size() && text[end] != '}' && !failed_;) {
      end += text[end] == '{' ? field.check_field(text.substr(end), is_raw, quotes)
             : text[end] == '\\' && !is_raw && text.substr(end + 1, 1) != "{" && text.substr(end + 1, 1) != "}" ? 2
                                                                                                                : 1;
      if (field.failed_) break;
    }
    if (end >= text.size()) field.fail();
  } else if (!field.token_.is("}")) {
    field.fail();
  }
  failures_.add(field.failures_);
  yields_ += field.yields_;
  if (field.failed_) failed_ = true;
  return std::min(end + 1, text.size());
}

}  // namespace soresolve::python
