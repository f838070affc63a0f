// What a subcommand offers, taken from the CLI::App that also parses its options: the one source of
// --help, of the man pages and of what shells complete.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "subcommand.h"

namespace soresolve::tool {

struct OptionReference {
  std::vector<std::string> names;    ///< "-v", "--verbose"; of a positional its one name, "FILE"
  std::string value;                 ///< "DIR"; empty for a flag
  std::vector<std::string> choices;  ///< the values that it takes, if these are all
  std::string description;
  std::string group;
  bool is_required = false;
  bool is_repeatable = false;
};

struct CommandReference {
  std::string name;     ///< "why"
  std::string summary;  ///< one line, from the table of subcommands
  std::string description;
  std::vector<OptionReference> positionals;
  std::vector<OptionReference> options;  ///< by group, as they were added
  std::vector<Example> examples;
};

/// Reads an app.
CommandReference describe(const CLI::App& app);

/// Lets a subcommand set up its app, and reads it.
CommandReference describe(const Subcommand& subcommand);

/// Thrown by parse_arguments() when it is describe() that has called the subcommand: there is no
/// other way out of a function that goes on to answer.
struct Description {
  CommandReference reference;
};
inline constexpr std::string_view kDescribe = "--describe-options";

/// "soresolve why [OPTIONS] FILE..."
std::string synopsis(const CommandReference& command);
/// "-v, --verbose", "--root DIR"
std::string spelled(const OptionReference& option);

/// --help, in lines of at most `width` columns.
std::string help_text(const CommandReference& command, std::size_t width);

/// A man page in the man(7) macros.
std::string man_page(const CommandReference& command);
/// The page of the command as a whole.
std::string man_page(std::span<const CommandReference> commands);

/// A script that completes subcommands, options, their values and files, and the libraries that a
/// file asks for. `shell` is "bash", "zsh" or "fish"; `codes` are those of problems.
std::string completion(std::string_view shell, std::span<const CommandReference> commands,
                       std::span<const std::string> codes);

/// What those scripts ask of a command line that is being typed: `soresolve --libraries-of why
/// WORDS...` lists what `soresolve ldd` lists, of the same files in the same world.
inline constexpr std::string_view kLibrariesOf = "--libraries-of";
/// Of the words behind `asked`, the files and the options that `other` has, too.
std::vector<std::string> words_in_common(const CommandReference& asked, const CommandReference& other,
                                         std::span<char* const> words);

}  // namespace soresolve::tool
