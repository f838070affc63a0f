// The tokens of a Python source, a logical line at a time.
//
// Source: the Python Language Reference, "Lexical analysis". Brackets, strings and backslashes join lines. Blocks are
// known by the column at which a logical line begins, as the reference's INDENT and DEDENT are made of it. Nothing is
// refused: what a string or a bracket leaves open ends with the source. In the braces of an f-string its own quotes may
// stand (since Python 3.12).
//
// Most of a source are bodies of functions that nobody calls. They are passed over by skip_deeper(), which looks for
// strings and brackets only.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace soresolve::python {

struct Token {
  enum class Kind : std::uint8_t {
    Name,  ///< keywords, too; letters beyond ASCII count by their bytes
    Number,
    String,    ///< with its prefix and quotes
    Operator,  ///< the longest that is one: "**=", ":=", "->"
    LineEnd,   ///< of the logical line; its text is empty
  };
  Kind kind = Kind::LineEnd;
  std::string_view text;  ///< borrows from the source
  std::uint32_t line = 0;
  bool is_open = false;  ///< a String without its end

  [[nodiscard]] bool is(std::string_view word) const { return kind != Kind::String && text == word; }
};

class Lexer {
 public:
  /// `first_line`: the number of the source's first line.
  explicit Lexer(std::string_view source, std::uint32_t first_line = 1);

  /// Goes to the next logical line that has tokens, from the end of one. False at the end of the source.
  bool begin_line();
  /// Of the line that begin_line() found: columns of the blanks before it; a tab goes to the next eighth.
  [[nodiscard]] std::size_t indent() const { return indent_; }
  /// Likewise: how many blanks these are. Where this and the columns say different things, tabs are used
  /// inconsistently.
  [[nodiscard]] std::size_t blanks() const { return blanks_; }
  /// The next token of the line; LineEnd at its end, as often as it is asked for.
  Token next();
  /// Passes the rest of the line.
  void skip_line();
  /// Passes lines that begin deeper than `indent`, from the end of a line on.
  void skip_deeper(std::size_t indent);

  [[nodiscard]] int depth() const { return depth_; }  ///< brackets that are open

  /// Bytes before what is read next, and the number of its line.
  [[nodiscard]] std::size_t position() const { return at_; }
  [[nodiscard]] std::uint32_t line() const { return line_; }
  [[nodiscard]] const char* place() const { return source_.data() + at_; }  ///< of what is read next

 private:
  void skip_blanks();
  void skip_comment();
  /// From its quotes on; false: it does not end.
  bool skip_string();
  bool skip_plain_string();
  [[nodiscard]] bool has_format_prefix() const;
  [[nodiscard]] std::size_t end_of_format() const;
  bool skip_joint();
  Token take(Token::Kind kind, std::size_t end);
  Token take_operator();

  std::string_view source_;
  std::size_t at_ = 0;
  std::uint32_t line_;
  std::size_t indent_ = 0;
  std::size_t blanks_ = 0;
  std::size_t plain_until_ = 0;  ///< before it, f-strings have no expressions that end
  int depth_ = 0;                ///< of brackets
  bool is_begun_ = false;
};

/// May it stand in a name?
bool is_of_name(char c);
/// Does the word stand in the text, with no letter, digit or underscore beside it?
bool has_word(std::string_view text, std::string_view word);
/// What can stand after `import`, in ASCII or beyond.
bool is_identifier(std::string_view name);

}  // namespace soresolve::python
