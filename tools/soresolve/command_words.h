// What subcommands and their options are about: the tables that lib/make_tables.py makes of commands.toml.
#pragma once
#include <span>
#include <string_view>

#include "soresolve/catalogue.h"

namespace soresolve::tool {

/// One line of a command and what it answers, shown by --help and in the man page.
struct Example {
  std::string_view command;
  Phrase about;
};

struct OptionWords {
  std::string_view name;   ///< its first long one, "--root"; of a positional "FILE"
  std::string_view group;  ///< a row of groups
  Phrase description;
};

struct CommandWords {
  std::string_view name;  ///< "shared": options of several subcommands; "soresolve": examples of all
  Phrase summary;         ///< one line
  Phrase description;     ///< a paragraph
  std::span<const Example> examples;
  std::span<const OptionWords> options;
};
std::span<const CommandWords> command_words();
/// The row of this name, which there has to be.
const CommandWords& words_of(std::string_view name);

/// The heading of a group of options.
struct GroupWords {
  std::string_view name;
  Phrase heading;
};
std::span<const GroupWords> group_words();

}  // namespace soresolve::tool
