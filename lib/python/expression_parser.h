// Expressions, from the tokens of one logical line. parser.h is for others.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "python/parse_failures.h"
#include "python/syntax.h"
#include "python/tokens.h"

namespace soresolve::python {

/// Reads ahead by one token. What is no expression sets failed(), and what is read then is of no use.
class ExpressionParser {
 public:
  /// What the code belongs to. A coroutine is a function that is `async`.
  enum class Scope : std::uint8_t { Module, Class, Function, Coroutine };

  ExpressionParser(std::string_view source, std::uint32_t first_line, Scope scope = Scope::Module)
      : lexer_(source, first_line), scope_(scope) {}

  [[nodiscard]] Lexer& lexer() { return lexer_; }
  [[nodiscard]] const Lexer& lexer() const { return lexer_; }
  [[nodiscard]] const Token& token() const { return token_; }
  void advance() { token_ = lexer_.next(); }
  /// Goes on if the next token is this one.
  bool take(std::string_view word);
  [[nodiscard]] bool is_at_end() const { return token_.kind == Token::Kind::LineEnd; }

  [[nodiscard]] bool failed() const { return failed_; }
  void fail() { fail_at(place()); }
  void recover() { failed_ = false; }
  /// All there were, also those that were recovered from.
  [[nodiscard]] const ParseFailures& failures() const { return failures_; }
  /// What is next is understood since 3.`minor_number`.
  void needs(int minor_number) { needs_at(minor_number, place()); }
  void needs_at(int minor_number, const char* place) { failures_.add_newer(minor_number, place); }
  /// What stands at the place must not be in this scope; `text`: what Python says.
  void misplace(const char* place, std::string_view text) { failures_.add_misplaced({place, text}); }
  [[nodiscard]] const char* place() const {
    return token_.text.data() != nullptr ? token_.text.data() : lexer_.place();
  }
  /// Blocks, brackets, operators: whatever is parsed inside of something. False: too deep, which is a failure.
  bool enter();
  void leave() { --depth_; }
  [[nodiscard]] bool yields() const { return yields_ != 0; }  ///< has one of them been yield?
  [[nodiscard]] Scope scope() const { return scope_; }
  void set_scope(Scope scope) { scope_ = scope; }
  [[nodiscard]] bool is_in_function() const { return scope_ == Scope::Function || scope_ == Scope::Coroutine; }

  Expression expression();
  /// Or one with a name: "a := b".
  Expression named();
  /// One or several with commas between them: a Tuple. `is_named`: each may have a name.
  Expression list(bool is_named = false);
  /// What stands behind `=`.
  Expression yield_or_list();
  /// What can be assigned to, as behind `for`.
  Expression targets();
  Expression target();
  /// One, perhaps with a star before it.
  Expression starred(bool is_named = false);
  /// A word that is no keyword; it fails, and is empty, where none is next.
  std::string_view name();
  /// From the bracket on that is open, with the one that closes.
  void arguments(Expression& call);
  /// Up to a token that closes them, which is not taken. Those of a lambda have no annotations.
  std::vector<Parameter> parameters(std::string_view close);
  /// In brackets of their own, if they are next.
  void type_parameters();
  /// What stands behind `case`, up to `if` or a colon.
  Expression patterns();

  /// Can it stand before `=`? `is_one`: in no Tuple, as an augmented or annotated one.
  static bool is_target(const Expression& expression, bool is_one = false);

 private:
  [[nodiscard]] Expression make(ExpressionKind kind, std::string_view text = {}) const {
    return {kind, token_.line, text, {}};
  }
  void fail_at(const char* place);
  /// One step down.
  template <class Parse>
  Expression deeper(const Parse& parse);
  [[nodiscard]] bool is_chain_over();
  [[nodiscard]] bool is_over() const;
  Expression choice();
  Expression disjunction(std::string_view word, ExpressionKind kind);
  Expression negation();
  Expression comparison();
  Expression operation(int least);
  Expression power();
  Expression unary();
  Expression primary();
  Expression atom();
  Expression plain_atom();
  Expression yield();
  Expression literals();
  Expression in_brackets();
  Expression mapping_or_set();
  Expression comprehension(Expression element, std::string_view bracket, const ExpressionParser& before);
  Expression subscript();
  Expression slice();
  Expression lambda();
  // literals.cc
  void check_literal();
  void check_format(std::string_view text, bool is_raw, std::string_view quotes);
  std::size_t check_field(std::string_view text, bool is_raw, std::string_view quotes);
  // patterns.cc
  [[nodiscard]] bool is_constant() const { return token_.is("None") || token_.is("True") || token_.is("False"); }
  Expression pattern();
  Expression star_pattern();
  Expression bracket_pattern();
  Expression number_pattern();
  Expression closed_pattern();
  void patterns_until(std::string_view close, Expression& whole);
  [[nodiscard]] bool has_comma_at_end(const char* begin) const;

  Lexer lexer_;
  Token token_;
  Scope scope_ = Scope::Module;
  int depth_ = 0;
  int links_ = 0;  ///< of the chains of operators and trailers at this depth
  int yields_ = 0;
  bool failed_ = false;
  ParseFailures failures_;
};

/// Digits as Python 3 writes them.
bool is_number(std::string_view digits);

}  // namespace soresolve::python
