// Python sources that nest: each construct in each, so deep that one call for each step would end the process, and as
// deep as is read at all. What is read of them is evaluated, and none of it takes more than the stack of a thread has.
// And lines of 1.6 MB that are made of one piece.
//
// usage: deep_sources [--depth N]
//   --depth N   of the deepest (20000); with less each construct is nested in four others, to one more depth than that
// Exit status: 0 all is well, 2 usage; a signal otherwise, behind the construct that was tried.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "python/import_trace.h"
#include "python/python_environment.h"
#include "support/random.h"

namespace soresolve::test {

constexpr std::size_t kWhole = 20000;

namespace {

struct Construct {
  std::string_view before;
  std::string_view behind;
};

constexpr Construct kExpressions[] = {{"(", ")"},
                                      {"[", "]"},
                                      {"{", "}"},
                                      {"{0: ", "}"},
                                      {"{**", "}"},
                                      {"[*", "]"},
                                      {"f(", ")"},
                                      {"f(*", ")"},
                                      {"f(a=", ")"},
                                      {"a[", "]"},
                                      {"a[1:", "]"},
                                      {"a[::", "]"},
                                      {"a[0, *", "]"},
                                      {"(x for x in ", ")"},
                                      {"[x for x in ", "]"},
                                      {"{x for x in ", "}"},
                                      {"{x: y for x in ", "}"},
                                      {"[x for x in y if ", "]"},
                                      {"[", " for x in y]"},
                                      {"f(x for x in ", ")"},
                                      {"f(x for f(", ") in y)"},
                                      {"[x for a[", "] in y]"},
                                      {"lambda: ", ""},
                                      {"lambda x=", ": 0"},
                                      {"not ", ""},
                                      {"-", ""},
                                      {"await ", ""},
                                      {"a if b else ", ""},
                                      {"(a if ", " else b)"},
                                      {"", " if a else b"},
                                      {"a or ", ""},
                                      {"", " and b"},
                                      {"a + ", ""},
                                      {"a ** ", ""},
                                      {"", " + a"},
                                      {"", ".b"},
                                      {"", "()"},
                                      {"", "[0]"},
                                      {"0 < (", ") < 1"},
                                      {"(yield ", ")"},
                                      {"(x := ", ")"},
                                      {"*", ""},
                                      {"f'{", "}'"},
                                      {"f\"\"\"{", "}\"\"\""},
                                      {"'a' ", ""},
                                      {"(a, ", ") + (1,)"},
                                      {"[", ").x"},
                                      {"f\"{x:{", "}}\""}};

constexpr std::string_view kBlocks[] = {
    "if x:", "while x:", "for x in y:", "try:",          "with a:", "class A:", "def f():", "async def f():",
    "else:", "match x:", "case [x]:",   "async with a:", "x:",      "@a(",      "elif x:",  "except x:"};

struct LongLine {
  std::string_view begin;
  std::string_view piece;
};

constexpr LongLine kLongLines[] = {{"", "global x:"},
                                   {"", "global x,"},
                                   {"", "__all__=[except:"},
                                   {"", "f\"{"},
                                   {"", "f'''{"},
                                   {"", "match x:"},
                                   {"", "'"},
                                   {"", "x\\"},
                                   {"", "import a."},
                                   {"", "from . import *;"},
                                   {"", "lambda:"},
                                   {"", "case a:"},
                                   {"", "@"},
                                   {"", "@a\n"},
                                   {"", "(]"},
                                   {"", "0<1<"},
                                   {"", "x:x="},
                                   {"", "x="},
                                   {"", "type a["},
                                   {"", "with (a as b)"},
                                   {"match x:\n case ", "["},
                                   {"match x:\n case ", "(a|"},
                                   {"match x:\n case ", "{1:"},
                                   {"match x:\n case ", "A(b="},
                                   {"match x:\n case ", "1|"},
                                   {"match x:\n", " case 1: pass\n"},
                                   {"f(", "a=1,"},
                                   {"f(**a,", "*b,"},
                                   {"def f(", "a=1,"},
                                   {"def f(", "*,"},
                                   {"def f[", "T,"},
                                   {"class A(", "a=1,"},
                                   {"del ", "a,"},
                                   {"x='", "\\N{"},
                                   {"x=f'", "\\N{"},
                                   {"x=f'", "{a}"},
                                   {"x=f'", "{a!r:>{b}}"},
                                   {"x=f'{a:", "{b}"},
                                   {"x=f'{a:", "{b:"},
                                   {"x=f'", "{f\""}};

void check(const std::string& source) {
  const auto files = std::make_shared<MemoryFileSystem>();
  files->add_file("/p/bin/python3.11", "\177ELF", 0755);
  files->add_file("/p/lib/python3.11/os.py", "");
  files->add_file("/p/lib/python3.11/m.py", source);
  const Environment environment;
  PythonImporter importer(files, environment, read_python_environment(*files, environment, "/p/bin/python3.11"), "/w",
                          {});
  importer.evaluate({.module = "m"});
}

std::string nested(const Construct& one, const Construct& other, std::size_t depth) {
  std::string before;
  std::string behind;
  for (std::size_t i = 0; i < depth; ++i) before += i % 2 == 0 ? one.before : other.before;
  for (std::size_t i = depth; i-- > 0;) behind += i % 2 == 0 ? one.behind : other.behind;
  return before + "z" + behind;
}

std::string blocks(std::string_view one, std::string_view other, std::size_t depth) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += std::string(i, ' ') + std::string(i % 2 == 0 ? one : other) + "\n";
  return text + std::string(depth, ' ') + "z\n";
}

std::string on_a_line(std::string_view one, std::string_view other, std::size_t depth) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += std::string(i % 2 == 0 ? one : other) + " ";
  return text + "z\n";
}

int run(std::size_t deepest) {
  std::size_t count = 0;
  for (const Construct& one : kExpressions) {
    for (const Construct& other : kExpressions) {
      if (&other < &one) continue;  // either in the other, by turns
      if (deepest<kWhole&& & other> & one + 3) continue;
      std::fprintf(stderr, "\r%.*sz%.*s in %.*sz%.*s          ", static_cast<int>(other.before.size()),
                   other.before.data(), static_cast<int>(other.behind.size()), other.behind.data(),
                   static_cast<int>(one.before.size()), one.before.data(), static_cast<int>(one.behind.size()),
                   one.behind.data());
      // What is read at all is less deep; where a statement begins and where a block is called makes no difference.
      for (const std::size_t depth :
           deepest < kWhole ? std::vector<std::size_t>{240} : std::vector<std::size_t>{60, 120, 240}) {
        const std::string text = nested(one, other, depth);
        check("def f(a=1):\n  return " + text + "\nx = " + text + "\nf(x)\n");
      }
      check("x = " + nested(one, other, &one == &other ? deepest : deepest / 5) + "\n");
      count += 2;
    }
  }
  for (const std::string_view one : kBlocks) {
    for (const std::string_view other : kBlocks) {
      std::fprintf(stderr, "\r%.*s in %.*s          ", static_cast<int>(other.size()), other.data(),
                   static_cast<int>(one.size()), one.data());
      for (const std::size_t depth : {std::size_t{90}, std::size_t{260}}) check(blocks(one, other, depth));
      check(on_a_line(one, other, deepest));
      count += 3;
    }
  }
  // Each piece of a long line is looked at a few times at most: by the square of its length these take hours.
  const std::size_t line_bytes = deepest * 80;
  for (const auto& [begin, piece] : kLongLines) {
    std::string line(begin);
    while (line.size() < line_bytes) line += piece;
    check(line + "\n");
    ++count;
  }
  Random random(1);
  for (const std::string_view letters :
       {"abc[](){}:=+-*/.,;@ \t", "f\"'{}\\:#ab [](=", "global import from:;.,[](=)"}) {
    std::string line;
    while (line.size() < line_bytes) line += letters[random.below(letters.size())];
    check(line + "\n");
    ++count;
  }
  std::fprintf(stderr, "\n%zu sources\n", count);
  return 0;
}

}  // namespace
}  // namespace soresolve::test

int main(int argc, char** argv) {
  std::size_t deepest = soresolve::test::kWhole;
  if (argc == 3 && std::string_view(argv[1]) == "--depth")
    deepest = std::strtoull(argv[2], nullptr, 10);
  else if (argc != 1)
    return 2;
  return soresolve::test::run(deepest);
}
