// Patterns of `case`, as the expressions that they look like (syntax.h).
//
// Source: the Python Language Reference, "The match statement".
#include <utility>

#include "python/expression_parser.h"

namespace soresolve::python {

Expression ExpressionParser::patterns() {
  const auto is_over = [this] { return token_.is("if") || token_.is(":"); };
  Expression all = make(ExpressionKind::Tuple, "[");
  bool is_sequence = false;
  do {
    if (is_sequence && is_over()) return all;
    const bool is_star = token_.is("*");
    all.parts.push_back(is_star ? star_pattern() : pattern());
    if (is_star && is_over() && !is_sequence) fail();
    is_sequence = is_sequence || is_star || token_.is(",");
  } while (!failed_ && take(","));
  if (is_sequence || all.parts.empty()) return all;
  Expression only = std::move(all.parts.front());
  return only;
}

Expression ExpressionParser::star_pattern() {
  Expression star = make(ExpressionKind::Keyword, token_.text);
  advance();
  star.parts.push_back(make(ExpressionKind::Name));
  star.parts[0].text = name();
  return star;
}

Expression ExpressionParser::pattern() {
  if (!enter()) return {};
  Expression any = make(ExpressionKind::Or);
  do {
    any.parts.push_back(closed_pattern());
  } while (!failed_ && take("|"));
  Expression whole = std::move(any);
  if (whole.parts.size() == 1) whole = Expression(whole.parts.front());
  if (token_.is("as")) {
    Expression as = make(ExpressionKind::Walrus);
    advance();
    as.text = name();
    if (as.text == "_") fail();
    as.parts.push_back(std::move(whole));
    whole = std::move(as);
  }
  leave();
  return whole;
}

/// What stands in brackets, with the one that closes them.
void ExpressionParser::patterns_until(std::string_view close, Expression& whole) {
  while (!failed_ && !take(close)) {
    if (token_.is(close == "}" ? "**" : "*")) {
      whole.parts.push_back(star_pattern());
      if (close == "}" && whole.parts.back().parts[0].text == "_") fail();
    } else {
      const bool is_mapping = close == "}";
      if (is_mapping) {
        // A literal, or a name with a point.
        Lexer ahead = lexer_;
        const bool is_capture = token_.kind == Token::Kind::Name && !is_constant() && !ahead.next().is(".");
        if (is_capture || token_.is("(") || token_.is("[") || token_.is("{")) fail();
        whole.parts.push_back(closed_pattern());
        if (!take(":")) fail();
      }
      whole.parts.push_back(pattern());
    }
    if (!take(",") && !token_.is(close)) fail();
  }
}

Expression ExpressionParser::bracket_pattern() {
  const bool is_round = token_.is("(");
  const std::string_view close = is_round ? ")" : token_.is("[") ? "]" : "}";
  Expression whole = make(close == "}" ? ExpressionKind::Mapping : ExpressionKind::Tuple, "[");
  advance();
  const char* const begin = place();
  patterns_until(close, whole);
  // Round ones with one pattern and no comma are those around an expression.
  const bool is_one = is_round && !failed_ && whole.parts.size() == 1 &&
                      whole.parts[0].kind != ExpressionKind::Keyword && !has_comma_at_end(begin);
  if (!is_one) return whole;
  Expression only = std::move(whole.parts.front());
  return only;
}

/// Does a comma stand before the bracket that was taken last?
bool ExpressionParser::has_comma_at_end(const char* begin) const {
  const char* const end = token_.text.data() != nullptr ? token_.text.data() : lexer_.place();
  const std::string_view between(begin, end < begin ? 0 : static_cast<std::size_t>(end - begin));
  const std::size_t close = between.rfind(')');
  const std::size_t last = close == std::string_view::npos || close == 0
                               ? std::string_view::npos
                               : between.find_last_not_of(" \t\r\n\\", close - 1);
  return last != std::string_view::npos && between[last] == ',';
}

Expression ExpressionParser::number_pattern() {
  const auto number = [this] {
    if (token_.kind == Token::Kind::Number) return plain_atom();
    fail();
    return Expression{};
  };
  if (!token_.is("-")) {
    Expression value = number();
    if (!take("+") && !take("-")) return value;
    number();  // of a complex one
    return {};
  }
  Expression negative = make(ExpressionKind::Negation, token_.text);
  advance();
  negative.parts.push_back(number());
  if (!take("+") && !take("-")) return negative;
  number();
  return {};
}

Expression ExpressionParser::closed_pattern() {
  if (token_.is("(") || token_.is("[") || token_.is("{")) return bracket_pattern();
  if (token_.kind == Token::Kind::String) {
    const std::string_view prefix = token_.text.substr(0, token_.text.find_first_of("\"'"));
    if (prefix.find_first_of("fFtT") != std::string_view::npos) fail();
    return literals();
  }
  if (is_constant()) {
    Expression constant = make(ExpressionKind::Name, token_.text);
    advance();
    return constant;
  }
  if (token_.kind == Token::Kind::Number || token_.is("-")) return number_pattern();
  Expression value = make(ExpressionKind::Name);
  value.text = name();
  if (value.text == "_") return value;
  while (!failed_ && token_.is(".")) {
    advance();
    Expression attribute = make(ExpressionKind::Attribute);
    attribute.text = name();
    attribute.parts.push_back(std::move(value));
    value = std::move(attribute);
  }
  if (!token_.is("(")) return value;
  Expression of_class = make(ExpressionKind::Call);
  advance();
  of_class.parts.push_back(std::move(value));
  bool has_named = false;
  while (!failed_ && !take(")")) {
    const bool is_name = token_.kind == Token::Kind::Name;
    Lexer ahead = lexer_;
    Expression named = make(ExpressionKind::Keyword);
    if (is_name && ahead.next().is("=")) {
      named.text = name();
      take("=");
      has_named = true;
    } else if (has_named) {
      fail();
    }
    Expression part = pattern();
    if (!named.text.empty()) {
      named.parts.push_back(std::move(part));
      part = std::move(named);
    }
    of_class.parts.push_back(std::move(part));
    if (!take(",") && !token_.is(")")) fail();
  }
  return of_class;
}

}  // namespace soresolve::python
