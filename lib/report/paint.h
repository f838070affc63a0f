// Colour for text that people read, and the few names that each report writes alike.
#pragma once
#include <concepts>
#include <string>
#include <string_view>

#include "base/printable.h"
#include "base/text.h"
#include "soresolve/report.h"

namespace soresolve {

/// Wraps text in terminal colours, or leaves it alone.
class Paint {
 public:
  explicit Paint(Colour colour) : is_on_(colour == Colour::Always) {}
  [[nodiscard]] std::string bad(std::string_view text) const { return wrap("31", text); }
  [[nodiscard]] std::string good(std::string_view text) const { return wrap("32", text); }
  [[nodiscard]] std::string warn(std::string_view text) const { return wrap("33", text); }
  [[nodiscard]] std::string strong(std::string_view text) const { return wrap("1", text); }
  [[nodiscard]] std::string dim(std::string_view text) const { return wrap("2", text); }
  [[nodiscard]] std::string name(std::string_view text) const { return wrap("36", text); }

  /// The same of a Text; a literal is painted as above.
  template <std::same_as<Text> T>
  [[nodiscard]] Text bad(const T& text) const {
    return wrap("31", text);
  }
  template <std::same_as<Text> T>
  [[nodiscard]] Text good(const T& text) const {
    return wrap("32", text);
  }
  template <std::same_as<Text> T>
  [[nodiscard]] Text warn(const T& text) const {
    return wrap("33", text);
  }
  template <std::same_as<Text> T>
  [[nodiscard]] Text strong(const T& text) const {
    return wrap("1", text);
  }
  template <std::same_as<Text> T>
  [[nodiscard]] Text dim(const T& text) const {
    return wrap("2", text);
  }
  template <std::same_as<Text> T>
  [[nodiscard]] Text name(const T& text) const {
    return wrap("36", text);
  }

 private:
  [[nodiscard]] std::string wrap(std::string_view code, std::string_view text) const {
    if (!is_on_ || text.empty()) return std::string(text);
    return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
  }
  [[nodiscard]] Text wrap(std::string_view code, const Text& text) const {
    return Text::trusted(wrap(code, std::string_view(text.str())));
  }
  bool is_on_;
};

/// "  HEAD        CONTENT\n": a line of a proof, its head in a column of its own.
std::string proof_line(std::string_view head, std::string_view content);
inline Text proof_line(const Text& head, const Text& content) {
  return Text::trusted(proof_line(std::string_view(head.str()), std::string_view(content.str())));
}

/// The same, for people: "RUNPATH of _C.so", "LD_LIBRARY_PATH", "ld.so.cache".
std::string describe_step(const LinkMap& map, SearchStep step, ObjectIndex owner,
                          Language language = Language::English);

/// The object's path, or the program's name.
std::string display_name(const LinkMap& map, ObjectIndex object, Language language = Language::English);

/// In the reader's language, harmless to a terminal.
std::string said(const Statement& statement, Language language);
Text said_text(const Statement& statement, Language language);

}  // namespace soresolve
