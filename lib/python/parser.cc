// Statements by their first word, blocks by their columns. The body of a function is kept as text: most are never
// called. Source: the Python Language Reference, "Full Grammar specification".
#include "python/parser.h"

#include <algorithm>
#include <utility>

#include "python/expression_parser.h"

namespace soresolve::python {
namespace {

class StatementParser {
 public:
  enum class Within : std::uint8_t { Module, Function };
  StatementParser(std::string_view source, std::uint32_t first_line, Within within)
      : source_(source), in_(source, first_line), is_in_function_(within == Within::Function) {}

  Block run() {
    Block body;
    next_line();
    // Behind the colon of a function, no further block begins.
    if (is_in_function_ && has_line_ && is_behind_colon()) simple_line(body);
    while (has_line_) {
      block(in_.lexer().indent(), body);
    }
    return body;
  }
  [[nodiscard]] bool yields() const { return in_.yields(); }
  [[nodiscard]] ParseFailures failures() const { return {in_.first_failure(), misplaced_}; }

 private:
  void next_line() {
    has_line_ = in_.lexer().begin_line();
    in_.recover();
    if (has_line_) in_.advance();
  }
  [[nodiscard]] const Token& token() const { return in_.token(); }
  [[nodiscard]] bool is_at(std::size_t indent, std::string_view word) const {
    return has_line_ && indent_of_line() == indent && token().kind == Token::Kind::Name && token().text == word;
  }
  [[nodiscard]] std::size_t indent_of_line() const { return in_.lexer().indent(); }

  [[nodiscard]] bool is_behind_colon() const {
    const std::size_t first = source_.find_first_not_of(" \t\f\r");
    return first != std::string_view::npos && source_[first] != '\n' && source_[first] != '#';
  }

  /// All lines of `indent` in a row, with what belongs to them.
  void block(std::size_t indent, Block& body) {
    while (has_line_ && indent_of_line() == indent) {
      statement(indent, body);
      // What is indented deeper without a head is of a statement that was not understood, or no Python.
      if (has_line_ && indent_of_line() > indent) {
        pass();
        if (!body.empty() && body.back().kind == StatementKind::Opaque)
          block(indent_of_line(), body.back().body);
        else
          skip_deeper(indent);
      }
    }
  }

  /// Notes that what is next is not understood, and goes on as if it were not there.
  void pass() {
    in_.fail();
    in_.recover();
  }

  void skip_deeper(std::size_t indent) {
    in_.lexer().skip_deeper(indent);
    next_line();
  }

  /// What stands behind the colon that is next: on its line, or below.
  Block suite(std::size_t indent) {
    Block body;
    if (in_.failed()) recover_at_colon();
    if (!in_.take(":")) {
      pass();
      next_line();
    } else if (!in_.is_at_end()) {
      simple_line(body);
      return body;
    } else {
      next_line();
    }
    if (!has_line_ || indent_of_line() <= indent) return body;
    if (in_.enter()) {
      block(indent_of_line(), body);
      in_.leave();
    } else {
      skip_deeper(indent);
    }
    return body;
  }

  void recover_at_colon() {
    while (!in_.is_at_end() && !(token().is(":") && in_.lexer().depth() == 0)) in_.advance();
  }

  Expression value() {
    Expression result = in_.expression();
    if (!in_.failed()) return result;
    recover_at_colon();
    in_.recover();
    return {};
  }

  void statement(std::size_t indent, Block& body) {
    const Token first = token();
    if (first.is("@")) return decorated(indent, body);
    if (first.kind != Token::Kind::Name) return simple_line(body);
    Statement made{.line = first.line};
    const std::string_view word = first.text;
    if (word == "def") return function(indent, {}, body);
    if (word == "class") return class_body(indent, body);
    if (word == "async") return asynchronous(indent, body);
    if (word == "if")
      condition(indent, made);
    else if (word == "while")
      loop(StatementKind::While, indent, made);
    else if (word == "for")
      loop(StatementKind::For, indent, made);
    else if (word == "try")
      attempt(indent, made);
    else if (word == "with")
      manager(indent, made);
    else if ((word == "match" || word == "case") && is_head())
      made.body = cases(indent);
    else
      return simple_line(body);
    body.push_back(std::move(made));
  }

  /// Is the line of a soft keyword one with a block? Its last token is a colon; of a `case`, the block may follow.
  [[nodiscard]] bool is_head() const {
    Lexer ahead = in_.lexer();
    const Token second = ahead.next();
    const bool is_plain = second.is("=") || second.is(".") || second.is(":") || second.is(",") || second.is(")");
    bool has_colon = false;
    Token last = second;
    for (Token each = second; each.kind != Token::Kind::LineEnd; each = ahead.next()) {
      last = each;
      has_colon = has_colon || (each.is(":") && ahead.depth() == 0);
    }
    return !is_plain && (last.is(":") || (has_colon && token().is("case")));
  }

  Block cases(std::size_t indent) {
    recover_at_colon();
    return suite(indent);
  }

  void condition(std::size_t indent, Statement& made) {
    made.kind = StatementKind::If;
    do {
      in_.advance();
      Clause clause;
      clause.value = value();
      clause.body = suite(indent);
      made.clauses.push_back(std::move(clause));
    } while (is_at(indent, "elif"));
    if (is_at(indent, "else")) made.otherwise = clause_body(indent);
  }

  Block loop_body(std::size_t indent) {
    ++loops_;
    Block body = suite(indent);
    --loops_;
    return body;
  }

  Block clause_body(std::size_t indent) {
    in_.advance();
    return suite(indent);
  }

  void loop(StatementKind kind, std::size_t indent, Statement& made) {
    made.kind = kind;
    in_.advance();
    if (kind == StatementKind::For) {
      made.values.push_back(in_.targets());
      if (!in_.take("in")) in_.fail();
      made.values.push_back(in_.list());
      if (in_.failed()) {
        recover_at_colon();
        in_.recover();
        made.values = {Expression{}, Expression{}};
      }
    } else {
      made.values.push_back(value());
    }
    made.body = loop_body(indent);
    if (is_at(indent, "else")) made.otherwise = clause_body(indent);
  }

  void attempt(std::size_t indent, Statement& made) {
    made.kind = StatementKind::Try;
    in_.advance();
    made.body = suite(indent);
    while (is_at(indent, "except")) {
      in_.advance();
      in_.take("*");
      Clause clause;
      clause.catches_all = token().is(":");
      if (!clause.catches_all) clause.value = in_.list();
      if (clause.value.kind == ExpressionKind::Tuple && clause.value.text.empty()) pass();  // of Python 2
      if (in_.take("as")) {
        clause.name = token().text;
        in_.advance();
      }
      if (in_.failed()) clause.value = {};
      if (in_.failed()) recover_at_colon(), in_.recover();
      clause.body = suite(indent);
      made.clauses.push_back(std::move(clause));
    }
    if (is_at(indent, "else")) made.otherwise = clause_body(indent);
    if (is_at(indent, "finally")) made.finally = clause_body(indent);
  }

  void manager(std::size_t indent, Statement& made) {
    made.kind = StatementKind::With;
    in_.advance();
    const ExpressionParser before = in_;
    const auto managers = [&] {
      do {
        made.values.push_back(in_.expression());
        made.values.push_back(in_.take("as") ? in_.expression() : Expression{});
      } while (!in_.failed() && in_.take(",") && !token().is(")"));
    };
    managers();
    if (in_.failed() && before.token().is("(")) {
      // Brackets around all of them, with names inside.
      in_ = before;
      made.values.clear();
      in_.take("(");
      managers();
      if (!in_.take(")")) in_.fail();
    }
    if (in_.failed() || !token().is(":")) {
      in_.fail();
      recover_at_colon();
      in_.recover();
      made.values.clear();
    }
    made.body = suite(indent);
  }

  void asynchronous(std::size_t indent, Block& body) {
    in_.advance();
    if (token().is("def")) {
      function(indent, {}, body);
      if (!body.empty() && body.back().function) {
        auto changed = std::make_shared<Function>(*body.back().function);
        changed->is_asynchronous = true;
        body.back().function = std::move(changed);
      }
      return;
    }
    // What its loops and managers do is not known.
    Statement made{.line = token().line};
    Statement inner;
    if (token().is("for"))
      loop(StatementKind::For, indent, inner);
    else if (token().is("with"))
      manager(indent, inner);
    else
      pass(), next_line();
    made.body = std::move(inner.body);
    body.push_back(std::move(made));
  }

  void decorated(std::size_t indent, Block& body) {
    std::vector<Expression> decorators;
    while (has_line_ && indent_of_line() == indent && token().is("@")) {
      in_.advance();
      decorators.push_back(in_.expression());
      if (!in_.is_at_end()) in_.fail();
      if (in_.failed()) decorators.back() = {};
      next_line();
    }
    if (is_at(indent, "async")) in_.advance();
    if (has_line_ && token().is("def"))
      function(indent, std::move(decorators), body);
    else if (is_at(indent, "class"))
      class_body(indent, body);
    else
      pass();
  }

  void function(std::size_t indent, std::vector<Expression> decorators, Block& body) {
    auto made = std::make_shared<Function>();
    Statement statement{.kind = StatementKind::Function, .line = token().line};
    in_.advance();
    made->name = token().text;
    made->decorators = std::move(decorators);
    statement.text = made->name;
    in_.advance();
    type_parameters();
    if (in_.take("("))
      parameters(*made);
    else
      in_.fail();
    if (in_.take("->")) in_.list();
    if (!token().is(":")) in_.fail();
    if (in_.failed()) recover_at_colon(), made->decorators.emplace_back();
    made->suite = source_.substr(in_.lexer().position());
    made->first_line = in_.lexer().line();
    in_.lexer().skip_line();
    skip_deeper_keeping(indent, *made);
    statement.function = std::move(made);
    body.push_back(std::move(statement));
  }

  void skip_deeper_keeping(std::size_t indent, Function& made) {
    in_.lexer().skip_deeper(indent);
    const std::size_t begin = source_.size() - made.suite.size();
    made.suite = source_.substr(begin, in_.lexer().position() - begin);
    next_line();
  }

  /// In brackets of their own, behind the name.
  void type_parameters() {
    if (!token().is("[")) return;
    while (!in_.is_at_end() && !(token().is("]") && in_.lexer().depth() == 0)) in_.advance();
    in_.take("]");
  }

  void parameters(Function& made) {
    bool is_by_name = false;
    while (!in_.failed() && !in_.take(")")) {
      Parameter one{.name = {}, .otherwise = {}};
      one.is_collecting = token().is("*") || token().is("**");
      if (one.is_collecting) in_.advance();
      if (!in_.take("/")) {
        if (token().kind == Token::Kind::Name) {
          one.name = token().text;
          in_.advance();
        } else if (!one.is_collecting) {
          in_.fail();
        }
        if (in_.take(":")) in_.starred();
        one.has_default = in_.take("=");
        if (one.has_default) one.otherwise = in_.expression();
        one.is_by_name = is_by_name;
        is_by_name = is_by_name || one.is_collecting;
        if (!one.name.empty()) made.parameters.push_back(std::move(one));
      }
      if (!in_.take(",") && !token().is(")")) in_.fail();
    }
  }

  void class_body(std::size_t indent, Block& body) {
    Statement made{.kind = StatementKind::Class, .line = token().line};
    in_.advance();
    made.text = token().text;
    in_.advance();
    type_parameters();
    if (in_.take("(")) {
      while (!in_.failed() && !in_.take(")")) {
        const bool is_unpacked = in_.take("**");
        Expression base = in_.starred();
        if (is_unpacked) base = {};
        if (in_.take("="))
          in_.expression();
        else
          made.values.push_back(std::move(base));
        if (!in_.take(",") && !token().is(")")) in_.fail();
      }
    }
    if (in_.failed()) recover_at_colon(), in_.recover();
    const bool was_in_function = std::exchange(is_in_function_, false);
    const int loops = std::exchange(loops_, 0);
    made.body = suite(indent);
    loops_ = loops;
    is_in_function_ = was_in_function;
    body.push_back(std::move(made));
  }

  /// Statements without blocks, up to the line's end.
  void simple_line(Block& body) {
    do {
      if (in_.is_at_end()) break;
      Statement made{.line = token().line};
      simple(made);
      if (in_.failed()) {
        // What was read of it is not what it says.
        body.push_back({.line = made.line});
        break;
      }
      body.push_back(std::move(made));
    } while (in_.take(";"));
    next_line();
  }

  void simple(Statement& made) {
    const bool is_word = token().kind == Token::Kind::Name;
    const std::string_view word = is_word ? token().text : std::string_view();
    const bool is_misplaced =
        (word == "return" && !is_in_function_) || ((word == "break" || word == "continue") && loops_ == 0);
    if (is_misplaced && misplaced_.empty()) misplaced_ = word;
    const auto begins = [&](std::string_view keyword, StatementKind kind) {
      if (word != keyword) return false;
      made.kind = kind;
      in_.advance();
      return true;
    };
    if (begins("import", StatementKind::Import)) {
      aliases(made);
    } else if (begins("from", StatementKind::From)) {
      from(made);
    } else if (begins("return", StatementKind::Return)) {
      if (!is_over()) made.values.push_back(in_.list());
    } else if (begins("raise", StatementKind::Raise)) {
      if (!is_over()) made.values.push_back(in_.expression());
      if (in_.take("from")) in_.expression();
      if (in_.take(",")) in_.fail();  // of Python 2
    } else if (begins("global", StatementKind::Global) || begins("nonlocal", StatementKind::Opaque)) {
      aliases(made);
    } else if (begins("del", StatementKind::Delete)) {
      made.values.push_back(in_.list());
    } else if (begins("break", StatementKind::Break) || begins("continue", StatementKind::Continue) ||
               begins("pass", StatementKind::Opaque)) {
      // Nothing belongs to it.
    } else if (word == "type" && is_alias()) {
      made.kind = StatementKind::Opaque;
      in_.advance();
      in_.advance();
      type_parameters();
      if (in_.take("=")) in_.expression();
    } else if (begins("assert", StatementKind::Opaque)) {
      in_.list();
    } else {
      assignment(made);
    }
    if (!is_over()) in_.fail();
    if (std::exchange(is_name_cut_, false)) made = {.line = made.line};
  }

  /// Is `type` the soft keyword, before a name?
  [[nodiscard]] bool is_alias() const {
    Lexer ahead = in_.lexer();
    const Token second = ahead.next();
    const bool is_operator = second.is("in") || second.is("is") || second.is("and") || second.is("or") ||
                             second.is("if") || second.is("not");
    if (second.kind != Token::Kind::Name || is_operator) return false;
    const Token third = ahead.next();
    return third.is("=") || third.is("[");
  }

  [[nodiscard]] bool is_over() const { return in_.is_at_end() || token().is(";"); }

  void assignment(Statement& made) {
    made.kind = StatementKind::Expression;
    made.values.push_back(in_.list());
    if (in_.take(":")) {
      in_.expression();  // the annotation
      if (is_over()) made = {.line = made.line};
    }
    const std::string_view sign = token().text;
    const bool is_change = token().kind == Token::Kind::Operator && sign.size() > 1 && sign.ends_with('=') &&
                           sign != "==" && sign != "!=" && sign != "<=" && sign != ">=";
    if (is_change && sign != ":=") {
      if (!is_target(made.values[0])) in_.fail();
      made.kind = StatementKind::Change;
      made.text = sign;
      in_.advance();
      made.values.push_back(in_.list());
    }
    while (!in_.failed() && token().is("=")) {
      if (!is_target(made.values.back())) in_.fail();
      in_.advance();
      made.kind = StatementKind::Assign;
      made.values.push_back(in_.list());
    }
  }

  /// What is Opaque may be one.
  static bool is_target(const Expression& expression) {
    using enum ExpressionKind;
    switch (expression.kind) {
      case Opaque:
      case Attribute:
      case Subscript: return true;
      case Name: return expression.text != "None" && expression.text != "True" && expression.text != "False";
      case Keyword:
      case Tuple:
        return expression.text != "{" && std::all_of(expression.parts.begin(), expression.parts.end(), is_target);
      default: return false;
    }
  }

  /// "a.b.c", which borrows from the source.
  std::string_view dotted_name() {
    const std::string_view first = token().text;
    if (token().kind != Token::Kind::Name) in_.fail();
    in_.advance();
    std::size_t size = first.size();
    while (in_.take(".")) {
      if (token().kind != Token::Kind::Name) in_.fail();
      // By blanks; hardly anybody writes that.
      if (token().text.data() != first.data() + size + 1) is_name_cut_ = true;
      size += 1 + token().text.size();
      in_.advance();
    }
    return {first.data(), size};
  }

  void aliases(Statement& made) {
    do {
      Alias one{in_.token().is("*") ? std::string_view("*") : std::string_view(), {}};
      if (one.name.empty())
        one.name = dotted_name();
      else
        in_.advance();
      if (in_.take("as")) {
        one.other = token().text;
        in_.advance();
      }
      made.aliases.push_back(one);
    } while (!in_.failed() && in_.take(",") && !token().is(")") && !in_.is_at_end());
  }

  void from(Statement& made) {
    while (token().is(".") || token().is("...")) {
      made.level += static_cast<std::uint32_t>(token().text.size());
      in_.advance();
    }
    if (!token().is("import")) made.text = dotted_name();
    if (!in_.take("import")) in_.fail();
    const bool is_in_brackets = in_.take("(");
    aliases(made);
    if (is_in_brackets && !in_.take(")")) in_.fail();
  }

  std::string_view source_;
  ExpressionParser in_;
  bool has_line_ = false;
  bool is_in_function_ = false;
  bool is_name_cut_ = false;
  int loops_ = 0;
  std::string_view misplaced_;
};

}  // namespace

Block parse_source(std::string_view source, ParseFailures* failures) {
  StatementParser parser(source, 1, StatementParser::Within::Module);
  Block body = parser.run();
  if (failures != nullptr) *failures = parser.failures();
  return body;
}

FunctionBody parse_suite(std::string_view suite, std::uint32_t first_line) {
  StatementParser parser(suite, first_line, StatementParser::Within::Function);
  FunctionBody body{parser.run()};
  body.yields = parser.yields();
  body.failures = parser.failures();
  return body;
}

}  // namespace soresolve::python
