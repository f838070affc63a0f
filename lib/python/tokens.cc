// One pass, byte by byte, over a table of classes. A line that has been begun and not read to its end is passed by
// whoever begins the next one.
#include "python/tokens.h"

#include <algorithm>
#include <array>

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
void Lexer::skip_string() {
  const char quote = source_[at_];
  const bool is_long = at_ + 2 < source_.size() && source_[at_ + 1] == quote && source_[at_ + 2] == quote;
  at_ += is_long ? 3 : 1;
  for (; at_ < source_.size(); ++at_) {
    const char c = source_[at_];
    if (c == '\\') {
      ++at_;
      if (at_ < source_.size() && source_[at_] == '\n') ++line_;
    } else if (c == quote) {
      if (!is_long) return void(++at_);
      if (at_ + 2 < source_.size() && source_[at_ + 1] == quote && source_[at_ + 2] == quote) return void(at_ += 3);
      if (at_ + 2 >= source_.size()) break;
    } else if (c == '\n') {
      if (!is_long) return;
      ++line_;
    }
  }
  at_ = source_.size();
}

void Lexer::skip_blanks() {
  while (at_ < source_.size()) {
    switch (class_of(source_[at_])) {
      case Class::Blank: ++at_; break;
      case Class::Comment: skip_comment(); break;
      case Class::Backslash:
        // A carriage return may stand before the line's end.
        at_ = std::min(source_.find('\n', at_), source_.size());
        if (at_ < source_.size()) ++at_, ++line_;
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
    indent_ = 0;
    for (; at_ < source_.size() && class_of(source_[at_]) == Class::Blank; ++at_) {
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
      skip_string();
      return {Token::Kind::String, source_.substr(begin, at_ - begin), line};
    }
    case Class::Digit: {
      std::size_t end = at_;
      while (end < source_.size() && (is_of_name(source_[end]) || source_[end] == '.')) ++end;
      return take(Token::Kind::Number, end);
    }
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
      case Class::Backslash: skip_blanks(); break;
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
