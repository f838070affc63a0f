// soresolve help: the usage, a subcommand's options, what a code of a problem means; man pages and
// scripts of completion, made from the options that the subcommands parse.
#include "base/text.h"
#include "catalogue/problem_rows.h"
#include "reference.h"
#include "report/explain_report.h"
#include "soresolve/catalogue.h"
#include "soresolve/report.h"
#include "spelling.h"
#include "subcommand.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

std::vector<CommandReference> describe_all() {
  std::vector<CommandReference> commands;
  for (const Subcommand* subcommand : all_subcommands()) commands.push_back(describe(*subcommand));
  return commands;
}

std::vector<std::string> problem_codes() {
  std::vector<std::string> codes;
  for (const ProblemRow& row : problem_rows()) codes.emplace_back(code_of(row.code));
  return codes;
}

std::vector<std::string> topics() {
  std::vector<std::string> names = problem_codes();
  names.emplace_back("codes");
  for (const Subcommand* subcommand : all_subcommands()) names.emplace_back(subcommand->name);
  return names;
}

/// "soresolve-why", as the man page of `why` is called.
const Subcommand* find_by_page(std::string_view name) {
  constexpr std::string_view kCommand = "soresolve-";
  return find_subcommand(name.starts_with(kCommand) ? name.substr(kCommand.size()) : name);
}

/// --man NAME
Exit write_man_page(const std::string& name) {
  if (name == "soresolve") {
    write_out(Text::escaped_lines(man_page(describe_all())));
    return Exit::Good;
  }
  const Subcommand* subcommand = find_by_page(name);
  if (subcommand == nullptr) {
    write_error("soresolve help: there is no subcommand '" + Text::escaped(name) + "'\n");
    return Exit::Usage;
  }
  write_out(Text::escaped_lines(man_page(describe(*subcommand))));
  return Exit::Good;
}

class HelpInvocation final : public Invocation {
 public:
  OptionList options() override;
  Exit run() override;

 private:
  [[nodiscard]] Exit answer_topic() const;

  WorldOptions options_;
  std::string topic_;
  std::string page_;
  std::string shell_;
};

OptionList HelpInvocation::options() {
  return {
      {.names = {"TOPIC"}, .into = &topic_},
      {.names = {"--man"}, .value = "NAME", .into = &page_},
      {.names = {"--completion"}, .value = "SHELL", .into = &shell_, .choices = {"bash", "zsh", "fish"}},
      language_option(options_.language),
      colour_option(options_.colour),
  };
}

Exit HelpInvocation::run() {
  if (!page_.empty()) return write_man_page(page_);
  if (!shell_.empty()) {
    write_out(Text::escaped_lines(completion(shell_, describe_all(), problem_codes())));
    return Exit::Good;
  }
  if (topic_.empty()) {
    write_page(usage_page(), options_);
    return Exit::Good;
  }
  return answer_topic();
}

Exit HelpInvocation::answer_topic() const {
  if (const Subcommand* subcommand = find_by_page(topic_)) {
    write_page(help_page(describe(*subcommand)), options_);
  } else if (topic_ == "codes") {
    write_page(problem_list_page(), options_);
  } else if (const ProblemRow* row = find_problem_row(topic_)) {
    write_page(problem_help_page(*row), options_);
  } else {
    write_error("soresolve help: there is neither a subcommand nor a problem with the name '" + Text::escaped(topic_) +
                "'" + Text::escaped(did_you_mean(topic_, topics())) + "\nsoresolve help codes lists the problems\n");
    return Exit::Usage;
  }
  return Exit::Good;
}

}  // namespace

const Subcommand kHelp = {"help", invoke<HelpInvocation>};

}  // namespace soresolve::tool
