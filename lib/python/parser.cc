// Statements by their first word, blocks by their columns. The body of a function is kept as text: most are never
// called. Source: the Python Language Reference, "Full Grammar specification".
#include "python/parser.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "python/expression_parser.h"

namespace soresolve::python {
namespace {

class StatementParser {
 public:
  using Scope = ExpressionParser::Scope;
  StatementParser(std::string_view source, std::uint32_t first_line, Scope scope)
      : source_(source), in_(source, first_line, scope), is_at_start_(scope == Scope::Module) {}

  Block run() {
    Block body;
    next_line();
    // Behind the colon of a function, no further block begins.
    if (in_.is_in_function() && has_line_ && is_behind_colon()) simple_line(body);
    while (has_line_) {
      block(in_.lexer().indent(), body);
    }
    return body;
  }
  [[nodiscard]] bool yields() const { return in_.yields(); }
  [[nodiscard]] const ParseFailures& failures() const { return in_.failures(); }

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
    Expression result = in_.named();
    if (!in_.failed()) return result;
    recover_at_colon();
    in_.recover();
    return {};
  }

  void statement(std::size_t indent, Block& body) {
    const Token first = token();
    is_at_start_ =
        is_at_start_ && (first.kind == Token::Kind::Name || (first.kind == Token::Kind::String && body.empty()));
    if (first.is("@")) return decorated(indent, body);
    if (first.kind != Token::Kind::Name) return simple_line(body);
    Statement made{.line = first.line};
    const std::string_view word = first.text;
    is_at_start_ = is_at_start_ && word == "from";
    if (word == "def") return function(indent, {}, false, body);
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
    else if (word == "match" && is_head())
      choice(indent, made);
    else
      return simple_line(body);
    body.push_back(std::move(made));
  }

  /// Is the line of a soft keyword one with a block? Its last token is a colon.
  [[nodiscard]] bool is_head() const {
    Lexer ahead = in_.lexer();
    const Token second = ahead.next();
    const bool is_plain = second.is("=") || second.is(".") || second.is(":") || second.is(",") || second.is(")");
    Token last = second;
    for (Token each = second; each.kind != Token::Kind::LineEnd; each = ahead.next()) last = each;
    return !is_plain && last.is(":");
  }

  void choice(std::size_t indent, Statement& made) {
    made.kind = StatementKind::Match;
    in_.needs(10);
    in_.advance();
    made.values.push_back(in_.list(true));
    if (!in_.take(":") || !in_.is_at_end()) in_.fail();
    next_line();
    if (!has_line_ || indent_of_line() <= indent || !token().is("case")) return pass();
    const std::size_t inner = indent_of_line();
    while (is_at(inner, "case")) {
      Clause one;
      in_.advance();
      one.value = in_.patterns();
      if (in_.take("if")) one.guard = in_.named();
      one.body = suite(inner);
      made.clauses.push_back(std::move(one));
    }
    if (has_line_ && indent_of_line() == inner) pass();
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
      if (token().is("*")) in_.needs(9);
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
    std::optional<bool> is_of_group;
    while (is_at(indent, "except")) {
      const char* const begin = in_.place();
      in_.advance();
      const bool has_star = token().is("*");
      if (has_star) in_.needs(11);
      in_.take("*");
      Clause clause;
      clause.catches_all = token().is(":");
      clause.is_of_group = has_star;
      const bool is_behind_all = !made.clauses.empty() && made.clauses.back().catches_all;
      // All of one kind, and what catches all comes last.
      if ((clause.catches_all && has_star) || is_of_group.value_or(has_star) != has_star) in_.fail();
      is_of_group = has_star;
      if (is_behind_all) in_.misplace(begin, "default 'except:' must be last");
      if (!clause.catches_all) clause.value = in_.list();
      const bool is_several = clause.value.kind == ExpressionKind::Tuple && clause.value.text.empty();
      if (is_several) in_.needs(14);
      if (in_.take("as")) {
        clause.name = in_.name();
        if (is_several) in_.fail();
      }
      if (in_.failed()) clause.value = {};
      if (in_.failed()) recover_at_colon(), in_.recover();
      clause.body = suite(indent);
      made.clauses.push_back(std::move(clause));
    }
    const bool is_bare = made.clauses.empty();
    if (is_at(indent, "else") && !is_bare) made.otherwise = clause_body(indent);
    if (is_bare && !is_at(indent, "finally")) pass();
    if (is_at(indent, "finally")) made.finally = clause_body(indent);
  }

  void manager(std::size_t indent, Statement& made) {
    made.kind = StatementKind::With;
    in_.advance();
    const ExpressionParser before = in_;
    const auto managers = [&] {
      do {
        made.values.push_back(in_.expression());
        const bool has_target = in_.take("as");
        if (has_target && token().is("*")) in_.fail();
        made.values.push_back(has_target ? in_.target() : Expression{});
      } while (!in_.failed() && in_.take(",") && !token().is(")"));
    };
    managers();
    if (in_.failed() && before.token().is("(")) {
      // Brackets around all of them, with names inside.
      in_ = before;
      in_.needs(9);
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
    const char* const begin = in_.place();
    in_.advance();
    if (token().is("def")) return function(indent, {}, true, body);
    // What its loops and managers do is not known.
    Statement made{.line = token().line};
    Statement inner;
    if (in_.scope() != Scope::Coroutine && (token().is("for") || token().is("with")))
      in_.misplace(begin,
                   token().is("for") ? "'async for' outside async function" : "'async with' outside async function");
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
      const char* const begin = in_.place();
      decorators.push_back(in_.named());
      if (!is_plain_decorator(decorators.back())) in_.needs_at(9, begin);
      if (!in_.is_at_end()) in_.fail();
      if (in_.failed()) decorators.back() = {};
      next_line();
    }
    const bool is_asynchronous = is_at(indent, "async");
    if (is_asynchronous) in_.advance();
    if (has_line_ && token().is("def"))
      function(indent, std::move(decorators), is_asynchronous, body);
    else if (is_at(indent, "class") && !is_asynchronous)
      class_body(indent, body, std::move(decorators));
    else
      pass();
  }

  /// Names with dots, perhaps called: all there was before 3.9.
  static bool is_plain_decorator(const Expression& decorator) {
    const Expression* name = decorator.kind == ExpressionKind::Call ? &decorator.parts[0] : &decorator;
    while (name->kind == ExpressionKind::Attribute) name = &name->parts[0];
    return name->kind == ExpressionKind::Name;
  }

  void function(std::size_t indent, std::vector<Expression> decorators, bool is_asynchronous, Block& body) {
    auto made = std::make_shared<Function>();
    Statement statement{.kind = StatementKind::Function, .line = token().line};
    in_.advance();
    made->name = in_.name();
    made->decorators = std::move(decorators);
    made->is_asynchronous = is_asynchronous;
    statement.text = made->name;
    in_.type_parameters();
    if (!in_.take("(")) in_.fail();
    made->parameters = in_.parameters(")");
    if (!in_.take(")")) in_.fail();
    if (in_.take("->")) in_.expression();
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

  void class_body(std::size_t indent, Block& body, std::vector<Expression> decorators = {}) {
    Statement made{.kind = StatementKind::Class, .line = token().line};
    auto head = std::make_shared<Function>();
    in_.advance();
    made.text = in_.name();
    head->name = made.text;
    head->decorators = std::move(decorators);
    made.function = std::move(head);
    in_.type_parameters();
    if (in_.take("(")) {
      Expression bases;
      in_.arguments(bases);
      made.values = std::move(bases.parts);
    }
    if (in_.failed()) recover_at_colon(), in_.recover();
    const Scope scope = in_.scope();
    in_.set_scope(Scope::Class);
    const int loops = std::exchange(loops_, 0);
    made.body = suite(indent);
    loops_ = loops;
    in_.set_scope(scope);
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
        body.push_back({.line = made.line, .text = "?"});
        break;
      }
      body.push_back(std::move(made));
    } while (in_.take(";"));
    next_line();
  }

  void simple(Statement& made) {
    const bool is_word = token().kind == Token::Kind::Name;
    const std::string_view word = is_word ? token().text : std::string_view();
    const auto misplace = [&](std::string_view text) { in_.misplace(word.data(), text); };
    if (word == "return" && !in_.is_in_function()) misplace("'return' outside function");
    if (word == "break" && loops_ == 0) misplace("'break' outside loop");
    if (word == "continue" && loops_ == 0) misplace("'continue' not properly in loop");
    if (word == "nonlocal" && in_.scope() == Scope::Module)
      misplace("nonlocal declaration not allowed at module level");
    const auto begins = [&](std::string_view keyword, StatementKind kind) {
      if (word != keyword) return false;
      made.kind = kind;
      in_.advance();
      return true;
    };
    if (begins("import", StatementKind::Import)) {
      aliases(made, false);
    } else if (begins("from", StatementKind::From)) {
      from(made);
    } else if (begins("return", StatementKind::Return)) {
      if (!is_over()) made.values.push_back(returned());
    } else if (begins("raise", StatementKind::Raise)) {
      if (!is_over()) made.values.push_back(in_.expression());
      if (in_.take("from")) made.values.push_back(in_.expression());
      if (in_.take(",")) in_.fail();  // of Python 2
    } else if (begins("global", StatementKind::Global) || begins("nonlocal", StatementKind::Nonlocal)) {
      do {
        made.aliases.push_back({in_.name(), {}});
      } while (in_.take(","));
    } else if (begins("del", StatementKind::Delete)) {
      made.values.push_back(in_.list());
      if (!can_be_deleted(made.values[0])) in_.fail();
    } else if (begins("break", StatementKind::Break) || begins("continue", StatementKind::Continue) ||
               begins("pass", StatementKind::Opaque)) {
      // Nothing belongs to it.
    } else if (word == "type" && is_alias()) {
      made.kind = StatementKind::Opaque;
      in_.needs(12);
      in_.advance();
      in_.name();
      in_.type_parameters();
      if (!in_.take("=")) in_.fail();
      in_.expression();
    } else if (begins("assert", StatementKind::Assert)) {
      do {
        made.values.push_back(in_.expression());
      } while (made.values.size() == 1 && in_.take(","));
    } else {
      assignment(made);
    }
    if (!is_over()) in_.fail();
    if (std::exchange(is_name_cut_, false)) made = {.line = made.line, .text = word};
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

  /// Without brackets, a star may stand in it since 3.8.
  Expression returned() {
    const char* const begin = in_.place();
    Expression value = in_.list();
    const auto is_star = [](const Expression& part) { return part.kind == ExpressionKind::Keyword; };
    if (value.kind == ExpressionKind::Tuple && value.text.empty() &&
        std::any_of(value.parts.begin(), value.parts.end(), is_star))
      in_.needs_at(8, begin);
    return value;
  }

  void assignment(Statement& made) {
    made.kind = StatementKind::Expression;
    made.values.push_back(in_.yield_or_list());
    const std::string_view sign = token().text;
    const bool is_change = token().kind == Token::Kind::Operator && sign.size() > 1 && sign.ends_with('=') &&
                           sign != "==" && sign != "!=" && sign != "<=" && sign != ">=" && sign != ":=";
    if (token().is(":")) {
      // The annotation. Of a name in brackets as well.
      if (!ExpressionParser::is_target(made.values[0], true)) in_.fail();
      in_.advance();
      made.kind = StatementKind::Annotation;
      const char* const begin = in_.place();
      in_.expression();
      made.text = {begin, static_cast<std::size_t>(std::max(in_.place(), begin) - begin)};
      if (!in_.take("=")) return;
      if (token().is("*")) in_.needs(8);
      made.values.push_back(in_.yield_or_list());
      return;
    }
    if (is_change) {
      if (!ExpressionParser::is_target(made.values[0], true)) in_.fail();
      made.kind = StatementKind::Change;
      made.text = sign;
      in_.advance();
      made.values.push_back(in_.yield_or_list());
      return;
    }
    while (!in_.failed() && token().is("=")) {
      if (!ExpressionParser::is_target(made.values.back())) in_.fail();
      in_.advance();
      made.kind = StatementKind::Assign;
      made.values.push_back(in_.yield_or_list());
    }
  }

  static bool can_be_deleted(const Expression& expression) {
    if (expression.kind != ExpressionKind::Tuple) return ExpressionParser::is_target(expression);
    return expression.text != "{" && std::all_of(expression.parts.begin(), expression.parts.end(), can_be_deleted);
  }

  /// "a.b.c", which borrows from the source.
  std::string_view dotted_name() {
    const std::string_view first = in_.name();
    std::size_t size = first.size();
    while (!in_.failed() && in_.take(".")) {
      const std::string_view next = in_.name();
      // By blanks; hardly anybody writes that.
      if (next.data() != first.data() + size + 1) is_name_cut_ = true;
      size += 1 + next.size();
    }
    return {first.data(), size};
  }

  /// `is_plain`: of `from`, without dots.
  void aliases(Statement& made, bool is_plain) {
    do {
      Alias one{is_plain ? in_.name() : dotted_name(), {}};
      if (in_.take("as")) one.other = in_.name();
      made.aliases.push_back(one);
    } while (!in_.failed() && in_.take(",") && !token().is(")"));
  }

  void from(Statement& made) {
    while (token().is(".") || token().is("...")) {
      made.level += static_cast<std::uint32_t>(token().text.size());
      in_.advance();
    }
    if (!token().is("import") || made.level == 0) made.text = dotted_name();
    if (!in_.take("import")) in_.fail();
    if (made.text == "__future__" && !is_at_start_)
      in_.misplace(made.text.data(), "from __future__ imports must occur at the beginning of the file");
    is_at_start_ = is_at_start_ && made.text == "__future__";
    const char* const begin = in_.place();
    if (in_.take("*")) {
      made.aliases.push_back({"*", {}});
      if (in_.scope() != Scope::Module) in_.misplace(begin, "import * only allowed at module level");
      return;
    }
    const bool is_in_brackets = in_.take("(");
    aliases(made, true);
    if (is_in_brackets && !in_.take(")")) in_.fail();
  }

  std::string_view source_;
  ExpressionParser in_;
  bool has_line_ = false;
  bool is_at_start_;  ///< of a module, where `from __future__` may stand
  bool is_name_cut_ = false;
  int loops_ = 0;
};

}  // namespace

Block parse_source(std::string_view source, ParseFailures* failures) {
  StatementParser parser(source, 1, StatementParser::Scope::Module);
  Block body = parser.run();
  if (failures != nullptr) *failures = parser.failures();
  return body;
}

FunctionBody parse_suite(const Function& function) {
  using Scope = StatementParser::Scope;
  StatementParser parser(function.suite, function.first_line,
                         function.is_asynchronous ? Scope::Coroutine : Scope::Function);
  FunctionBody body{parser.run()};
  body.yields = parser.yields();
  body.failures = parser.failures();
  return body;
}

}  // namespace soresolve::python
