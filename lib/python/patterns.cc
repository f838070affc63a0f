// Patterns of `case`. What they bind is not kept: no import is known to depend on it.
//
// Source: the Python Language Reference, "The match statement".
#include "python/expression_parser.h"

namespace soresolve::python {

void ExpressionParser::patterns() {
  const auto is_over = [this] { return token_.is("if") || token_.is(":"); };
  bool is_sequence = false;
  do {
    if (is_sequence && is_over()) return;
    const bool is_star = take("*");
    is_star ? static_cast<void>(name()) : pattern();
    if (is_star && is_over() && !is_sequence) fail();
    is_sequence = true;
  } while (!failed_ && take(","));
}

void ExpressionParser::pattern() {
  if (!enter()) return;
  do {
    closed_pattern();
  } while (!failed_ && take("|"));
  if (take("as") && name() == "_") fail();
  leave();
}

/// What stands in brackets, with the one that closes them.
void ExpressionParser::patterns_until(std::string_view close) {
  while (!failed_ && !take(close)) {
    if (close != "}" && take("*")) {
      name();
    } else if (close == "}" && take("**")) {
      if (name() == "_") fail();
    } else {
      const bool is_mapping = close == "}";
      if (is_mapping) {
        // A literal, or a name with a point.
        Lexer ahead = lexer_;
        const bool is_capture = token_.kind == Token::Kind::Name && !is_constant() && !ahead.next().is(".");
        if (is_capture || token_.is("(") || token_.is("[") || token_.is("{")) fail();
        closed_pattern();
        if (!take(":")) fail();
      }
      pattern();
    }
    if (!take(",") && !token_.is(close)) fail();
  }
}

void ExpressionParser::closed_pattern() {
  if (take("(")) return patterns_until(")");
  if (take("[")) return patterns_until("]");
  if (take("{")) return patterns_until("}");
  if (token_.kind == Token::Kind::String) {
    const std::string_view prefix = token_.text.substr(0, token_.text.find_first_of("\"'"));
    if (prefix.find_first_of("fFtT") != std::string_view::npos) fail();
    literals();
    return;
  }
  if (is_constant()) return advance();
  const auto number = [this] {
    if (token_.kind == Token::Kind::Number) return static_cast<void>(plain_atom());
    fail();
  };
  if (token_.kind == Token::Kind::Number || token_.is("-")) {
    take("-");
    number();
    if (take("+") || take("-")) number();  // of a complex one
    return;
  }
  if (name() == "_") return;
  while (!failed_ && take(".")) name();
  if (!take("(")) return;
  bool has_named = false;
  while (!failed_ && !take(")")) {
    const bool is_name = token_.kind == Token::Kind::Name;
    Lexer ahead = lexer_;
    if (is_name && ahead.next().is("=")) {
      name();
      take("=");
      has_named = true;
    } else if (has_named) {
      fail();
    }
    pattern();
    if (!take(",") && !token_.is(")")) fail();
  }
}

}  // namespace soresolve::python
