// Reads a subcommand's options for --help, man pages and completions. The layouts are in help_page.cc, man_page.cc and
// completion.cc.
#include "reference.h"

#include <algorithm>
#include <cassert>

#include "base/pieces.h"

namespace soresolve::tool {
namespace {

/// Puts each group where its first option stands.
void sort_by_group(std::vector<OptionReference>& options) {
  std::vector<std::string_view> groups;
  for (const OptionReference& option : options) groups.push_back(option.group.en);
  const auto place = [&](const OptionReference& option) {
    return std::find(groups.begin(), groups.end(), option.group.en);
  };
  std::stable_sort(options.begin(), options.end(),
                   [&](const OptionReference& a, const OptionReference& b) { return place(a) < place(b); });
}

/// The subcommand's own words on an option, else the shared ones. An option without any, which test/manual refuses, has
/// empty ones.
OptionWords find_words(const CommandWords& own, std::string_view name) {
  for (const CommandWords* words : {&own, &words_of("shared")}) {
    for (const OptionWords& option : words->options) {
      if (option.name == name) return option;
    }
  }
  return {name, "options", {}};
}

OptionReference with_words(Option option, const CommandWords& own) {
  const auto is_long = [](const std::string& name) { return name.starts_with("--"); };
  const auto named = std::find_if(option.names.begin(), option.names.end(), is_long);
  const OptionWords words = find_words(own, named == option.names.end() ? option.names.front() : *named);
  const std::span<const GroupWords> groups = group_words();
  const auto group =
      std::find_if(groups.begin(), groups.end(), [&](const GroupWords& one) { return one.name == words.group; });
  assert(group != groups.end());
  const Phrase remark = option.is_left_to_world ? find_words(own, "FILE...").description : Phrase();
  return {std::move(option), words.description, remark, group->heading};
}

}  // namespace

const CommandWords& words_of(std::string_view name) {
  const std::span<const CommandWords> rows = command_words();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const CommandWords& one) { return one.name == name; });
  assert(row != rows.end());
  return *row;
}

const CommandWords& Subcommand::words() const { return words_of(name); }

CommandReference describe(const Subcommand& subcommand) {
  const CommandWords& words = subcommand.words();
  CommandReference command{std::string(subcommand.name), words.summary, words.description, {}, {}, words.examples};
  command.options.push_back(with_words({.names = {"-h", "--help"}, .into = WhenGiven{}}, words));
  for (Option& option : subcommand.invoke()->options()) {
    (option.is_positional() ? command.positionals : command.options).push_back(with_words(std::move(option), words));
  }
  sort_by_group(command.options);
  return command;
}

const OptionReference* find_option(const CommandReference& command, std::string_view name) {
  for (const OptionReference& option : command.options) {
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) return &option;
  }
  return nullptr;
}

std::string synopsis(const CommandReference& command) {
  std::string text = "soresolve " + command.name + " [OPTIONS]";
  for (const OptionReference& positional : command.positionals) {
    const std::string name = positional.names.front() + (positional.is_repeatable() ? "..." : "");
    const bool is_bare = positional.presence == Presence::Required || positional.is_repeatable();
    text += is_bare ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string described(const OptionReference& option) {
  return std::string(option.description.en).append(option.remark.en);
}

std::string spelled(const OptionReference& option) {
  std::string text = joined(option.names, ", ");
  return option.value.empty() ? text : text.append(" ").append(option.value);
}

}  // namespace soresolve::tool
