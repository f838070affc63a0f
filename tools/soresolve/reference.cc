// Reads a subcommand's options for --help, man pages and completions. The layouts are in help_page.cc, man_page.cc and
// completion.cc.
#include "reference.h"

#include <algorithm>

namespace soresolve::tool {
namespace {

/// Puts each group where its first option stands.
void sort_by_group(std::vector<Option>& options) {
  std::vector<std::string_view> groups;
  for (const Option& option : options) groups.push_back(option.group.en);
  const auto place = [&](const Option& option) { return std::find(groups.begin(), groups.end(), option.group.en); };
  std::stable_sort(options.begin(), options.end(),
                   [&](const Option& a, const Option& b) { return place(a) < place(b); });
}

}  // namespace

CommandReference describe(const Subcommand& subcommand) {
  CommandReference command{std::string(subcommand.name), subcommand.summary, subcommand.description, {}, {},
                           subcommand.examples};
  command.options.push_back({.names = {"-h", "--help"},
                             .into = WhenGiven{},
                             .description = {"-h: this help on one screen; --help: with every option",
                                             "-h：一屏的简要帮助；--help：含全部选项的说明"}});
  for (Option& option : subcommand.invoke()->options()) {
    (option.is_positional() ? command.positionals : command.options).push_back(std::move(option));
  }
  sort_by_group(command.options);
  return command;
}

const Option* find_option(const CommandReference& command, std::string_view name) {
  for (const Option& option : command.options) {
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) return &option;
  }
  return nullptr;
}

std::string synopsis(const CommandReference& command) {
  std::string text = "soresolve " + command.name + " [OPTIONS]";
  for (const Option& positional : command.positionals) {
    const std::string name = positional.names.front() + (positional.is_repeatable() ? "..." : "");
    const bool is_bare = positional.presence == Presence::Required || positional.is_repeatable();
    text += is_bare ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string described(const Option& option) { return std::string(option.description.en).append(option.remark.en); }

std::string spelled(const Option& option) {
  std::string text;
  for (const std::string& name : option.names) text += (text.empty() ? "" : ", ") + name;
  return option.value.empty() ? text : text.append(" ").append(option.value);
}

}  // namespace soresolve::tool
