// Scripts that complete a command line of soresolve, for bash, zsh and fish.
//
// What a value can be is told by its name in the reference: DIR, FILE (and CONSUMER, a file), LIB
// (a library that FILE asks for, as `soresolve ldd` lists them), or one of its choices. All else is
// free.
#include <algorithm>

#include "base/pieces.h"
#include "reference.h"

namespace soresolve::tool {
namespace {

enum class ValueKind : std::uint8_t { None, Directory, File, Library, Choice, Free };

ValueKind value_kind_of(const OptionReference& option) {
  if (option.value.empty()) return ValueKind::None;
  if (!option.choices.empty()) return ValueKind::Choice;
  if (option.value == "DIR") return ValueKind::Directory;
  if (option.value == "PLACE") return ValueKind::File;
  if (option.value == "FILE" || option.value == "CONSUMER" || option.value == "ROOT") return ValueKind::File;
  return option.value == "LIB" ? ValueKind::Library : ValueKind::Free;
}

std::string names_of(std::span<const CommandReference> commands) {
  return joined(commands, " ", &CommandReference::name);
}

/// Two words of positionals, of which the second can be a library of the first: why FILE SONAME.
bool asks_for_soname(const CommandReference& command) { return command.name == "why"; }
/// Its positional is a command or the code of a problem.
bool asks_for_topic(const CommandReference& command) { return command.name == "help"; }
/// Its positionals are files; those of explain are words.
bool asks_for_files(const CommandReference& command) {
  return command.name != "explain" && !asks_for_topic(command) && !command.positionals.empty();
}

// ---- bash

constexpr std::string_view kBashHead =
    R"(# bash completion for soresolve. Made by: soresolve help --completion bash

_soresolve_reply() { mapfile -t COMPREPLY < <(compgen "$@" -- "$current"); }

# The libraries that the files of this command line ask for.
_soresolve_libraries() {
  soresolve --libraries-of "$command" "${words[@]}" 2>/dev/null | sed -n 's/^\t\([^ \/]*\) => .*/\1/p'
}

# Collects what stands before the word: bash has cut --root=DIR in three.
_soresolve_words_before() {
  local i word
  for ((i = 2; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ $word == = || ${COMP_WORDS[i - 1]} == = ]]; then
      words[-1]+=$word
      continue
    fi
    words+=("$word")
    [[ $word == -* || $valued == *" ${COMP_WORDS[i - 1]} "* ]] || ((++files))
  done
}

_soresolve() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command=${COMP_WORDS[1]} options= valued= files=0
  local -a words=()
  COMPREPLY=()
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
)";

std::string bash_value(const OptionReference& option) {
  switch (value_kind_of(option)) {
    case ValueKind::Directory: return "compopt -o filenames 2>/dev/null; _soresolve_reply -d";
    case ValueKind::File: return "compopt -o filenames 2>/dev/null; _soresolve_reply -f";
    case ValueKind::Library: return "_soresolve_reply -W \"$(_soresolve_libraries)\"";
    case ValueKind::Choice: return "_soresolve_reply -W '" + joined(option.choices, " ") + "'";
    case ValueKind::Free:
    case ValueKind::None: break;
  }
  return ":";
}

/// What a command takes: its options, and those of them that a value follows.
std::string bash_options(const CommandReference& command) {
  std::string options, valued;
  for (const OptionReference& option : command.options) {
    options += (options.empty() ? "" : " ") + joined(option.names, " ");
    if (value_kind_of(option) != ValueKind::None) valued += " " + joined(option.names, " ");
  }
  return "    " + command.name + ")\n      options='" + options + "'\n      valued='" + valued + " ' ;;\n";
}

std::string bash_values(const CommandReference& command) {
  std::string text;
  for (const OptionReference& option : command.options) {
    if (value_kind_of(option) == ValueKind::None) continue;
    const std::string pattern =
        joined(option.names, "|", [&](const std::string& name) { return "'" + command.name + " " + name + "'"; });
    text += "    " + pattern + ") " + bash_value(option) + "; return ;;\n";
  }
  return text;
}

/// What stands for itself, not for the option before it.
std::string bash_positional(const CommandReference& command, std::span<const CommandReference> commands,
                            std::span<const std::string> codes) {
  if (asks_for_soname(command)) {
    return "    " + command.name +
           ")\n      if ((files == 1)) && [[ $current != */* ]]; then\n"
           "        _soresolve_reply -W \"$(_soresolve_libraries)\"\n"
           "        ((${#COMPREPLY[@]})) && return\n"
           "      fi ;;\n";
  }
  if (asks_for_topic(command)) {
    return "    " + command.name + ") _soresolve_reply -W '" + names_of(commands) + " codes " + joined(codes, " ") +
           "'; return ;;\n";
  }
  return asks_for_files(command) ? std::string() : "    " + command.name + ") return ;;\n";
}

std::string bash(std::span<const CommandReference> commands, std::span<const std::string> codes) {
  std::string text(kBashHead);
  text += "  if ((COMP_CWORD == 1)); then\n    _soresolve_reply -W '" + names_of(commands) +
          " --help --version'\n    return\n  fi\n  case $command in\n";
  for (const CommandReference& command : commands) text += bash_options(command);
  text += "  esac\n  _soresolve_words_before\n  case \"$command $previous\" in\n";
  for (const CommandReference& command : commands) text += bash_values(command);
  text +=
      "  esac\n"
      "  if [[ $current == -* ]]; then\n"
      "    _soresolve_reply -W \"$options\"\n"
      "    return\n"
      "  fi\n"
      "  case $command in\n";
  for (const CommandReference& command : commands) text += bash_positional(command, commands, codes);
  text +=
      "  esac\n"
      "  compopt -o filenames 2>/dev/null\n"
      "  _soresolve_reply -f\n"
      "}\n\n"
      "complete -F _soresolve soresolve\n";
  return text;
}

// ---- zsh

/// Text inside single quotes, in a description in brackets.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'')
      result += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      result += std::string("\\") + c;
    else
      result += c;
  }
  return result;
}

std::string zsh_action(const OptionReference& option) {
  const std::string value = ":" + std::string(option.value) + ":";
  switch (value_kind_of(option)) {
    case ValueKind::None: return {};
    case ValueKind::Directory: return value + "_directories";
    case ValueKind::File: return value + "_files";
    case ValueKind::Library: return value + "_soresolve_libraries";
    case ValueKind::Choice: return value + "(" + joined(option.choices, " ") + ")";
    case ValueKind::Free: return value;
  }
  return {};
}

std::string zsh_function(const CommandReference& command, std::span<const CommandReference> commands,
                         std::span<const std::string> codes) {
  std::string text = "_soresolve_" + command.name + "() {\n  _arguments -s \\\n";
  for (const OptionReference& option : command.options) {
    for (const std::string& name : option.names) {
      text += "    '" + std::string(option.is_repeatable() ? "*" : "") + name + "[" + zsh_text(described(option)) +
              "]" + zsh_action(option) + "' \\\n";
    }
  }
  if (asks_for_topic(command)) {
    text += "    '*:topic:(" + names_of(commands) + " codes " + joined(codes, " ") + ")'\n";
  } else if (asks_for_soname(command)) {
    text += "    '1:file:_files' '*:library:_soresolve_files_or_libraries'\n";
  } else if (asks_for_files(command)) {
    text += "    '*:file:_files'\n";
  } else {
    text += "    '*:word:'\n";
  }
  return text + "}\n\n";
}

std::string zsh(std::span<const CommandReference> commands, std::span<const std::string> codes) {
  std::string text =
      "#compdef soresolve\n# Made by: soresolve help --completion zsh\n\n"
      "_soresolve_libraries() {\n"
      "  local -a libraries\n"
      "  libraries=(${(f)\"$(soresolve --libraries-of ${words[1,CURRENT-1]} 2>/dev/null |\n"
      "    sed -n 's/^\\t\\([^ \\/]*\\) => .*/\\1/p')\"})\n"
      "  compadd -a libraries\n"
      "}\n\n"
      "_soresolve_files_or_libraries() { _soresolve_libraries || _files }\n\n";
  for (const CommandReference& command : commands) text += zsh_function(command, commands, codes);
  text += "_soresolve() {\n  local -a commands\n  commands=(\n";
  for (const CommandReference& command : commands) {
    text += "    '" + command.name + ":" + zsh_text(command.summary.en) + "'\n";
  }
  text +=
      "  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe subcommand commands\n"
      "    return\n"
      "  fi\n"
      "  shift words\n"
      "  ((--CURRENT))\n"
      "  (($+functions[_soresolve_$words[1]])) && _soresolve_$words[1]\n"
      "}\n\n"
      "_soresolve \"$@\"\n";
  return text;
}

// ---- fish

std::string fish_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string fish_value(const OptionReference& option) {
  switch (value_kind_of(option)) {
    case ValueKind::None: return {};
    case ValueKind::Directory: return " -x -a '(__fish_complete_directories)'";
    case ValueKind::File: return " -r -F";
    case ValueKind::Library: return " -x -a '(__soresolve_libraries)'";
    case ValueKind::Choice: return " -x -a '" + joined(option.choices, " ") + "'";
    case ValueKind::Free: return " -x";
  }
  return {};
}

std::string fish(std::span<const CommandReference> commands, std::span<const std::string> codes) {
  std::string text =
      "# fish completion for soresolve. Made by: soresolve help --completion fish\n\n"
      "function __soresolve_libraries\n"
      "    soresolve --libraries-of (commandline -opc)[2..-1] 2>/dev/null | string replace -rf "
      "'^\\t([^ /]+) => .*' '$1'\n"
      "end\n\n";
  for (const CommandReference& command : commands) {
    text += "complete -c soresolve -f -n __fish_use_subcommand -a " + command.name + " -d '" +
            fish_text(command.summary.en) + "'\n";
  }
  for (const CommandReference& command : commands) {
    const std::string start = "complete -c soresolve -n '__fish_seen_subcommand_from " + command.name + "'";
    if (asks_for_soname(command)) text += start + " -a '(__soresolve_libraries)'\n";
    if (!asks_for_files(command)) text += start + " -f\n";
    if (asks_for_topic(command)) text += start + " -a '" + names_of(commands) + " codes " + joined(codes, " ") + "'\n";
    for (const OptionReference& option : command.options) {
      text += start;
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      text += fish_value(option) + " -d '" + fish_text(described(option)) + "'\n";
    }
  }
  return text;
}

}  // namespace

std::vector<std::string> words_in_common(const Subcommand& asked_command, const Subcommand& other_command,
                                         std::span<char* const> words) {
  const CommandReference asked = describe(asked_command);
  const CommandReference other = describe(other_command);
  std::vector<std::string> common;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const std::string_view name = word.substr(0, word.find('='));
    const bool is_common = !word.starts_with('-') || find_option(other, name) != nullptr;
    if (is_common) common.emplace_back(word);
    const OptionReference* option = find_option(asked, name);
    const bool is_value_next = option != nullptr && !option->value.empty() && name == word;
    if (is_value_next && ++i < words.size() && is_common) common.emplace_back(words[i]);
  }
  return common;
}

std::string completion(std::string_view shell, std::span<const CommandReference> commands,
                       std::span<const std::string> codes) {
  if (shell == "bash") return bash(commands, codes);
  return shell == "zsh" ? zsh(commands, codes) : fish(commands, codes);
}

}  // namespace soresolve::tool
