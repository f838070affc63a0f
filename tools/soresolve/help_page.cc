// The pages of a subcommand's --help, which has every option with its description, and of its -h, which fits on a
// screen: what it is for, what to type, and the names of the options.
#include "base/pieces.h"
#include "reference.h"
#include "report/page.h"

namespace soresolve::tool {
namespace {

constexpr std::size_t kColumn = 22;  ///< where descriptions begin

void add_entry(Page& page, const OptionReference& option, const std::string& head) {
  constexpr std::size_t kIndent = 2;
  const Words description = Words::phrase(option.description) + Words::phrase(option.remark);
  if (kIndent + head.size() + 1 < kColumn) {
    page.add(Prose{description, kColumn, Words::foreign(head), kIndent});
  } else {
    page.line(Words::foreign(head), kIndent);
    page.prose(description, kColumn);
  }
}

void add_usage(Page& page, const CommandReference& command) {
  page.line(Words::phrase({"Usage: ", "用法："}) + Words::foreign(synopsis(command)));
  page.blank();
}

void add_examples(Page& page, const CommandReference& command) {
  constexpr std::size_t kExample = 2;
  constexpr std::size_t kAbout = 6;
  page.line(Words::phrase({"Examples:", "示例："}));
  for (const Example& example : command.examples) {
    page.line(Words::foreign(example.command), kExample);
    page.prose(Words::phrase(example.about), kAbout);
  }
}

/// "-v/--verbose", "--root DIR"
std::string briefly_spelled(const OptionReference& option) {
  std::string text = joined(option.names, "/");
  return option.value.empty() ? text : text.append(" ").append(option.value);
}

}  // namespace

Page brief_help_page(const CommandReference& command) {
  constexpr std::size_t kGroup = 30;
  Page page;
  add_usage(page, command);
  page.prose(Words::phrase(command.summary));
  page.blank();
  if (!command.examples.empty()) {
    add_examples(page, command);
    page.blank();
  }
  for (std::size_t i = 0; i < command.options.size();) {
    const Phrase& group = command.options[i].group;
    std::string names;
    for (; i < command.options.size() && command.options[i].group.en == group.en; ++i) {
      names += (names.empty() ? "" : ", ") + briefly_spelled(command.options[i]);
    }
    page.add(Prose{Words::foreign(names), kGroup, Words::phrase(group) + Words::phrase({":", "："})});
  }
  page.blank();
  page.line(Words::phrase({"All options with their descriptions: ", "全部选项的说明："}) +
            Words::foreign("soresolve " + command.name + " --help"));
  return page;
}

Page help_page(const CommandReference& command) {
  Page page;
  add_usage(page, command);
  page.prose(Words::phrase(command.description));
  page.blank();
  for (const OptionReference& positional : command.positionals) add_entry(page, positional, positional.names.front());
  std::string_view group;
  for (const OptionReference& option : command.options) {
    if (option.group.en != group) {
      page.blank();
      page.line(Words::phrase(option.group) + Words::phrase({":", "："}));
    }
    group = option.group.en;
    add_entry(page, option, spelled(option));
  }
  if (command.examples.empty()) return page;
  page.blank();
  add_examples(page, command);
  return page;
}

}  // namespace soresolve::tool
