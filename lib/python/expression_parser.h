// Expressions, from the tokens of one logical line. parser.h is for others.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "python/syntax.h"
#include "python/tokens.h"

namespace soresolve::python {

/// Reads ahead by one token. What is no expression sets failed(), and what is read then is of no use.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view source, std::uint32_t first_line) : lexer_(source, first_line) {}

  [[nodiscard]] Lexer& lexer() { return lexer_; }
  [[nodiscard]] const Lexer& lexer() const { return lexer_; }
  [[nodiscard]] const Token& token() const { return token_; }
  void advance() { token_ = lexer_.next(); }
  /// Goes on if the next token is this one.
  bool take(std::string_view word);
  [[nodiscard]] bool is_at_end() const { return token_.kind == Token::Kind::LineEnd; }

  [[nodiscard]] bool failed() const { return failed_; }
  void fail();
  void recover() { failed_ = false; }
  /// Where the first failure was, also of one that is recovered from; nullptr: none was.
  [[nodiscard]] const char* first_failure() const { return first_failure_; }
  /// Blocks, brackets, operators: whatever is parsed inside of something. False: too deep, which is a failure.
  bool enter();
  void leave() { --depth_; }
  [[nodiscard]] bool yields() const { return yields_; }  ///< has one of them been yield?

  Expression expression();
  /// One or several with commas between them: a Tuple.
  Expression list();
  /// What can be assigned to, as behind `for`.
  Expression targets();
  /// One, perhaps with a star before it.
  Expression starred();

 private:
  [[nodiscard]] Expression make(ExpressionKind kind, std::string_view text = {}) const {
    return {kind, token_.line, text, {}};
  }
  /// One step down.
  template <class Parse>
  Expression deeper(const Parse& parse);
  [[nodiscard]] bool is_chain_over();
  Expression choice();
  Expression disjunction(std::string_view word, ExpressionKind kind);
  Expression negation();
  Expression comparison();
  Expression operation(int least);
  Expression unary();
  Expression primary();
  Expression atom();
  Expression plain_atom();
  Expression literals();
  Expression in_brackets();
  Expression mapping_or_set();
  Expression comprehension(Expression element, std::string_view bracket);
  Expression subscript();
  Expression slice();
  Expression lambda();
  void arguments(Expression& call);

  Lexer lexer_;
  Token token_;
  int depth_ = 0;
  int links_ = 0;  ///< of the chains of operators and trailers at this depth
  const char* first_failure_ = nullptr;
  bool failed_ = false;
  bool yields_ = false;
};

}  // namespace soresolve::python
