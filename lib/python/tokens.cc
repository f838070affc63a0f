// One pass, byte by byte, over a table of classes. A line that has been begun and not read to its end is passed by
// whoever begins the next one.
#include "python/tokens.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace soresolve::python {
namespace {

enum class Class : std::uint8_t {
  Other,
  Name,
  Digit,
  Blank,
  LineEnd,
  Quote,
  Comment,
  Open,
  Close,
  Backslash,
};

constexpr std::array<Class, 256> make_classes() {
  std::array<Class, 256> classes{};
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
    if (is_letter) classes[c] = Class::Name;
    if (c >= '0' && c <= '9') classes[c] = Class::Digit;
  }
  for (const char c : {' ', '\t', '\f', '\r'}) classes[static_cast<unsigned char>(c)] = Class::Blank;
  for (const char c : {'"', '\''}) classes[static_cast<unsigned char>(c)] = Class::Quote;
  for (const char c : {'(', '[', '{'}) classes[static_cast<unsigned char>(c)] = Class::Open;
  for (const char c : {')', ']', '}'}) classes[static_cast<unsigned char>(c)] = Class::Close;
  classes['\n'] = Class::LineEnd;
  classes['#'] = Class::Comment;
  classes['\\'] = Class::Backslash;
  return classes;
}

constexpr std::array<Class, 256> kClasses = make_classes();

Class class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }

constexpr std::string_view kOperators[] = {"**=", "//=", "<<=", ">>=", "...", "!=", "->", "**", "//", "<<", ">>", "<=",
                                           ">=",  "==",  ":=",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "@="};

/// Up to a keyword that stands at once behind it: "1if x else 2".
std::size_t size_of_number(std::string_view text) {
  const auto is_one_of = [&](std::size_t at, std::string_view signs) {
    return at < text.size() && signs.find(text[at]) != std::string_view::npos;
  };
  constexpr std::string_view kDigits = "0123456789_";
  std::size_t end = 0;
  if (text[0] == '0' && is_one_of(1, "xXoObB")) {
    end = 2;
    while (is_one_of(end, is_one_of(1, "xX") ? "0123456789abcdefABCDEF_" : kDigits)) ++end;
  } else {
    bool may_have_point = true;  // a second one, and one behind an exponent, belongs to an attribute
    while (true) {
      const bool is_exponent = is_one_of(end, "eE") && (is_one_of(end + 1, kDigits) || is_one_of(end + 2, kDigits));
      const bool is_point = may_have_point && is_one_of(end, ".");
      if (is_exponent && is_one_of(end + 1, "+-0123456789"))
        end += 2;
      else if (is_one_of(end, kDigits) || is_point)
        ++end;
      else
        break;
      may_have_point &= !is_point && !is_exponent;
    }
  }
  return end + (is_one_of(end, "jJlL") ? 1 : 0);
}

}  // namespace

bool is_identifier(std::string_view name) {
  return !name.empty() && class_of(name.front()) != Class::Digit && std::all_of(name.begin(), name.end(), is_of_name);
}

bool is_of_name(char c) { return class_of(c) == Class::Name || class_of(c) == Class::Digit; }

Lexer::Lexer(std::string_view source, std::uint32_t first_line) : source_(source), line_(first_line) {
  if (source.starts_with("\xEF\xBB\xBF")) at_ = 3;
}

void Lexer::skip_comment() { at_ = std::min(source_.find('\n', at_), source_.size()); }

// In a raw string, too, a backslash keeps the quote behind it from ending the string.
bool Lexer::skip_plain_string() {
  const char quote = source_[at_];
  const bool is_long = at_ + 2 < source_.size() && source_[at_ + 1] == quote && source_[at_ + 2] == quote;
  at_ += is_long ? 3 : 1;
  for (; at_ < source_.size(); ++at_) {
    const char c = source_[at_];
    if (c == '\\') {
      ++at_;
      if (at_ < source_.size() && source_[at_] == '\r' && at_ + 1 < source_.size() && source_[at_ + 1] == '\n') ++at_;
      if (at_ < source_.size() && source_[at_] == '\n') ++line_;
    } else if (c == quote) {
      if (!is_long) {
        ++at_;
        return true;
      }
      if (at_ + 2 < source_.size() && source_[at_ + 1] == quote && source_[at_ + 2] == quote) {
        at_ += 3;
        return true;
      }
      if (at_ + 2 >= source_.size()) break;
    } else if (c == '\n') {
      if (!is_long) return false;
      ++line_;
    }
  }
  at_ = source_.size();
  return false;
}

/// Does the quote that is next belong to an f-string?
bool Lexer::has_format_prefix() const {
  std::size_t begin = at_;
  while (begin > 0 && at_ - begin < 3 && is_of_name(source_[begin - 1])) --begin;
  const std::string_view prefix = source_.substr(begin, at_ - begin);
  return prefix.size() <= 2 && prefix.find_first_of("fFtT") != std::string_view::npos &&
         prefix.find_first_not_of("rRfFtT") == std::string_view::npos;
}

// Looks for the end of an f-string by what is open around a place: strings, and expressions in their braces. npos: it
// has none.
std::size_t Lexer::end_of_format() const {
  struct Open {
    std::string_view quotes;  // of a string; empty: an expression
    int depth = 0;            // of brackets in it
    bool is_spec = false;     // behind the colon: a string without quotes
  };
  std::vector<Open> open;
  std::size_t at = at_;
  const auto quotes_at = [&](std::size_t place) {
    const bool is_long = source_.substr(place, 3) == std::string(3, source_[place]);
    return source_.substr(place, is_long ? 3 : 1);
  };
  open.push_back({quotes_at(at)});
  at += open.back().quotes.size();
  while (at < source_.size()) {
    Open& inner = open.back();
    const char c = source_[at];
    if (!inner.quotes.empty() || inner.is_spec) {
      const bool is_short = inner.quotes.size() == 1;
      if (c == '\\') {
        at += at + 1 < source_.size() && (source_[at + 1] == '{' || source_[at + 1] == '}') ? 1 : 2;
      } else if (c == '{' && !inner.is_spec && source_.substr(at, 2) == "{{") {
        at += 2;
      } else if (c == '{') {
        open.push_back({});
        ++at;
      } else if (inner.is_spec && c == '}') {
        open.pop_back();
        ++at;
      } else if (!inner.is_spec && source_.substr(at).starts_with(inner.quotes)) {
        at += inner.quotes.size();
        open.pop_back();
        if (open.empty()) return at;
      } else if (c == '\n' && is_short) {
        return std::string_view::npos;
      } else {
        ++at;
      }
      continue;
    }
    if (class_of(c) == Class::Quote) {
      Lexer nested = *this;
      nested.at_ = at;
      if (nested.has_format_prefix()) {
        open.push_back({quotes_at(at)});
        at += open.back().quotes.size();
        continue;
      }
      if (!nested.skip_plain_string()) return std::string_view::npos;
      at = nested.at_;
      continue;
    }
    if (c == '#') {
      at = std::min(source_.find('\n', at), source_.size());
      continue;
    }
    if (class_of(c) == Class::Open) ++inner.depth;
    if (c == '}' && inner.depth == 0) {
      open.pop_back();
    } else if (class_of(c) == Class::Close) {
      if (inner.depth == 0) return std::string_view::npos;
      --inner.depth;
    } else if (c == ':' && inner.depth == 0) {
      inner.is_spec = true;
    }
    ++at;
  }
  return std::string_view::npos;
}

bool Lexer::skip_string() {
  if (at_ < plain_until_ || !has_format_prefix()) return skip_plain_string();
  const std::size_t end = end_of_format();
  if (end == std::string_view::npos) {
    // Its quotes are what ends it, and those of all that begin in it: each byte is looked at twice at most.
    plain_until_ = source_.size();
    return skip_plain_string();
  }
  line_ += static_cast<std::uint32_t>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                 source_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
  at_ = end;
  return true;
}

/// A backslash and the line's end behind it; a carriage return may stand between.
bool Lexer::skip_joint() {
  const std::size_t end = at_ + (source_.substr(at_ + 1).starts_with("\r\n") ? 2 : 1);
  if (end >= source_.size() || source_[end] != '\n') return false;
  at_ = end + 1;
  ++line_;
  return true;
}

void Lexer::skip_blanks() {
  while (at_ < source_.size()) {
    switch (class_of(source_[at_])) {
      case Class::Blank: ++at_; break;
      case Class::Comment: skip_comment(); break;
      case Class::Backslash:
        if (!skip_joint()) return;
        break;
      case Class::LineEnd:
        if (depth_ == 0) return;
        ++at_, ++line_;
        break;
      default: return;
    }
  }
}

bool Lexer::begin_line() {
  if (is_begun_) skip_line();
  while (at_ < source_.size()) {
    indent_ = blanks_ = 0;
    for (; at_ < source_.size() && class_of(source_[at_]) == Class::Blank; ++at_) {
      if (source_[at_] == ' ' || source_[at_] == '\t') ++blanks_;
      if (source_[at_] == '\f') indent_ = blanks_ = 0;
      if (source_[at_] == ' ') ++indent_;
      if (source_[at_] == '\t') indent_ = (indent_ / 8 + 1) * 8;
    }
    if (at_ < source_.size() && source_[at_] == '#') skip_comment();
    if (at_ == source_.size()) break;
    if (source_[at_] != '\n') {
      is_begun_ = true;
      return true;
    }
    ++at_, ++line_;
  }
  return false;
}

Token Lexer::take(Token::Kind kind, std::size_t end) {
  const Token token{kind, source_.substr(at_, end - at_), line_};
  at_ = end;
  return token;
}

Token Lexer::take_operator() {
  const std::string_view rest = source_.substr(at_);
  constexpr std::string_view kSecond = "*/<>.=";  // what an operator may have behind its first letter
  if (rest.size() < 2 || kSecond.find(rest[1]) == std::string_view::npos) return take(Token::Kind::Operator, at_ + 1);
  for (const std::string_view longer : kOperators) {
    if (rest.starts_with(longer)) return take(Token::Kind::Operator, at_ + longer.size());
  }
  return take(Token::Kind::Operator, at_ + 1);
}

Token Lexer::next() {
  skip_blanks();
  if (!is_begun_ || at_ == source_.size() || source_[at_] == '\n') return {Token::Kind::LineEnd, {}, line_};
  const auto end_of_word = [&](std::size_t from) {
    while (from < source_.size() && is_of_name(source_[from])) ++from;
    return from;
  };
  const bool is_fraction =
      source_[at_] == '.' && at_ + 1 < source_.size() && class_of(source_[at_ + 1]) == Class::Digit;
  switch (is_fraction ? Class::Digit : class_of(source_[at_])) {
    case Class::Name: {
      const std::size_t end = end_of_word(at_);
      const bool is_prefix = end - at_ <= 2 && end < source_.size() && class_of(source_[end]) == Class::Quote &&
                             source_.substr(at_, end - at_).find_first_not_of("rRbBuUfFtT") == std::string_view::npos;
      if (!is_prefix) return take(Token::Kind::Name, end);
      [[fallthrough]];
    }
    case Class::Quote: {
      const std::size_t begin = at_;
      const std::uint32_t line = line_;
      at_ = std::min(source_.find_first_of("\"'", at_), source_.size());
      const bool is_whole = skip_string();
      return {Token::Kind::String, source_.substr(begin, at_ - begin), line, !is_whole};
    }
    case Class::Digit: return take(Token::Kind::Number, at_ + size_of_number(source_.substr(at_)));
    case Class::Open: ++depth_; return take(Token::Kind::Operator, at_ + 1);
    case Class::Close: depth_ -= depth_ > 0 ? 1 : 0; return take(Token::Kind::Operator, at_ + 1);
    default: return take_operator();
  }
}

void Lexer::skip_line() {
  while (at_ < source_.size() && is_begun_) {
    switch (class_of(source_[at_])) {
      case Class::Quote: skip_string(); break;
      case Class::Comment: skip_comment(); break;
      case Class::Open: ++depth_, ++at_; break;
      case Class::Close: depth_ -= depth_ > 0 ? 1 : 0, ++at_; break;
      case Class::Backslash: at_ += skip_joint() ? 0 : 1; break;
      case Class::LineEnd:
        ++at_, ++line_;
        if (depth_ == 0) is_begun_ = false;
        break;
      default: ++at_;
    }
  }
  is_begun_ = false;
  depth_ = 0;
}

void Lexer::skip_deeper(std::size_t indent) {
  if (is_begun_) skip_line();
  while (true) {
    const std::size_t before = at_;
    const std::uint32_t line = line_;
    if (!begin_line()) return;
    if (indent_ <= indent) {
      // It is begun by who reads it.
      at_ = before;
      line_ = line;
      is_begun_ = false;
      return;
    }
    skip_line();
  }
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_of_name(text[at - 1]);
    if (begins && (end == text.size() || !is_of_name(text[end]))) return true;
  }
  return false;
}

}  // namespace soresolve::python
