// The page of a subcommand's --help.
#include "reference.h"

namespace soresolve::tool {
namespace {

constexpr std::size_t kColumn = 22;  ///< where descriptions begin

void add_entry(Page& page, const Option& option, const std::string& head) {
  constexpr std::size_t kIndent = 2;
  const Words description = Words::phrase(option.description) + Words::phrase(option.remark);
  if (kIndent + head.size() + 1 < kColumn) {
    page.add(Prose{description, kColumn, Words::foreign(head), kIndent});
  } else {
    page.line(Words::foreign(head), kIndent);
    page.prose(description, kColumn);
  }
}

}  // namespace

Page help_page(const CommandReference& command) {
  constexpr std::size_t kExample = 2;
  constexpr std::size_t kAbout = 6;
  Page page;
  page.line(Words::phrase({"Usage: ", "用法："}) + Words::foreign(synopsis(command)));
  page.blank();
  page.prose(Words::phrase(command.description));
  page.blank();
  for (const Option& positional : command.positionals) add_entry(page, positional, positional.names.front());
  std::string_view group;
  for (const Option& option : command.options) {
    if (option.group.en != group) {
      page.blank();
      page.line(Words::phrase(option.group) + Words::phrase({":", "："}));
    }
    group = option.group.en;
    add_entry(page, option, spelled(option));
  }
  if (command.examples.empty()) return page;
  page.blank();
  page.line(Words::phrase({"Examples:", "示例："}));
  for (const Example& example : command.examples) {
    page.line(Words::foreign(example.command), kExample);
    page.prose(Words::phrase(example.about), kAbout);
  }
  return page;
}

}  // namespace soresolve::tool
