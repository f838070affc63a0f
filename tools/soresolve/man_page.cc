// Man pages in the macros of man(7), checked by mandoc -Tlint.
#include <algorithm>
#include <cctype>

#include "base/pieces.h"
#include "reference.h"

namespace soresolve::tool {
namespace {

/// Text for roff: marks that it would set as others stay what they are.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\\': result += "\\e"; break;
      case '-': result += "\\-"; break;
      case '`': result += "\\(ga"; break;
      case '\'': result += "\\(aq"; break;
      case '^': result += "\\(ha"; break;
      case '~': result += "\\(ti"; break;
      default: result += c;
    }
  }
  return result;
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

/// Prose as roff wants it, a sentence per line. A line that begins with a dot would be a request.
std::string prose(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(". "), text.size());
    const std::string_view sentence = text.substr(0, end);
    if (sentence.starts_with('.')) result += "\\&";
    result += escaped(sentence) + (end == text.size() ? "\n" : ".\n");
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return result;
}

std::string head(const std::string& name, std::string_view summary) {
  return ".\\\" Made by: soresolve help --man\n.TH " + upper(name) +
         " 1 " SORESOLVE_DATE " \"soresolve " SORESOLVE_VERSION "\" \"User Commands\"\n.SH NAME\n" + escaped(name) +
         " \\- " + escaped(summary) + "\n";
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string entry(const OptionReference& option) {
  std::string names = joined(option.names, ", ", bold);
  if (!option.value.empty()) names += " " + italic(option.value);
  return ".TP\n" + names + "\n" + prose(described(option));
}

/// Of one subcommand; of all for an empty name.
std::string exit_status(std::string_view command) {
  std::string text =
      ".SH EXIT STATUS\n"
      ".TP\n0\nThe answer is good.\n"
      ".TP\n1\nA problem was found.\n"
      ".TP\n2\nThe question could not be asked: usage, unreadable or malformed input.\n"
      ".TP\n3\nsoresolve itself failed, or its answer could not be written.\n";
  if (command == "confirm") text += ".TP\n4\nThere is nothing to confirm on: no driver or no GPU.\n";
  if (command.empty()) text += ".TP\n4\nOnly confirm: there is no driver or no GPU to confirm on.\n";
  return text;
}

}  // namespace

std::string man_page(const CommandReference& command) {
  std::string text = head("soresolve-" + command.name, command.summary.en);
  text += ".SH SYNOPSIS\n" + bold("soresolve " + command.name) + " [" + italic("OPTIONS") + "]";
  for (const OptionReference& positional : command.positionals) {
    const bool is_optional = positional.presence == Presence::Optional && !positional.is_repeatable();
    text += is_optional ? " [" : " ";
    text += italic(positional.names.front());
    text += is_optional ? "]" : positional.is_repeatable() ? "..." : "";
  }
  text += "\n.SH DESCRIPTION\n" + prose(command.description.en) + ".SH OPTIONS\n";
  for (const OptionReference& positional : command.positionals) {
    text += ".TP\n" + italic(positional.names.front()) + "\n" + prose(described(positional));
  }
  std::string_view group = command.options.front().group.en;
  for (const OptionReference& option : command.options) {
    if (option.group.en != group) text += ".SS " + escaped(option.group.en) + "\n";
    group = option.group.en;
    text += entry(option);
  }
  if (!command.examples.empty()) text += ".SH EXAMPLES\n";
  for (const Example& example : command.examples) {
    text += ".TP\n" + bold(example.command) + "\n" + prose(example.about.en);
  }
  return text + exit_status(command.name) + ".SH SEE ALSO\n.BR soresolve (1),\n.BR ld.so (8)\n";
}

std::string man_page(std::span<const CommandReference> commands) {
  std::string text = head("soresolve", "explain what the dynamic linker will do with a file");
  text += ".SH SYNOPSIS\n" + bold("soresolve") + " " + italic("SUBCOMMAND") + " [" + italic("OPTIONS") + "] " +
          italic("FILE") + "...\n.SH DESCRIPTION\n";
  text += prose(
      "Explains what the dynamic linker (ld.so) will do with an ELF file on this machine, without running it: "
      "what "
      "is loaded from where, why a library is not found, which versions and symbols are missing, "
      "and "
      "what would help. Each subcommand has a page of its own.");
  text += ".SH SUBCOMMANDS\n";
  for (const CommandReference& command : commands) {
    text += ".TP\n.BR soresolve\\-" + escaped(command.name) + " (1)\n" + prose(command.summary.en);
  }
  text +=
      ".SH ENVIRONMENT\n"
      ".TP\n.B LD_LIBRARY_PATH\\fR, \\fBLD_PRELOAD\\fR and the other variables of ld.so\n"
      "Count as they would for the program that is asked about, unless options replace them.\n"
      ".TP\n.B NO_COLOR\nNo colour, unless \\fB\\-\\-color always\\fR is given.\n"
      ".TP\n.B FORCE_COLOR\nColour also where standard output is not a terminal; 0: no colour. NO_COLOR comes first.\n"
      ".TP\n.B SORESOLVE_LOG\nLines on standard error about how the answer came about: info (what it stands on, as "
      "with \\fB\\-v\\fR), debug (also each library and where it was found), trace (also each attempt, as with "
      "\\fB\\-\\-trace\\fR, which comes first), warning (only what was left aside), off (none, not even with "
      "\\fB\\-v\\fR).\n"
      ".TP\n.B COLUMNS\nThe width of lines on a terminal, and of prose (at most 100); by default the terminal's.\n";
  return text + exit_status({}) + ".SH SEE ALSO\n.BR ld.so (8),\n.BR ldd (1),\n.BR ldconfig (8)\n";
}

}  // namespace soresolve::tool
