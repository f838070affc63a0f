// A Python source as a tree: expressions and statements, as far as an import depends on them.
//
// Source: the Python Language Reference, "Expressions", "Simple statements", "Compound statements". What no import
// depends on (await, types of annotations) is Opaque: it is there, and its value is not known. All texts borrow from
// the source, which lives as long as the tree (sources.h).
//
// A comprehension is the generator function that the reference makes of it: `[x for x in y if z]` is a function of one
// parameter, named ".0", that is called with y and has the body `for x in .0:` `if z:` `yield x`. A pattern of `case`
// is the expression that it looks like: a Name captures, an Attribute or a literal is compared, a Tuple is a sequence,
// a Call a class, a Walrus `PATTERN as NAME`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace soresolve::python {

enum class ExpressionKind : std::uint8_t {
  Opaque,
  Name,        ///< `text`; None, True and False as well
  Number,      ///< `text`
  String,      ///< `text`: one literal with its prefix and quotes
  Strings,     ///< `parts`: literals side by side
  Attribute,   ///< `parts[0]`.`text`
  Call,        ///< `parts[0]`, then its arguments
  Keyword,     ///< an argument `text`=`parts[0]`; `text` "*" and "**": unpacked
  Subscript,   ///< `parts[0]`[`parts[1]`]
  Slice,       ///< `parts[0]`:`parts[1]`:`parts[2]`, Opaque where there is none
  Tuple,       ///< also a list or a set: `text` is its opening bracket; empty: written without
  Mapping,     ///< `parts`: a key and its value by turns
  Operation,   ///< `text` between `parts[0]` and `parts[1]`
  Negation,    ///< `text` ("-", "+", "~") before `parts[0]`
  Not,         ///< `parts[0]`
  And,         ///< `parts`
  Or,          ///< `parts`
  Comparison,  ///< `text` ("==", "in", "not in", "is not", …) between `parts[0]` and `parts[1]`; a chain is And with
               ///< the text "<", where each but the first goes on from what the one before it has on its right
  Choice,      ///< `parts[0]` if `parts[1]` else `parts[2]`
  Walrus,      ///< `text` := `parts[0]`
  Comprehension,  ///< `function` called with `parts[0]`; `text` is its bracket, or "{:", where it yields pairs
  Lambda,         ///< `function`
  Yield,          ///< `parts[0]`, None where there is none
  YieldFrom,      ///< `parts[0]`
  Ellipsis,
};

struct Function;

struct Expression {
  ExpressionKind kind = ExpressionKind::Opaque;
  std::uint32_t line = 0;
  std::string_view text = {};
  std::vector<Expression> parts = {};
  std::shared_ptr<const Function> function = {};
};

struct Statement;
using Block = std::vector<Statement>;

struct Parameter {
  std::string_view name;
  Expression otherwise;  ///< the default, where `has_default`
  bool has_default = false;
  bool is_by_name = false;     ///< behind a star
  bool is_by_place = false;    ///< before a slash
  bool is_collecting = false;  ///< *args, **options
  bool is_options = false;     ///< **options
};

/// A function; its body is parsed when it is first called (body_of()). Of a class its name and decorators.
struct Function {
  std::string_view name;
  std::vector<Parameter> parameters;
  std::vector<Expression> decorators;
  std::string_view suite;        ///< from the colon on
  std::uint32_t first_line = 0;  ///< of the suite
  bool is_asynchronous = false;
  std::shared_ptr<const Block> made = {};  ///< the body of what has no suite: a lambda, a comprehension
};

/// "NAME as OTHER" of an import.
struct Alias {
  std::string_view name;   ///< with dots; "*" for all
  std::string_view other;  ///< empty: none
};

/// A clause with a block of its own: of `if` and `elif`, of `except`.
struct Clause {
  Expression value;       ///< the condition; a class of exceptions, or a tuple of them; a pattern
  Expression guard = {};  ///< `if` behind a pattern; Opaque: none
  std::string_view name;  ///< that gets the exception; empty: none
  bool catches_all = false;
  bool is_of_group = false;  ///< except*
  Block body;
};

enum class StatementKind : std::uint8_t {
  Opaque,      ///< not understood, where there is a `text`, or of no effect here; `body` is what it may run
  Expression,  ///< `values[0]`
  Assign,      ///< the last of `values` to all others
  Annotation,  ///< `values[0]`: `text`, perhaps = `values[1]`
  Change,      ///< `values[0]` `text` `values[1]`: "+="
  Import,      ///< `aliases`
  From,        ///< `aliases` of the module `text`, `level` dots up
  If,          ///< `clauses`: a condition and a body each, else `otherwise`
  While,       ///< `values[0]`: `body`, else `otherwise`
  For,         ///< `values[0]` in `values[1]`: `body`, at its end `otherwise`
  Try,         ///< `body`, `clauses`, `otherwise`, `finally`
  Match,       ///< `values[0]`: `clauses`
  With,        ///< `values`: managers and their targets by turns (Opaque: none)
  Function,    ///< `function`
  Class,       ///< `text` with `values` in its brackets: `body`; `function` has its decorators
  Return,      ///< `values`: none or one
  Raise,       ///< `values`: none, the exception, its cause
  Assert,      ///< `values[0]`, and what to say
  Break,
  Continue,
  Delete,    ///< `values`
  Global,    ///< `aliases`
  Nonlocal,  ///< `aliases`
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
