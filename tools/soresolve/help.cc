// soresolve help: the usage, or what a code of a finding means.
#include <CLI/CLI.hpp>

#include "command.h"
#include "soresolve/report_explain.h"

namespace soresolve::tool {

Exit run_help(int argc, char** argv, const std::string& usage) {
  std::string code;
  std::string language_option;
  CLI::App app("Without CODE the usage; with the code of a finding, such as missing-library, what it "
               "means; with 'codes' the list of them.",
               "help");
  app.add_option("CODE", code, "a code of a finding, or 'codes'");
  add_language_option(app, language_option);
  if (const auto exit = parse_arguments(app, argc, argv)) return *exit;

  const Language language = language_of(language_option);
  const Colour colour = wants_colour({}) ? Colour::Always : Colour::Never;
  if (code.empty()) {
    write_out(usage);
  } else if (code == "codes") {
    write_out(finding_list_text(language, colour));
  } else if (const FindingWords* words = find_finding_words(code)) {
    write_out(finding_help_text(*words, language, colour));
  } else {
    write_error("soresolve help: there is no finding of the code '" + code +
                "'; soresolve help codes lists them\n");
    return Exit::Usage;
  }
  return Exit::Good;
}

}  // namespace soresolve::tool
