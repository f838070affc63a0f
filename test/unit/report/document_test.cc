// How a page is laid out for a reader of so many columns.
#include "soresolve/document.h"

#include <doctest/doctest.h>

#include <string>

#include "report/page.h"

using namespace soresolve;

namespace {

std::string shown(const Page& page, std::size_t line_width) { return to_text(page, {.line_width = line_width}); }

}  // namespace

TEST_CASE("a line that is too long goes on where its content began") {
  struct Case {
    const char* why;
    Words words;
    std::size_t indent;
    const char* want;
  };
  const Words sentence = Words::foreign("needed by many who are far away and near");
  const Case cases[] = {
      {"without a stop it hangs by two", sentence, 0, "needed by many who are far away and\n  near\n"},
      {"behind its indent", sentence, 4, "    needed by many who are far away\n      and near\n"},
      {"below the content of an entry", Words("why") + Words::stop(12) + sentence, 2,
       "  why         needed by many who are\n              far away and near\n"},
      {"not at a stop that leaves no room", Words("why") + Words::stop(24) + sentence, 0,
       "why                     needed by many\n  who are far away and near\n"},
      {"what fits stays as it is", Words("why") + Words::stop(12) + Words("here"), 2, "  why         here\n"},
      {"a command is copied", Words("try: ") + Words(sentence).in(Tone::Name), 0,
       "try: needed by many who are far away and near\n"},
      {"the loader's own line is searched for", Words::loaders_line("needed by many who are far away and near"), 0,
       "needed by many who are far away and near\n"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    Page page;
    page.line(c.words, c.indent);
    CHECK(shown(page, 38) == c.want);
  }
}

TEST_CASE("a line of the loader stays one line, byte for byte but for control characters") {
  struct Case {
    std::string bytes;
    const char* in_pipe;
  };
  const Case cases[] = {
      {"x.so: cannot open", "x.so: cannot open\n"},
      {"x\n::stop-commands::pwn", "x\\x0a::stop-commands::pwn\n"},
      {"a\rb\x1b[2Jc\x7f", "a\\x0db\\x1b[2Jc\\x7f\n"},
      {"\tx => \xff\xfe", "\tx => \xff\xfe\n"},
  };
  for (const Case& c : cases) {
    Page page;
    page.line(Words::loaders_line(c.bytes));
    CHECK(to_text(page, {.reader = TextOptions::Reader::Pipe}) == c.in_pipe);
  }
}

TEST_CASE("columns of a table stay, and the last one is broken") {
  Table table;
  table.columns.resize(2);
  table.rows.push_back({Words("cache"), Words::foreign("four entries, and one of them leads nowhere")});
  table.rows.push_back({Words("environment"), Words("clean")});
  Page page;
  page.add(std::move(table));
  CHECK(shown(page, 40) == "cache       four entries, and one of\n            them leads nowhere\nenvironment clean\n");
  CHECK(shown(page, 0) == "cache       four entries, and one of them leads nowhere\nenvironment clean\n");
}

TEST_CASE("the lines of a tree go on beside a branch that is broken") {
  Page page;
  page.add(Tree{[](const std::function<void(const Branch&)>& write) {
    write({Words("prog"), 0});
    write({Words::foreign("liba.so works only because it was loaded before"), 1});
    write({Words("libb.so"), 1, Branch::Place::Last});
  }});
  CHECK(shown(page, 40) ==
        "prog\n"
        "├── liba.so works only because it was\n"
        "│       loaded before\n"
        "└── libb.so\n");
}
