// By descent, one function a rule of the reference's grammar; operators between two values by their levels.
#include "python/expression_parser.h"

#include <algorithm>
#include <utility>

#include "python/parser.h"

namespace soresolve::python {
namespace {

/// Operators or trailers in a row: a tree of them is as deep.
constexpr int kMaxChain = 200;

constexpr std::string_view kKeywords[] = {
    "False",  "None",     "True", "and",    "as",   "assert",  "async",  "await",  "break", "class",  "continue", "def",
    "del",    "elif",     "else", "except", "for",  "finally", "from",   "global", "if",    "import", "in",       "is",
    "lambda", "nonlocal", "not",  "or",     "pass", "raise",   "return", "try",    "while", "with",   "yield"};

/// By level, what binds least first.
constexpr std::string_view kOperations[][5] = {
    {"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "//", "%", "@"}, {"**"}};

constexpr int kNoOperation = -1;

/// Of an operator between two values; kNoOperation: the token is none.
int level_of(const Token& token) {
  constexpr std::string_view kFirst = "|^&<>+-*/%@";
  if (token.kind != Token::Kind::Operator || kFirst.find(token.text.front()) == std::string_view::npos)
    return kNoOperation;
  for (std::size_t level = 0; level < std::size(kOperations); ++level) {
    const auto end = std::end(kOperations[level]);
    if (std::find(std::begin(kOperations[level]), end, token.text) != end) return static_cast<int>(level);
  }
  return kNoOperation;
}

/// A word that is no name.
bool is_keyword(std::string_view word) {
  return std::find(std::begin(kKeywords), std::end(kKeywords), word) != std::end(kKeywords);
}

}  // namespace

bool ExpressionParser::take(std::string_view word) {
  if (!token_.is(word) || is_at_end()) return false;
  advance();
  return true;
}

Expression ExpressionParser::starred() {
  if (!token_.is("*")) return expression();
  Expression star = make(ExpressionKind::Keyword, "*");
  advance();
  star.parts.push_back(operation(0));
  return star;
}

Expression ExpressionParser::list() {
  Expression first = starred();
  if (!token_.is(",")) return first;
  Expression tuple = make(ExpressionKind::Tuple);
  tuple.parts.push_back(std::move(first));
  while (!failed_ && take(",")) {
    const bool is_over = is_at_end() || token_.is("=") || token_.is(")") || token_.is("]") || token_.is(":");
    if (is_over) break;
    tuple.parts.push_back(starred());
  }
  return tuple;
}

Expression ExpressionParser::targets() {
  const auto target = [this] {
    take("*");
    return primary();
  };
  Expression first = target();
  if (!token_.is(",")) return first;
  Expression tuple = make(ExpressionKind::Tuple);
  tuple.parts.push_back(std::move(first));
  while (!failed_ && take(",") && !token_.is("in") && !token_.is("=")) tuple.parts.push_back(target());
  return tuple;
}

Expression ExpressionParser::expression() {
  if (failed_ || depth_ >= kMaxNesting) {
    failed_ = true;
    return {};
  }
  ++depth_;
  Expression result = choice();
  --depth_;
  return result;
}

Expression ExpressionParser::choice() {
  if (token_.is("lambda")) return lambda();
  Expression value = disjunction("or", ExpressionKind::Or);
  if (token_.is(":=") && value.kind == ExpressionKind::Name) {
    Expression walrus{ExpressionKind::Walrus, value.line, value.text, {}};
    advance();
    walrus.parts.push_back(expression());
    return walrus;
  }
  if (!token_.is("if")) return value;
  Expression choice = make(ExpressionKind::Choice);
  advance();
  choice.parts.push_back(std::move(value));
  choice.parts.push_back(disjunction("or", ExpressionKind::Or));
  if (!take("else")) {
    failed_ = true;
    return {};
  }
  choice.parts.push_back(expression());
  return choice;
}

Expression ExpressionParser::disjunction(std::string_view word, ExpressionKind kind) {
  const auto part = [&] { return kind == ExpressionKind::Or ? disjunction("and", ExpressionKind::And) : negation(); };
  Expression first = part();
  if (!token_.is(word)) return first;
  Expression all = make(kind);
  all.parts.push_back(std::move(first));
  while (!failed_ && take(word)) all.parts.push_back(part());
  return all;
}

Expression ExpressionParser::negation() {
  if (!token_.is("not")) return comparison();
  if (depth_ >= kMaxNesting) {
    failed_ = true;
    return {};
  }
  Expression result = make(ExpressionKind::Not);
  advance();
  ++depth_;
  result.parts.push_back(negation());
  --depth_;
  return result;
}

Expression ExpressionParser::comparison() {
  constexpr std::string_view kSigns[] = {"==", "!=", "<", ">", "<=", ">="};
  Expression left = operation(0);
  Expression chain = make(ExpressionKind::And);
  while (!failed_ && chain.parts.size() < kMaxChain) {
    const bool is_sign = token_.kind == Token::Kind::Operator &&
                         std::find(std::begin(kSigns), std::end(kSigns), token_.text) != std::end(kSigns);
    Expression compared = make(ExpressionKind::Comparison);
    if (is_sign) {
      compared.text = token_.text;
      advance();
    } else if (take("in")) {
      compared.text = "in";
    } else if (take("is")) {
      compared.text = take("not") ? "is not" : "is";
    } else if (token_.is("not")) {
      advance();
      if (!take("in")) failed_ = true;
      compared.text = "not in";
    } else {
      break;
    }
    Expression right = operation(0);
    compared.parts = {chain.parts.empty() ? std::move(left) : chain.parts.back().parts[1], right};
    chain.parts.push_back(std::move(compared));
  }
  if (chain.parts.empty()) return left;
  if (chain.parts.size() > 1) return chain;
  Expression only = std::move(chain.parts.front());
  return only;
}

Expression ExpressionParser::operation(int least) {
  Expression left = unary();
  int taken = 0;
  for (int level = level_of(token_); level >= least && !failed_; level = level_of(token_)) {
    Expression both = make(ExpressionKind::Operation, token_.text);
    advance();
    Expression right = operation(level + 1);
    both.parts.reserve(2);
    both.parts.push_back(std::move(left));
    both.parts.push_back(std::move(right));
    left = std::move(both);
    if (taken++ == kMaxChain) failed_ = true;
  }
  return left;
}

Expression ExpressionParser::unary() {
  const bool is_sign = token_.is("-") || token_.is("+") || token_.is("~");
  if (!is_sign && !token_.is("await")) return primary();
  if (depth_ >= kMaxNesting) {
    failed_ = true;
    return {};
  }
  Expression result = make(is_sign ? ExpressionKind::Negation : ExpressionKind::Opaque, token_.text);
  advance();
  ++depth_;
  result.parts.push_back(unary());
  --depth_;
  return result;
}

Expression ExpressionParser::primary() {
  Expression value = atom();
  for (int i = 0; !failed_; ++i) {
    if (i == kMaxChain) failed_ = true;
    if (token_.is(".")) {
      advance();
      Expression attribute = make(ExpressionKind::Attribute, token_.text);
      if (token_.kind != Token::Kind::Name) failed_ = true;
      advance();
      attribute.parts.push_back(std::move(value));
      value = std::move(attribute);
    } else if (token_.is("(")) {
      Expression call = make(ExpressionKind::Call);
      advance();
      call.parts.push_back(std::move(value));
      arguments(call);
      value = std::move(call);
    } else if (token_.is("[")) {
      Expression whole = make(ExpressionKind::Subscript);
      advance();
      whole.parts.push_back(std::move(value));
      whole.parts.push_back(subscript());
      if (!take("]")) failed_ = true;
      value = std::move(whole);
    } else {
      break;
    }
  }
  return value;
}

void ExpressionParser::arguments(Expression& call) {
  while (!failed_ && !take(")")) {
    const bool is_unpacked = token_.is("*") || token_.is("**");
    if (is_unpacked) {
      Expression star = make(ExpressionKind::Keyword, token_.text);
      advance();
      star.parts.push_back(expression());
      call.parts.push_back(std::move(star));
    } else {
      Expression value = expression();
      if (token_.is("=") && value.kind == ExpressionKind::Name) {
        Expression named{ExpressionKind::Keyword, value.line, value.text, {}};
        advance();
        named.parts.push_back(expression());
        value = std::move(named);
      } else if (token_.is("for") || token_.is("async")) {
        value = comprehension(std::move(value), "(");
      }
      call.parts.push_back(std::move(value));
    }
    if (take(")")) return;
    if (!take(",")) failed_ = true;
  }
}

Expression ExpressionParser::subscript() {
  Expression low = token_.is(":") ? Expression{} : list();
  if (!token_.is(":")) return low;
  Expression slice = make(ExpressionKind::Slice);
  advance();
  slice.parts.push_back(std::move(low));
  slice.parts.push_back(token_.is("]") || token_.is(":") || token_.is(",") ? Expression{} : expression());
  // A step, or further dimensions.
  while (!failed_ && !token_.is("]") && !is_at_end()) {
    slice.kind = ExpressionKind::Opaque;
    advance();
  }
  return slice;
}

Expression ExpressionParser::lambda() {
  Expression result = make(ExpressionKind::Opaque);
  const int depth = lexer_.depth();
  while (!is_at_end() && !(token_.is(":") && lexer_.depth() == depth)) advance();
  take(":");
  expression();
  return result;
}

Expression ExpressionParser::literals() {
  Expression first = make(ExpressionKind::String, token_.text);
  advance();
  if (token_.kind != Token::Kind::String) return first;
  Expression all = make(ExpressionKind::Strings);
  all.parts.push_back(std::move(first));
  for (; token_.kind == Token::Kind::String; advance()) all.parts.push_back(make(ExpressionKind::String, token_.text));
  return all;
}

Expression ExpressionParser::atom() {
  switch (token_.kind) {
    case Token::Kind::String: return literals();
    case Token::Kind::Number: {
      Expression number = make(ExpressionKind::Number, token_.text);
      advance();
      return number;
    }
    case Token::Kind::Name: {
      const bool is_constant = token_.is("None") || token_.is("True") || token_.is("False");
      if (token_.is("yield")) {
        yields_ = true;
        Expression result = make(ExpressionKind::Opaque);
        advance();
        take("from");
        if (!is_at_end() && !token_.is(")") && !token_.is("=")) list();
        return result;
      }
      if (is_keyword(token_.text) && !is_constant) break;
      Expression name = make(ExpressionKind::Name, token_.text);
      advance();
      return name;
    }
    case Token::Kind::Operator:
      if (token_.is("(") || token_.is("[")) return in_brackets();
      if (token_.is("{")) return mapping_or_set();
      if (token_.is("...")) {
        Expression result = make(ExpressionKind::Opaque);
        advance();
        return result;
      }
      break;
    case Token::Kind::LineEnd: break;
  }
  failed_ = true;
  return {};
}

Expression ExpressionParser::in_brackets() {
  const std::string_view bracket = token_.text;
  const std::string_view close = bracket == "(" ? ")" : "]";
  Expression whole = make(ExpressionKind::Tuple, bracket);
  advance();
  if (take(close)) return whole;
  Expression first = starred();
  if (token_.is("for") || token_.is("async")) {
    first = comprehension(std::move(first), bracket);
    if (!take(close)) failed_ = true;
    return first;
  }
  if (bracket == "(" && take(close)) return first;
  whole.parts.push_back(std::move(first));
  while (!failed_ && take(",") && !token_.is(close)) whole.parts.push_back(starred());
  if (!take(close)) failed_ = true;
  return whole;
}

Expression ExpressionParser::mapping_or_set() {
  Expression whole = make(ExpressionKind::Mapping, "{");
  advance();
  while (!failed_ && !token_.is("}")) {
    if (token_.is("**")) {
      Expression unpacked = make(ExpressionKind::Keyword, token_.text);
      advance();
      unpacked.parts.push_back(operation(0));
      whole.parts.push_back(std::move(unpacked));
    } else {
      Expression key = starred();
      whole.parts.push_back(std::move(key));
      if (take(":")) {
        whole.parts.push_back(expression());
      } else if (whole.kind == ExpressionKind::Mapping) {
        whole.kind = ExpressionKind::Tuple;
      }
      if (token_.is("for") || token_.is("async")) {
        // Of a mapping: a key and its value.
        Expression element = std::move(whole);
        const bool is_mapping = element.kind == ExpressionKind::Mapping && element.parts.size() == 2;
        if (element.parts.size() == 1) element = Expression(element.parts[0]);
        element.kind = is_mapping ? ExpressionKind::Tuple : element.kind;
        whole = comprehension(std::move(element), is_mapping ? "{:" : "{");
        break;
      }
    }
    if (!take(",") && !token_.is("}")) failed_ = true;
  }
  if (!take("}")) failed_ = true;
  return whole;
}

// Of one loop; further ones leave it Opaque.
Expression ExpressionParser::comprehension(Expression element, std::string_view bracket) {
  Expression whole = make(ExpressionKind::Comprehension, bracket);
  whole.parts.push_back(std::move(element));
  for (int loops = 0; !failed_ && (token_.is("for") || token_.is("async")); ++loops) {
    if (take("async") || loops != 0) whole.kind = ExpressionKind::Opaque;
    if (!take("for")) failed_ = true;
    whole.parts.push_back(targets());
    if (!take("in")) failed_ = true;
    whole.parts.push_back(disjunction("or", ExpressionKind::Or));
    while (!failed_ && take("if")) whole.parts.push_back(disjunction("or", ExpressionKind::Or));
  }
  return whole;
}

Expression parse_expression(std::string_view text, std::uint32_t line) {
  ExpressionParser parser(text, line);
  if (!parser.lexer().begin_line()) return {};
  parser.advance();
  Expression result = parser.list();
  return parser.failed() || !parser.is_at_end() ? Expression{} : result;
}

}  // namespace soresolve::python
