// Python sources as trees: lines, expressions, statements; and that no source is too strange.
#include "python/parser.h"

#include <doctest/doctest.h>

#include <span>
#include <string>

namespace {

using soresolve::python::Alias;
using soresolve::python::Block;
using soresolve::python::Clause;
using soresolve::python::Expression;
using soresolve::python::ExpressionKind;
using soresolve::python::FunctionBody;
using soresolve::python::Parameter;
using soresolve::python::parse_source;
using soresolve::python::parse_suite;
using soresolve::python::Statement;
using soresolve::python::StatementKind;

std::string shown(const Block& block);

std::string shown(const Expression& expression) {
  using enum ExpressionKind;
  const auto parts = [&](std::string_view between, std::size_t from = 0) {
    std::string text;
    for (std::size_t i = from; i < expression.parts.size(); ++i)
      text += (i == from ? "" : std::string(between)) + shown(expression.parts[i]);
    return text;
  };
  const std::string text(expression.text);
  switch (expression.kind) {
    case Opaque: return "?";
    case Name:
    case Number:
    case String: return text;
    case Strings: return "<" + parts(" ") + ">";
    case Attribute: return parts("") + "." + text;
    case Call: return shown(expression.parts[0]) + "(" + parts(", ", 1) + ")";
    case Keyword: return text + "=" + parts("");
    case Subscript: return shown(expression.parts[0]) + "[" + parts("", 1) + "]";
    case Slice: return parts(":");
    case Tuple: return text + "{" + parts(", ") + "}";
    case Mapping: return "map{" + parts(", ") + "}";
    case Operation: return "(" + parts(" " + text + " ") + ")";
    case Negation: return text + parts("");
    case Not: return "not(" + parts("") + ")";
    case And: return "and(" + parts(", ") + ")";
    case Or: return "or(" + parts(", ") + ")";
    case Comparison: return "(" + parts(" " + text + " ") + ")";
    case Choice: return "(" + parts(" if ") + ")";
    case Walrus: return text + ":=" + parts("");
    case Comprehension: return text + "for(" + parts("") + ")[" + shown(*expression.function->made) + "]";
    case Lambda: {
      std::string names;
      for (const Parameter& one : expression.function->parameters) names += std::string(one.name) + ",";
      return "lambda(" + names + ")[" + shown(*expression.function->made) + "]";
    }
    case Yield: return "yield(" + parts("") + ")";
    case YieldFrom: return "from(" + parts("") + ")";
    case Ellipsis: return "...";
  }
  return {};
}

std::string shown(const Statement& statement) {
  std::string values;
  for (const Expression& value : statement.values) values += (values.empty() ? "" : " ") + shown(value);
  std::string aliases;
  for (const Alias& alias : statement.aliases) {
    aliases += (aliases.empty() ? "" : ",") + std::string(alias.name);
    if (!alias.other.empty()) aliases += ">" + std::string(alias.other);
  }
  std::string all;
  const std::string text(statement.text);
  using enum StatementKind;
  switch (statement.kind) {
    case Opaque: all = "opaque"; break;
    case StatementKind::Expression: return values;
    case Assign: return "set " + values;
    case Annotation: return "set " + values + " as " + text;
    case Change: return text + " " + values;
    case Import: return "import " + aliases;
    case From: return "from " + std::to_string(statement.level) + " " + text + " " + aliases;
    case If: all = "if"; break;
    case While: all = "while " + values; break;
    case For: all = "for " + values; break;
    case Try: all = "try"; break;
    case With: all = "with " + values; break;
    case StatementKind::Function: {
      all = "def " + text + "(";
      for (const Parameter& one : statement.function->parameters) {
        all += std::string(one.is_collecting ? "*" : "") + std::string(one.name) +
               (one.has_default ? "=" + shown(one.otherwise) : "") + ",";
      }
      const FunctionBody body = parse_suite(*statement.function);
      return all + ")[" + shown(body.statements) + "]" + (body.yields ? "yields" : "");
    }
    case Class: all = "class " + text + " " + values; break;
    case Return: return "return " + values;
    case Raise: return "raise " + values;
    case Break: return "break";
    case Continue: return "continue";
    case Delete: return "del " + values;
    case Global: return "global " + aliases;
    case Nonlocal: return "nonlocal " + aliases;
    case Assert: return "assert " + values;
    case Match: all = "match " + values; break;
  }
  if (!statement.body.empty()) all += "[" + shown(statement.body) + "]";
  for (const Clause& clause : statement.clauses) {
    const std::string name = clause.name.empty() ? "" : " as " + std::string(clause.name);
    all += "{" + (clause.catches_all ? "" : shown(clause.value)) +
           (clause.guard.kind == ExpressionKind::Opaque ? "" : " if " + shown(clause.guard)) + name + ": " +
           shown(clause.body) + "}";
  }
  if (!statement.otherwise.empty()) all += "else[" + shown(statement.otherwise) + "]";
  if (!statement.finally.empty()) all += "finally[" + shown(statement.finally) + "]";
  return all;
}

std::string shown(const Block& block) {
  std::string text;
  for (const Statement& statement : block) text += (text.empty() ? "" : "; ") + shown(statement);
  return text;
}

struct SourceCase {
  const char* why;
  const char* source;
  const char* want;
};

void check_trees(std::span<const SourceCase> cases) {
  for (const SourceCase& c : cases) {
    CAPTURE(c.why);
    CHECK(shown(parse_source(c.source)) == std::string(c.want));
  }
}

}  // namespace

TEST_CASE("logical lines are joined by brackets, strings and backslashes") {
  const SourceCase cases[] = {
      {"nothing", "", ""},
      {"comments and empty lines", "# import a\n\n  # b\nimport c # d\n", "import c"},
      {"words in a string are no import", "x = \"\"\"\nimport a\n\"\"\"\nimport b\n",
       "set x \"\"\"\nimport a\n\"\"\"; import b"},
      {"a quote in a string of the other kind", "x = 'it\\'s \"'\nimport a\n", "set x 'it\\'s \"'; import a"},
      {"brackets", "from a import (\n    b,  # one\n    c,\n)\n", "from 0 a b,c"},
      {"a backslash", "from a import b, \\\n    c\n", "from 0 a b,c"},
      {"two on a line", "import a; import b\n", "import a; import b"},
      {"an open bracket to the end", "import a\nx = (\nimport b\n", "import a; opaque"},
      {"an open string to the end", "import a\nx = '''\nimport b\n", "import a; opaque"},
      {"a byte order mark", "\xEF\xBB\xBFimport a\n", "import a"},
      {"lines of Windows", "import a\r\nfrom b import c\r\nif x:\r\n  y\r\n", "import a; from 0 b c; if{x: y}"},
      {"tabs and blanks", "if x:\n\ty\n        z\n", "if{x: y; z}"},
      {"indented without a head", "  import a\nimport b\n    import c\nimport d\n", "import a; import b; import d"},
  };
  check_trees(cases);
}

TEST_CASE("expressions bind as the reference's grammar has it") {
  const SourceCase cases[] = {
      {"sums and products", "a + b * c - d\n", "((a + (b * c)) - d)"},
      {"all levels, from what binds least to what binds most", "a | b ^ c & d << e + f * g ** h\n",
       "(a | (b ^ (c & (d << (e + (f * (g ** h)))))))"},
      {"and back", "a ** b * c + d << e & f ^ g | h\n", "(((((((a ** b) * c) + d) << e) & f) ^ g) | h)"},
      {"no operation", "a += b * c\nd = e == f | g\n", "+= a (b * c); set d (e == (f | g))"},
      {"paths", "p.parent / 'x' / f'y{z}'\n", "((p.parent / 'x') / f'y{z}')"},
      {"or, and, not", "a or not b and c\n", "or(a, and(not(b), c))"},
      {"comparisons", "a in b\nc not in d\ne is not None\nf < g <= h\n",
       "(a in b); (c not in d); (e is not None); and((f < g), (? <= h))"},
      {"a choice", "a if b else c\n", "(a if b if c)"},
      {"calls", "f(a, *b, c=d, **e)(g)\n", "f(a, *=b, c=d, **=e)(g)"},
      {"parts", "a[0][1:][b, c][:2]\n", "a[0][1:?:?][{b, c}][?:2:?]"},
      {"lists, tuples, sets, mappings", "[a, b]\n(c,)\n()\n{d, e}\n{f: g, 'h': i}\n",
       "[{a, b}; ({c}; ({}; {{d, e}; map{f, g, 'h', i}"},
      {"brackets around one", "(a)\n", "a"},
      {"strings side by side", "'a' \"b\" f'c'\n", "<'a' \"b\" f'c'>"},
      {"loops in brackets", "[a for b in c if d]\nf(a for b in c)\n",
       "[for(c)[for b .0[if{d: yield(a)}]]; f((for(c)[for b .0[yield(a)]])"},
      {"loops that make mappings and sets", "{a: b for a in c}\n{a for a in b}\n",
       "{:for(c)[for a .0[yield({a, b})]]; {for(b)[for a .0[yield(a)]]"},
      {"mappings in mappings", "{**a, 'b': c}\n", "map{**=a, 'b', c}"},
      {"a name that is given on the way", "f(p := g(x))\n", "f(p:=g(x))"},
      {"what is not looked into", "lambda a, b=(1, 2): a\nawait x\n", "lambda(a,b,)[return a]; ?"},
      {"numbers", "0x10 + 1_000 + .5\n", "((0x10 + 1_000) + .5)"},
      {"Python 2", "print 'a'\nimport b\n", "opaque; import b"},
  };
  check_trees(cases);
}

TEST_CASE("statements and their blocks") {
  const SourceCase cases[] = {
      {"imports", "import a.b as c, d\nfrom ..e import f as g, h\nfrom . import i\nfrom .import j\nfrom k import *\n",
       "import a.b>c,d; from 2 e f>g,h; from 1  i; from 1  j; from 0 k *"},
      {"assignments", "a = b = c\nd, e = f\ng: int = 1\nh: int\ni += 2\n",
       "set a b c; set {d, e} f; set g 1 as int ; set h as int; += i 2"},
      {"branches", "if a: b\nelif c:\n  d\nelse:\n  e\n", "if{a: b}{c: d}else[e]"},
      {"a try", "try: a\nexcept (B, c.D) as e: f\nexcept: g\nelse: h\nfinally: i\n",
       "try[a]{({B, c.D} as e: f}{: g}else[h]finally[i]"},
      {"exception groups", "try: a\nexcept* B: c\n", "try[a]{B: c}"},
      {"loops", "for a, b in c: d\nelse: e\nwhile f:\n  break\n", "for {a, b} c[d]else[e]; while f[break]"},
      {"managers", "with a as b, c(): d\n", "with a b c() ?[d]"},
      {"managers in brackets with names", "with (a as b, c as d):\n  e\nf\n", "with a b c d[e]; f"},
      {"a function is parsed when it is called", "def f(a, b: int = 1, *c, d=2, **e) -> g:\n  '''x\ny'''\n  h\ni\n",
       "def f(a,b=1,*c,d=2,*e,)['''x\ny'''; h]; i"},
      {"on one line", "def f(): return a\nb\n", "def f()[return a]; b"},
      {"a generator", "def f():\n  x = yield a\n", "def f()[set x yield(a)]yields"},
      {"decorated", "@a.b(c)\n@d\ndef f():\n  g\n@e\nclass H(I, metaclass=J):\n  k\n",
       "def f()[g]; class H I metaclass=J[k]"},
      {"asynchronous", "async def f():\n  a\nb\n", "def f()[a]; b"},
      {"cases", "match a:\n  case 1:\n    b\nmatch = 1\n", "match a{1: b}; set match 1"},
      {"a block of what is not understood", "exec 'a' in b:\n  c\nd\n", "opaque[c]; d"},
      {"raise, return, del, global", "raise A('b') from c\nraise\ndef f():\n  global a, b\n  del a, c\n  return\n",
       "raise A('b') c; raise ; def f()[global a,b; del {a, c}; return ]"},
  };
  check_trees(cases);
}

TEST_CASE("lines are counted through strings and brackets") {
  const Block body = parse_source("'''one\ntwo'''\nx = (1,\n  2)\nimport a\ndef f():\n\n  b\n");
  REQUIRE(body.size() == 4);
  CHECK(body[2].line == 5);
  CHECK(parse_suite(*body[3].function).statements.at(0).line == 8);
}

TEST_CASE("nesting without end is cut, and costs no stack") {
  std::string source;
  for (int depth = 0; depth < 3000; ++depth) source += std::string(static_cast<std::size_t>(depth), ' ') + "with x:\n";
  CHECK(parse_source(source).size() == 1);
  for (const char* part : {"(", "[", "{", "not ", "-", "a.", "a+", "f(", "a if b else ", "lambda: ", "await "}) {
    CAPTURE(part);
    std::string line;
    for (int i = 0; i < 100'000; ++i) line += part;
    CHECK(parse_source(line + "a\nimport b\n").size() <= 2);
  }
  std::string branches = "if a:\n  b\n";
  for (int i = 0; i < 20'000; ++i) branches += "elif a:\n  b\n";
  CHECK(parse_source(branches).at(0).clauses.size() == 20'001);
}
