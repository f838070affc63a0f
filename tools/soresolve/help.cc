// soresolve help: the usage, a subcommand's options, what a code of a problem means; man pages and
// scripts of completion, made from the options that the subcommands parse.
#include "help.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "reference.h"
#include "report/paint.h"
#include "soresolve/problem_words.h"
#include "soresolve/report_explain.h"
#include "spelling.h"

namespace soresolve::tool {
namespace {

const Subcommand* find_subcommand(const Manual& manual, std::string_view name) {
  const auto found = std::find_if(manual.subcommands.begin(), manual.subcommands.end(),
                                  [&](const Subcommand& subcommand) { return subcommand.name == name; });
  return found == manual.subcommands.end() ? nullptr : &*found;
}

std::vector<CommandReference> describe_all(const Manual& manual) {
  std::vector<CommandReference> commands;
  for (const Subcommand& subcommand : manual.subcommands) commands.push_back(describe(subcommand));
  return commands;
}

std::vector<std::string> problem_codes() {
  std::vector<std::string> codes;
  for (const ProblemWords& words : all_problem_words()) codes.emplace_back(code_of(words.code));
  return codes;
}

std::vector<std::string> topics(const Manual& manual) {
  std::vector<std::string> names = problem_codes();
  names.emplace_back("codes");
  for (const Subcommand& subcommand : manual.subcommands) names.emplace_back(subcommand.name);
  return names;
}

/// --man NAME
Exit write_man_page(const Manual& manual, const std::string& name) {
  if (name == "soresolve") {
    write_out(man_page(describe_all(manual)));
    return Exit::Good;
  }
  const Subcommand* subcommand = find_subcommand(manual, name);
  if (subcommand == nullptr) {
    write_error("soresolve help: there is no subcommand '" + printable(name) + "'\n");
    return Exit::Usage;
  }
  write_out(man_page(describe(*subcommand)));
  return Exit::Good;
}

}  // namespace

Exit run_help(int argc, char** argv, const Manual& manual) {
  WorldOptions options;
  std::string topic, page, shell;
  CLI::App app(
      "Without TOPIC the usage; with a subcommand its options; with the code of a finding, such as "
      "missing-library, what it means; with 'codes' the list of them.",
      "help");
  app.add_option("TOPIC", topic, "a subcommand, a code of a finding, or 'codes'");
  app.add_option("--man", page, "print the man page of a subcommand, or of soresolve")->type_name("NAME");
  app.add_option("--completion", shell, "print a script that completes command lines")
      ->type_name("SHELL")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  add_language_option(app, options.language);
  add_colour_option(app, options.colour);
  add_examples(app, {
                        {"soresolve help missing-library", "What does this code of a finding mean?"},
                        {"soresolve help --man why | man -l -", "The man page, where none is installed."},
                        {"source <(soresolve help --completion bash)", "Completion in this shell."},
                    });
  if (const auto exit = parse_arguments(app, argc, argv)) return *exit;

  if (!page.empty()) return write_man_page(manual, page);
  if (!shell.empty()) {
    write_out(completion(shell, describe_all(manual), problem_codes()));
    return Exit::Good;
  }
  const Language language = language_of(options.language);
  const Colour colour = wants_colour(options) ? Colour::Always : Colour::Never;
  if (topic.empty()) {
    write_out(manual.usage);
  } else if (const Subcommand* subcommand = find_subcommand(manual, topic)) {
    write_out(help_text(describe(*subcommand), text_width()));
  } else if (topic == "codes") {
    write_out(problem_list_text(language, colour));
  } else if (const ProblemWords* words = find_problem_words(topic)) {
    write_out(problem_help_text(*words, language, colour, text_width()));
  } else {
    write_error("soresolve help: there is no subcommand and no finding of the name '" + printable(topic) + "'" +
                did_you_mean(topic, topics(manual)) + "\nsoresolve help codes lists the findings\n");
    return Exit::Usage;
  }
  return Exit::Good;
}

}  // namespace soresolve::tool
