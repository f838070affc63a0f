// Names of strangers as words of a shell.
//
// What quotes alike in every shell is not much. Single quotes take all but themselves in sh (XCU 2.2.2), bash, dash and
// zsh; but in fish a backslash within them escapes a quote and a backslash. So these two stand outside, behind a
// backslash, which means the same in all of them: it's \o/ is 'it'\''s '\\'o/'. A control character, a character that
// is not seen (base/printable.h) and a byte that is no UTF-8 has no form that all of them know: it is written as
// POSIX.1-2024, bash, ksh and zsh have it, $'\xff', and alone in its quotes, so that no digit behind it is taken in (as
// GNU ls --quoting-style=shell-escape writes names). Not here: csh, PowerShell and cmd.
#include "soresolve/command_text.h"

#include <algorithm>

#include "base/printable.h"
#include "base/utf8.h"

namespace soresolve {
namespace {

/// Nothing to any of these shells, wherever it stands in a word; but for '=' at its start, which zsh expands.
constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+:@=,-";

/// Writes a word piece by piece: what needs the same quotes is within one pair of them.
class WordWriter {
 public:
  void add_plain(std::string_view text) {
    open("'");
    word_ += text;
  }
  void add_escaped(char c) {
    open("");
    word_ += '\\';
    word_ += c;
  }
  void add_hidden(std::string_view escapes) {
    open("$'");
    word_ += escapes;
  }
  std::string end() && {
    open("");
    return std::move(word_);
  }

 private:
  void open(std::string_view quote) {
    if (quote == quote_) return;
    if (!quote_.empty()) word_ += '\'';
    word_ += quote;
    quote_ = quote;
  }
  std::string word_;
  std::string_view quote_;
};

}  // namespace

CommandText shell_word(std::string_view word) {
  const bool is_plain = word.find_first_not_of(kPlain) == std::string_view::npos;
  if (is_plain && !word.empty() && !word.starts_with('=')) return CommandText::of(std::string(word));
  if (word.empty()) return "''";
  WordWriter writer;
  while (!word.empty()) {
    const std::string_view character = word.substr(0, std::max<std::size_t>(first_character(word).length, 1));
    const std::string shown = printable(character);
    if (shown != character)
      writer.add_hidden(shown);
    else if (character == "'" || character == "\\")
      writer.add_escaped(character.front());
    else
      writer.add_plain(character);
    word.remove_prefix(character.size());
  }
  return CommandText::of(std::move(writer).end());
}

CommandText shell_path(std::string_view path) {
  return path.starts_with('-') ? shell_word("./" + std::string(path)) : shell_word(path);
}

CommandText joined_commands(const std::vector<CommandText>& commands) {
  CommandText line;
  for (const CommandText& command : commands) line += (line.empty() ? CommandText() : " && ") + command;
  return line;
}

std::vector<std::string> texts_of(const std::vector<CommandText>& commands) {
  std::vector<std::string> texts;
  for (const CommandText& command : commands) texts.push_back(command.text());
  return texts;
}

CommandText CommandText::without_sudo() const {
  constexpr std::string_view kSudo = "sudo ";
  std::string text;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const bool is_start = i == 0 || text_[i - 1] == ' ';
    if (!is_quoted && is_start && std::string_view(text_).substr(i).starts_with(kSudo)) {
      i += kSudo.size() - 1;
      continue;
    }
    // A backslash before a quote stands outside of quotes, or within $'…'.
    if (text_[i] == '\'' && (i == 0 || text_[i - 1] != '\\')) is_quoted = !is_quoted;
    text += text_[i];
  }
  return of(std::move(text));
}

}  // namespace soresolve
