// By descent, one function a rule of the reference's grammar; operators between two values by their levels.
#include "python/expression_parser.h"

#include <algorithm>
#include <utility>

#include "python/parser.h"

namespace soresolve::python {
namespace {

/// A tree of operators or trailers in a row is as deep as there are. What would make it deeper than a stack can take is
/// not known: so many in all at the depths around, fewer the deeper they stand.
constexpr int kMaxChains = 600;
constexpr std::size_t kMaxComparisons = 200;

constexpr std::string_view kKeywords[] = {
    "False",  "None",     "True", "and",    "as",   "assert",  "async",  "await",  "break", "class",  "continue", "def",
    "del",    "elif",     "else", "except", "for",  "finally", "from",   "global", "if",    "import", "in",       "is",
    "lambda", "nonlocal", "not",  "or",     "pass", "raise",   "return", "try",    "while", "with",   "yield"};

/// By level, what binds least first.
constexpr std::string_view kOperations[][5] = {{"|"},        {"^"},      {"&"},
                                               {"<<", ">>"}, {"+", "-"}, {"*", "/", "//", "%", "@"}};

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
  if (word.size() < 2 || word.size() > 8) return false;
  return std::find(std::begin(kKeywords), std::end(kKeywords), word) != std::end(kKeywords);
}

/// Without brackets of its own, by the place where it begins.
bool is_bare_walrus(const Expression& expression, const char* begin) {
  return expression.kind == ExpressionKind::Walrus && expression.text.data() == begin;
}

bool is_star(const Expression& expression) {
  return expression.kind == ExpressionKind::Keyword && expression.text == "*";
}

}  // namespace

bool ExpressionParser::take(std::string_view word) {
  if (!token_.is(word) || is_at_end()) return false;
  advance();
  return true;
}

void ExpressionParser::fail_at(const char* place) {
  if (failures_.unread == nullptr) failures_.unread = place;
  failed_ = true;
}

std::string_view ExpressionParser::name() {
  if (token_.kind != Token::Kind::Name || is_keyword(token_.text)) {
    fail();
    return {};
  }
  const std::string_view word = token_.text;
  advance();
  return word;
}

/// Behind a value that may be missing.
bool ExpressionParser::is_over() const {
  constexpr std::string_view kBehind = ")]}=;:!";
  return is_at_end() || (token_.kind == Token::Kind::Operator && kBehind.find(token_.text[0]) != kBehind.npos &&
                         !token_.is("==") && !token_.is("!="));
}

bool ExpressionParser::enter() {
  if (depth_ >= kMaxNesting) fail();
  if (failed_) return false;
  ++depth_;
  return true;
}

template <class Parse>
Expression ExpressionParser::deeper(const Parse& parse) {
  if (!enter()) return {};
  const int links = std::exchange(links_, 0);
  Expression result = parse();
  links_ = links;
  leave();
  return result;
}

/// Counts one link more.
bool ExpressionParser::is_chain_over() { return ++links_ > std::max(kMaxChains / (depth_ + 2), 8); }

Expression ExpressionParser::starred(bool is_named) {
  if (!token_.is("*")) return is_named ? named() : expression();
  Expression star = make(ExpressionKind::Keyword, "*");
  advance();
  star.parts.push_back(deeper([this] { return operation(0); }));
  return star;
}

Expression ExpressionParser::list(bool is_named) {
  const char* const begin = place();
  Expression first = starred(is_named);
  if (!token_.is(",")) {
    if (is_star(first)) fail_at(begin);
    return first;
  }
  Expression tuple = make(ExpressionKind::Tuple);
  tuple.parts.push_back(std::move(first));
  while (!failed_ && take(",")) {
    if (is_over()) break;
    tuple.parts.push_back(starred(is_named));
  }
  return tuple;
}

Expression ExpressionParser::yield_or_list() { return token_.is("yield") ? yield() : list(); }

Expression ExpressionParser::yield() {
  ++yields_;
  if (!is_in_function()) misplace(place(), "'yield' outside function");
  Expression result = make(ExpressionKind::Yield);
  const char* const begin = place();
  advance();
  if (take("from")) {
    if (scope_ == Scope::Coroutine) misplace(begin, "'yield from' inside async function");
    result.kind = ExpressionKind::YieldFrom;
    result.parts.push_back(expression());
  } else if (!is_over()) {
    if (token_.is("*")) needs(8);
    result.parts.push_back(list());
  }
  return result;
}

Expression ExpressionParser::target() {
  const char* const begin = place();
  const bool has_star = take("*");
  Expression result = deeper([this] { return primary(); });
  if (!failed_ && !is_target(result)) fail_at(begin);
  if (!has_star) return result;
  Expression star{ExpressionKind::Keyword, result.line, "*", {}};
  star.parts.push_back(std::move(result));
  return star;
}

Expression ExpressionParser::targets() {
  const char* const begin = place();
  Expression first = target();
  if (token_.is(",")) {
    Expression tuple = make(ExpressionKind::Tuple);
    tuple.parts.push_back(std::move(first));
    while (!failed_ && take(",") && !token_.is("in")) tuple.parts.push_back(target());
    first = std::move(tuple);
  }
  if (!failed_ && !is_target(first)) fail_at(begin);
  return first;
}

bool ExpressionParser::is_target(const Expression& expression, bool is_one) {
  using enum ExpressionKind;
  switch (expression.kind) {
    case Attribute:
    case Subscript: return true;
    case Name: return !is_keyword(expression.text) && expression.text != "__debug__";
    case Tuple:
      return !is_one && expression.text != "{" &&
             std::count_if(expression.parts.begin(), expression.parts.end(), is_star) < 2 &&
             std::all_of(expression.parts.begin(), expression.parts.end(),
                         [](const Expression& part) { return is_target(is_star(part) ? part.parts[0] : part); });
    default: return false;
  }
}

Expression ExpressionParser::expression() {
  return deeper([this] { return choice(); });
}

Expression ExpressionParser::named() {
  const char* const begin = place();
  Expression value = expression();
  const bool is_name = value.kind == ExpressionKind::Name && value.text.data() == begin;
  if (!token_.is(":=") || !is_name || !is_target(value)) return value;
  needs(8);
  Expression walrus{ExpressionKind::Walrus, value.line, value.text, {}};
  advance();
  walrus.parts.push_back(expression());
  return walrus;
}

Expression ExpressionParser::choice() {
  if (token_.is("lambda")) return lambda();
  Expression value = disjunction("or", ExpressionKind::Or);
  if (!token_.is("if")) return value;
  Expression choice = make(ExpressionKind::Choice);
  advance();
  choice.parts.push_back(std::move(value));
  choice.parts.push_back(disjunction("or", ExpressionKind::Or));
  if (!take("else")) {
    fail();
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
  Expression result = make(ExpressionKind::Not);
  advance();
  result.parts.push_back(deeper([this] { return negation(); }));
  return result;
}

Expression ExpressionParser::comparison() {
  constexpr std::string_view kSigns[] = {"==", "!=", "<", ">", "<=", ">="};
  Expression left = operation(0);
  Expression chain = make(ExpressionKind::And, "<");
  while (!failed_ && chain.parts.size() < kMaxComparisons) {
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
      if (!take("in")) fail();
      compared.text = "not in";
    } else {
      break;
    }
    compared.parts.push_back(chain.parts.empty() ? std::move(left) : Expression{});
    compared.parts.push_back(operation(0));
    chain.parts.push_back(std::move(compared));
  }
  if (chain.parts.empty()) return left;
  if (chain.parts.size() > 1) return chain;
  Expression only = std::move(chain.parts.front());
  return only;
}

Expression ExpressionParser::operation(int least) {
  Expression left = unary();
  for (int level = level_of(token_); level >= least && !failed_; level = level_of(token_)) {
    Expression both = make(ExpressionKind::Operation, token_.text);
    advance();
    Expression right = operation(level + 1);
    both.parts.reserve(2);
    both.parts.push_back(std::move(left));
    both.parts.push_back(std::move(right));
    left = is_chain_over() ? Expression{} : std::move(both);
  }
  return left;
}

/// It binds more than a sign before it, and less than one behind it.
Expression ExpressionParser::power() {
  Expression base = primary();
  if (!token_.is("**") || failed_) return base;
  Expression both = make(ExpressionKind::Operation, token_.text);
  advance();
  both.parts.reserve(2);
  both.parts.push_back(std::move(base));
  both.parts.push_back(deeper([this] { return unary(); }));
  return both;
}

Expression ExpressionParser::unary() {
  const bool is_sign = token_.is("-") || token_.is("+") || token_.is("~");
  if (!is_sign && !token_.is("await")) return power();
  Expression result = make(is_sign ? ExpressionKind::Negation : ExpressionKind::Opaque, token_.text);
  if (!is_sign && scope_ != Scope::Coroutine)
    misplace(place(), is_in_function() ? "'await' outside async function" : "'await' outside function");
  advance();
  result.parts.push_back(deeper([&] { return is_sign ? unary() : primary(); }));
  return result;
}

Expression ExpressionParser::primary() {
  Expression value = atom();
  while (!failed_) {
    if (token_.is(".")) {
      advance();
      Expression attribute = make(ExpressionKind::Attribute);
      attribute.text = name();
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
      if (!take("]")) fail();
      value = std::move(whole);
    } else {
      break;
    }
    if (is_chain_over()) value = {};
  }
  return value;
}

Expression ExpressionParser::slice() {
  if (token_.is("*")) needs(11);
  const char* const begin = place();
  Expression low = token_.is(":") ? Expression{} : starred(true);
  if (!token_.is(":")) {
    if (is_bare_walrus(low, begin)) needs_at(10, begin);
    return low;
  }
  if (is_bare_walrus(low, begin) || is_star(low)) fail();
  const auto is_left_out = [this] { return token_.is("]") || token_.is(":") || token_.is(","); };
  Expression slice = make(ExpressionKind::Slice);
  advance();
  slice.parts.push_back(std::move(low));
  slice.parts.push_back(is_left_out() ? Expression{} : expression());
  slice.parts.push_back(take(":") && !is_left_out() ? expression() : Expression{});
  return slice;
}

Expression ExpressionParser::subscript() {
  Expression first = slice();
  if (!token_.is(",")) return first;
  Expression all = make(ExpressionKind::Tuple);
  all.parts.push_back(std::move(first));
  while (!failed_ && take(",") && !token_.is("]")) all.parts.push_back(slice());
  return all;
}

// A yield in it makes it a generator, and nothing else.
Expression ExpressionParser::lambda() {
  Expression result = make(ExpressionKind::Lambda);
  auto made = std::make_shared<Function>();
  made->name = "<lambda>";
  advance();
  made->parameters = parameters(":");
  if (!take(":")) fail();
  const int yields = yields_;
  const Scope scope = std::exchange(scope_, Scope::Function);
  Statement body{.kind = StatementKind::Return, .line = result.line};
  body.values.push_back(expression());
  scope_ = scope;
  if (yields_ != yields) result.kind = ExpressionKind::Opaque;
  yields_ = yields;
  made->made = std::make_shared<const Block>(Block{std::move(body)});
  result.function = std::move(made);
  return result;
}

Expression ExpressionParser::literals() {
  Expression first = make(ExpressionKind::String, token_.text);
  check_literal();
  advance();
  if (token_.kind != Token::Kind::String) return first;
  const auto is_bytes = [](std::string_view literal) {
    return literal.substr(0, literal.find_first_of("\"'")).find_first_of("bB") != std::string_view::npos;
  };
  Expression all = make(ExpressionKind::Strings);
  all.parts.push_back(std::move(first));
  for (; token_.kind == Token::Kind::String; advance()) {
    if (is_bytes(token_.text) != is_bytes(all.parts[0].text)) fail();
    check_literal();
    all.parts.push_back(make(ExpressionKind::String, token_.text));
  }
  return all;
}

// All that is in brackets is deeper by one.
Expression ExpressionParser::atom() {
  if (token_.is("(") || token_.is("[") || token_.is("{")) return deeper([this] { return plain_atom(); });
  return plain_atom();
}

Expression ExpressionParser::plain_atom() {
  switch (token_.kind) {
    case Token::Kind::String: return literals();
    case Token::Kind::Number: {
      Expression number = make(ExpressionKind::Number, token_.text);
      if (!is_number(token_.text)) fail();
      advance();
      return number;
    }
    case Token::Kind::Name: {
      if (is_keyword(token_.text) && !is_constant()) break;
      Expression name = make(ExpressionKind::Name, token_.text);
      advance();
      return name;
    }
    case Token::Kind::Operator:
      if (token_.is("(") || token_.is("[")) return in_brackets();
      if (token_.is("{")) return mapping_or_set();
      if (token_.is("...")) {
        Expression result = make(ExpressionKind::Ellipsis);
        advance();
        return result;
      }
      break;
    case Token::Kind::LineEnd: break;
  }
  fail();
  return {};
}

Expression ExpressionParser::in_brackets() {
  const std::string_view bracket = token_.text;
  const std::string_view close = bracket == "(" ? ")" : "]";
  const ExpressionParser before = *this;
  Expression whole = make(ExpressionKind::Tuple, bracket);
  advance();
  if (take(close)) return whole;
  if (bracket == "(" && token_.is("yield")) {
    whole = yield();
    if (!take(close)) fail();
    return whole;
  }
  const char* const begin = place();
  Expression first = starred(true);
  if (token_.is("for") || token_.is("async")) {
    first = comprehension(std::move(first), bracket, before);
    if (!take(close)) fail();
    return first;
  }
  if (bracket == "(" && take(close)) {
    if (is_star(first)) fail_at(begin);
    // With its brackets it is no name that gets a value by `:=`, and no star of a list.
    return first;
  }
  whole.parts.push_back(std::move(first));
  while (!failed_ && take(",") && !token_.is(close)) whole.parts.push_back(starred(true));
  if (!take(close)) fail();
  return whole;
}

Expression ExpressionParser::mapping_or_set() {
  const ExpressionParser before = *this;
  Expression whole = make(ExpressionKind::Mapping, "{");
  advance();
  while (!failed_ && !token_.is("}")) {
    const bool is_first = whole.parts.empty();
    bool is_of_mapping = true;
    if (token_.is("**")) {
      Expression unpacked = make(ExpressionKind::Keyword, token_.text);
      advance();
      unpacked.parts.push_back(operation(0));
      whole.parts.push_back(std::move(unpacked));
    } else {
      const char* const begin = place();
      Expression key = starred(true);
      is_of_mapping = token_.is(":") && !is_bare_walrus(key, begin) && !is_star(key);
      if (is_bare_walrus(key, begin)) needs_at(10, begin);
      whole.parts.push_back(std::move(key));
      if (is_of_mapping && take(":")) whole.parts.push_back(expression());
    }
    if (is_first && !is_of_mapping) whole.kind = ExpressionKind::Tuple;
    if (is_of_mapping != (whole.kind == ExpressionKind::Mapping)) fail();
    if (is_first && (token_.is("for") || token_.is("async"))) {
      // Of a mapping: a key and its value.
      Expression element = std::move(whole);
      const bool is_mapping = element.kind == ExpressionKind::Mapping;
      if (is_mapping && element.parts.size() == 1) fail();
      if (element.parts.size() == 1) element = Expression(element.parts[0]);
      if (is_mapping) element = {ExpressionKind::Tuple, element.line, {}, std::move(element.parts)};
      whole = comprehension(std::move(element), is_mapping ? "{:" : "{", before);
      break;
    }
    if (!take(",") && !token_.is("}")) fail();
  }
  if (!take("}")) fail();
  return whole;
}

// `before`: as the element began, which is known now to be one.
Expression ExpressionParser::comprehension(Expression element, std::string_view bracket,
                                           const ExpressionParser& before) {
  if (is_star(element)) fail();
  if (yields_ != before.yields_) misplace(before.place(), {});
  // One that awaits in round brackets is a generator wherever it stands; what it goes through first is not of it.
  if (bracket == "(" && yields_ == before.yields_) failures_.misplaced = before.failures_.misplaced;
  ParseFailures::Misplaced outside;
  Expression whole = make(ExpressionKind::Comprehension, bracket);
  Statement yielded{.kind = StatementKind::Expression, .line = whole.line};
  yielded.values.push_back({ExpressionKind::Yield, whole.line, {}, {}});
  yielded.values[0].parts.push_back(std::move(element));
  std::vector<Statement> heads;
  for (int loops = 0; !failed_ && (token_.is("for") || token_.is("async")); ++loops) {
    const char* const begin = place();
    const bool is_asynchronous = take("async");
    if (is_asynchronous) whole.kind = ExpressionKind::Opaque;
    if (is_asynchronous && bracket != "(" && scope_ != Scope::Coroutine)
      misplace(begin, "asynchronous comprehension outside of an asynchronous function");
    if (!take("for")) fail();
    Statement loop{.kind = StatementKind::For, .line = whole.line};
    loop.values.push_back(targets());
    if (!take("in")) fail();
    const auto value = [this] { return disjunction("or", ExpressionKind::Or); };
    Expression range = deeper(value);
    if (loops == 0) {
      outside = failures_.misplaced;
      whole.parts.push_back(std::exchange(range, {ExpressionKind::Name, whole.line, ".0", {}}));
    }
    loop.values.push_back(std::move(range));
    heads.push_back(std::move(loop));
    while (!failed_ && take("if")) {
      Statement condition{.kind = StatementKind::If, .line = whole.line};
      condition.clauses.emplace_back();
      condition.clauses[0].value = deeper(value);
      heads.push_back(std::move(condition));
    }
  }
  if (bracket == "(") failures_.misplaced = outside;
  // Python speaks of the comprehension then, not of what awaits in it.
  if (failures_.misplaced.place != before.failures_.misplaced.place) failures_.misplaced.text = {};
  constexpr std::size_t kMostHeads = 20;
  if (heads.size() > kMostHeads) whole.kind = ExpressionKind::Opaque;
  if (failed_ || whole.kind == ExpressionKind::Opaque) return whole;
  for (; !heads.empty(); heads.pop_back()) {
    Statement& head = heads.back();
    (head.kind == StatementKind::For ? head.body : head.clauses[0].body).push_back(std::move(yielded));
    yielded = std::move(head);
  }
  auto made = std::make_shared<Function>();
  made->name = "<genexpr>";
  made->parameters.push_back({.name = ".0", .otherwise = {}});
  made->made = std::make_shared<const Block>(Block{std::move(yielded)});
  whole.function = std::move(made);
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
