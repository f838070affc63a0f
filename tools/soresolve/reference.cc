// Reads names, values and texts of options back from CLI11 objects, for --help, man pages and completions. The layouts
// are in help_text.cc, man_page.cc and completion.cc.
#include "reference.h"

#include <algorithm>

#include <CLI/CLI.hpp>

namespace soresolve::tool {
namespace {

/// CLI11 writes "MODE:{local,global}" or "N:UINT in [1 - 256]": the value's name, then the rule.
struct TypeText {
  std::string value;
  std::vector<std::string> choices;
};
TypeText parse_type(const std::string& text) {
  TypeText type;
  const std::size_t colon = text.find(':');
  type.value = text.substr(0, colon);
  const std::size_t open = text.find('{');
  const std::size_t close = text.rfind('}');
  if (colon == std::string::npos || open == std::string::npos || close == std::string::npos) return type;
  for (std::string& choice : CLI::detail::split(text.substr(open + 1, close - open - 1), ',')) {
    type.choices.push_back(std::move(choice));
  }
  return type;
}

OptionReference describe(const CLI::Option& option) {
  OptionReference reference;
  if (option.nonpositional()) {
    for (const std::string& name : option.get_snames()) reference.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) reference.names.push_back("--" + name);
  } else {
    reference.names.push_back(option.get_name(true));
  }
  if (option.get_items_expected_max() > 0) {
    TypeText type = parse_type(option.get_type_name());
    reference.value = std::move(type.value);
    reference.choices = std::move(type.choices);
  }
  reference.description = option.get_description();
  reference.group = option.get_group();
  reference.is_required = option.get_required();
  reference.is_repeatable = option.get_items_expected_max() > 1;
  return reference;
}

}  // namespace

/// Kept in the footer, a line each; describe() reads them there.
void add_examples(CLI::App& app, const std::vector<Example>& examples) {
  std::string lines;
  for (const Example& example : examples) lines += example.command + '\t' + example.about + '\n';
  app.footer(lines);
}

CommandReference describe(const CLI::App& app) {
  CommandReference command;
  command.name = app.get_name();
  command.description = app.get_description();
  const std::vector<const CLI::Option*> options = app.get_options();
  for (const std::string& group : app.get_groups()) {
    for (const CLI::Option* option : options) {
      if (option->get_group() != group) continue;
      (option->nonpositional() ? command.options : command.positionals).push_back(describe(*option));
    }
  }
  for (const std::string& line : CLI::detail::split(app.get_footer(), '\n')) {
    const std::size_t tab = line.find('\t');
    if (tab != std::string::npos) command.examples.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  return command;
}

CommandReference describe(const Subcommand& subcommand) {
  std::string name(subcommand.name);
  std::string word(kDescribe);
  char* words[] = {name.data(), word.data(), nullptr};
  try {
    subcommand.run(2, words);
  } catch (Description& description) {
    description.reference.summary = subcommand.summary;
    return std::move(description.reference);
  }
  return {name, std::string(subcommand.summary), {}, {}, {}, {}};
}

std::string synopsis(const CommandReference& command) {
  std::string text = "soresolve " + command.name + " [OPTIONS]";
  for (const OptionReference& positional : command.positionals) {
    const std::string name = positional.names.front() + (positional.is_repeatable ? "..." : "");
    text += positional.is_required || positional.is_repeatable ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string spelled(const OptionReference& option) {
  std::string text;
  for (const std::string& name : option.names) text += (text.empty() ? "" : ", ") + name;
  return option.value.empty() ? text : text + " " + option.value;
}

}  // namespace soresolve::tool
