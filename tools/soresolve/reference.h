// What a subcommand offers, as --help, the man pages and the completions show it: all made from the object that is run.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/page.h"
#include "subcommand.h"

namespace soresolve::tool {

/// An option with its words.
struct OptionReference : Option {
  Phrase description;
  Phrase remark;  ///< follows the description
  Phrase group;
};

/// A subcommand with its options, to be read only: nothing is there any more that they could set.
struct CommandReference {
  std::string name;  ///< "why"
  Phrase summary;    ///< one line
  Phrase description;
  std::vector<OptionReference> positionals;
  std::vector<OptionReference> options;  ///< --help first; by group, as they were declared
  std::span<const Example> examples;
};

CommandReference describe(const Subcommand& subcommand);

/// By one of its names; nullptr: it has no such option.
const OptionReference* find_option(const CommandReference& command, std::string_view name);

/// Sets in `invocation` what the words say; an exit status when it is to stop there (--help, usage error).
std::optional<Exit> parse_arguments(const Subcommand& subcommand, Invocation& invocation, std::span<char* const> words);

/// "soresolve why [OPTIONS] FILE..."
std::string synopsis(const CommandReference& command);
/// "-v, --verbose", "--root DIR"
std::string spelled(const OptionReference& option);
/// Description and remark in English.
std::string described(const OptionReference& option);

/// -h: at most 40 lines, the examples first.
Page brief_help_page(const CommandReference& command);
/// --help.
Page help_page(const CommandReference& command);

/// A man page in the man(7) macros; in English, as the completions are.
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
std::vector<std::string> words_in_common(const Subcommand& asked, const Subcommand& other,
                                         std::span<char* const> words);

}  // namespace soresolve::tool
