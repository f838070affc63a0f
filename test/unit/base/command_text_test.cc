// Names of strangers as words of a shell. That shells take them so is shown in test/typed.
#include "soresolve/command_text.h"

#include <doctest/doctest.h>

#include <type_traits>

using namespace soresolve;

// Neither a string nor a view becomes a command by itself.
static_assert(!std::is_constructible_v<CommandText, std::string>);
static_assert(!std::is_constructible_v<CommandText, std::string_view>);
static_assert(!std::is_constructible_v<CommandText, const char*>);
static_assert(!std::is_constructible_v<CommandText, char (&)[4]>);

TEST_CASE("a word is quoted so that bash, dash, zsh and fish take it alike") {
  struct Case {
    const char* why;
    std::string_view word;
    std::string_view want;
  };
  const Case cases[] = {
      {"plain", "/opt/cuda-11.2/lib64", "/opt/cuda-11.2/lib64"},
      {"nothing", "", "''"},
      {"a variable", "$HOME x", "'$HOME x'"},
      {"a command", "$(touch X)", "'$(touch X)'"},
      {"a quote stands outside quotes", "it's $HOME", "'it'\\''s $HOME'"},
      {"so does a backslash, which fish knows within them", "a\\b", "'a'\\\\'b'"},
      {"both at an end", "\\'", "\\\\\\'"},
      {"zsh expands it", "=ls", "'=ls'"},
      {"older fish expands it", "%self", "'%self'"},
      {"UTF-8", "\xe5\xba\x93", "'\xe5\xba\x93'"},
      {"no UTF-8", "caf\xe9.so", "'caf'$'\\xe9''.so'"},
      {"a digit behind a byte is none of its digits",
       "\xff"
       "0",
       "$'\\xff''0'"},
      {"a line end", "a\nb", "'a'$'\\x0a''b'"},
      {"several", "\x1b[\x1b\x07", "$'\\x1b''['$'\\x1b\\x07'"},
      {"what turns writing round", "a\xe2\x80\xae", "'a'$'\\xe2\\x80\\xae'"},
      {"a word that is an option is itself", "-x", "-x"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(shell_word(c.word).text() == c.want);
  }
}

TEST_CASE("the path of a file is no option") {
  CHECK(shell_path("-x").text() == "./-x");
  CHECK(shell_path("- x").text() == "'./- x'");
  CHECK(shell_path("a-x").text() == "a-x");
}

TEST_CASE("in a root nothing is typed with sudo, and no name of a file changes") {
  const CommandText install = "sudo apt install libgl1 && sudo ldconfig";
  CHECK(install.without_sudo().text() == "apt install libgl1 && ldconfig");
  const CommandText tee = "printf '%s\\n' " + shell_path("/a sudo b") + " | sudo tee " + shell_path("/it's sudo x");
  CHECK(tee.without_sudo().text() == "printf '%s\\n' '/a sudo b' | tee '/it'\\''s sudo x'");
  const CommandText hidden = "chmod a+r " + shell_path("/a\n' sudo b");
  CHECK(hidden.without_sudo() == hidden);
}

TEST_CASE("commands are joined so that the second waits for the first") {
  CHECK(joined_commands({"a", "b " + shell_word("c d")}).text() == "a && b 'c d'");
  CHECK(joined_commands({}).empty());
}
