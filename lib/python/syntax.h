// A Python source as a tree: expressions and statements, as far as an import depends on them.
//
// Source: the Python Language Reference, "Expressions", "Simple statements", "Compound statements". What no import
// depends on (lambda, await, yield, slices, nested comprehensions) is Opaque: it is there, and its value is not known.
// All texts borrow from the source, which lives as long as the tree (sources.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace soresolve::python {

enum class ExpressionKind : std::uint8_t {
  Opaque,
  Name,           ///< `text`; None, True and False as well
  Number,         ///< `text`
  String,         ///< `text`: one literal with its prefix and quotes
  Strings,        ///< `parts`: literals side by side
  Attribute,      ///< `parts[0]`.`text`
  Call,           ///< `parts[0]`, then its arguments
  Keyword,        ///< an argument `text`=`parts[0]`; `text` "*" and "**": unpacked
  Subscript,      ///< `parts[0]`[`parts[1]`]
  Slice,          ///< `parts[0]`:`parts[1]`, Opaque where there is none
  Tuple,          ///< also a list or a set: `text` is its opening bracket; empty: written without
  Mapping,        ///< `parts`: a key and its value by turns
  Operation,      ///< `text` between `parts[0]` and `parts[1]`
  Negation,       ///< `text` ("-", "+", "~") before `parts[0]`
  Not,            ///< `parts[0]`
  And,            ///< `parts`
  Or,             ///< `parts`
  Comparison,     ///< `text` ("==", "in", "not in", "is not", …) between `parts[0]` and `parts[1]`; a chain is And
  Choice,         ///< `parts[0]` if `parts[1]` else `parts[2]`
  Walrus,         ///< `text` := `parts[0]`
  Comprehension,  ///< `parts[0]` for `parts[1]` in `parts[2]`, then conditions; `text` is its bracket, or "{:"
};

struct Expression {
  ExpressionKind kind = ExpressionKind::Opaque;
  std::uint32_t line = 0;
  std::string_view text = {};
  std::vector<Expression> parts;
};

struct Statement;
using Block = std::vector<Statement>;

struct Parameter {
  std::string_view name;
  Expression otherwise;  ///< the default, where `has_default`
  bool has_default = false;
  bool is_by_name = false;     ///< behind a star
  bool is_collecting = false;  ///< *args, **options
};

/// A function; its body is parsed when it is first called (body_of()).
struct Function {
  std::string_view name;
  std::vector<Parameter> parameters;
  std::vector<Expression> decorators;
  std::string_view suite;        ///< from the colon on
  std::uint32_t first_line = 0;  ///< of the suite
  bool is_asynchronous = false;
};

/// "NAME as OTHER" of an import.
struct Alias {
  std::string_view name;   ///< with dots; "*" for all
  std::string_view other;  ///< empty: none
};

/// A clause with a block of its own: of `if` and `elif`, of `except`.
struct Clause {
  Expression value;       ///< the condition; a class of exceptions, or a tuple of them
  std::string_view name;  ///< that gets the exception; empty: none
  bool catches_all = false;
  Block body;
};

enum class StatementKind : std::uint8_t {
  Opaque,      ///< not understood, or of no effect here; `body` is what it may run
  Expression,  ///< `values[0]`
  Assign,      ///< the last of `values` to all others
  Change,      ///< `values[0]` `text` `values[1]`: "+="
  Import,      ///< `aliases`
  From,        ///< `aliases` of the module `text`, `level` dots up
  If,          ///< `clauses`: a condition and a body each, else `otherwise`
  While,       ///< `values[0]`: `body`, else `otherwise`
  For,         ///< `values[0]` in `values[1]`: `body`, at its end `otherwise`
  Try,         ///< `body`, `clauses`, `otherwise`, `finally`
  With,        ///< `values`: managers and their targets by turns (Opaque: none)
  Function,    ///< `function`
  Class,       ///< `text` with bases `values`: `body`
  Return,      ///< `values`: none or one
  Raise,       ///< `values`: none, the exception
  Break,
  Continue,
  Delete,  ///< `values`
  Global,  ///< `aliases`
};

struct Statement {
  StatementKind kind = StatementKind::Opaque;
  std::uint32_t line = 0;
  std::uint32_t level = 0;
  std::string_view text = {};
  std::vector<Expression> values = {};
  std::vector<Alias> aliases = {};
  std::shared_ptr<const Function> function = {};
  Block body;
  Block otherwise;
  Block finally;
  std::vector<Clause> clauses;
};

}  // namespace soresolve::python
