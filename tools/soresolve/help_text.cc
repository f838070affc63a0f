// --help of a subcommand.
#include <algorithm>

#include "reference.h"
#include "report/wrapped.h"

namespace soresolve::tool {
namespace {

constexpr std::size_t kColumn = 22;  ///< where descriptions begin

std::string entry(const Option& option, std::string_view head, std::size_t width) {
  std::string text = "  " + std::string(head);
  text += text.size() < kColumn - 1 ? std::string(kColumn - text.size(), ' ') : "\n" + std::string(kColumn, ' ');
  return text + wrapped(option.description, kColumn, width) + "\n";
}

}  // namespace

std::string help_text(const CommandReference& command, std::size_t width) {
  std::string text = "Usage: " + synopsis(command) + "\n\n" + wrapped(command.description, 0, width) + "\n\n";
  for (const Option& positional : command.positionals) {
    text += entry(positional, positional.names.front(), width);
  }
  std::string_view group;
  for (const Option& option : command.options) {
    if (option.group != group) text += "\n" + std::string(option.group) + ":\n";
    group = option.group;
    text += entry(option, spelled(option), width);
  }
  if (!command.examples.empty()) text += "\nExamples:\n";
  for (const Example& example : command.examples) {
    text += "  " + std::string(example.command) + "\n      " + wrapped(example.about, 6, width) + "\n";
  }
  return text;
}

}  // namespace soresolve::tool
