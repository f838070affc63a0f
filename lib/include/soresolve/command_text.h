// Something that is printed to be typed.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "soresolve/api.h"

namespace soresolve SORESOLVE_API {

struct Recognised;

/// A command for a shell: our own text, and words of others, which are quoted when they come in (shell_word,
/// shell_path). It is made of nothing else, so that no name of a stranger's file is ever typed as it is. It is on one
/// line, and what it has is shown as it is: there are no control characters in it, and no bytes that are no UTF-8.
class CommandText {
 public:
  CommandText() = default;
  /// A literal of the source.
  template <std::size_t N>
  CommandText(const char (&literal)[N]) : text_(literal) {}
  template <std::size_t N>
  CommandText(char (&buffer)[N]) = delete;

  CommandText& operator+=(const CommandText& more) {
    text_ += more.text_;
    return *this;
  }
  friend CommandText operator+(CommandText first, const CommandText& second) {
    first += second;
    return first;
  }
  bool operator==(const CommandText&) const = default;

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  /// As the superuser of a container or a chroot types it, where sudo(8) is rarely there.
  [[nodiscard]] CommandText without_sudo() const;

 private:
  friend CommandText shell_word(std::string_view word);
  friend CommandText filled_command(std::string_view command, const Recognised& message);
  static CommandText of(std::string text) {
    CommandText command;
    command.text_ = std::move(text);
    return command;
  }
  std::string text_;
};

/// `word` so that bash, dash, zsh and fish take it as one word that means itself. With control characters, characters
/// that are not seen and bytes that are no UTF-8 it is a word of bash, zsh and ksh only ($'\\xff'): dash before 0.5.13
/// takes it for another name, fish refuses it.
CommandText shell_word(std::string_view word);
/// The path of a file, so that it is not taken for an option either: "./-x" for "-x".
CommandText shell_path(std::string_view path);
/// "A && B".
CommandText joined_commands(const std::vector<CommandText>& commands);
/// As they are typed.
std::vector<std::string> texts_of(const std::vector<CommandText>& commands);

}  // namespace SORESOLVE_API
