// A text cut at its separators (lines, entries of a list, words), and a list put together again.
//
// The rule of all cuts: a separator ends a piece, so the one at the end begins none: "a\nb\n" has two lines, "a:" one
// entry, and an empty text none. That is how the loader, ldconfig and libc read their lists and files. Pieces can be
// empty ("a::b" has three); words cannot. Views borrow from the text. Not here: quotes and escapes, which each format
// has in its own way.
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace soresolve {

/// What stands before and behind the first separator; without one all is before it.
struct CutText {
  std::string_view before;
  std::string_view behind;
};
constexpr CutText cut_at(std::string_view text, char separator) {
  const std::string_view before = text.substr(0, text.find(separator));
  return {before, text.substr(std::min(before.size() + 1, text.size()))};
}

/// The pieces of a text in order, for a range-based for.
class Pieces {
 public:
  class Iterator {
   public:
    explicit Iterator(std::string_view text, char separator) : rest_(text), separator_(separator) {}
    std::string_view operator*() const { return rest_.substr(0, rest_.find(separator_)); }
    Iterator& operator++() {
      rest_ = cut_at(rest_, separator_).behind;
      return *this;
    }
    friend bool operator==(const Iterator& at, std::default_sentinel_t) { return at.rest_.empty(); }

   private:
    std::string_view rest_;
    char separator_;
  };

  Pieces(std::string_view text, char separator) : text_(text), separator_(separator) {}
  [[nodiscard]] Iterator begin() const { return Iterator(text_, separator_); }
  [[nodiscard]] static std::default_sentinel_t end() { return {}; }

 private:
  std::string_view text_;
  char separator_;
};

inline Pieces pieces_in(std::string_view text, char separator) { return {text, separator}; }

/// The lines of a text, without their ends; a carriage return stays.
inline Pieces lines_in(std::string_view text) { return {text, '\n'}; }

/// Without what stands in `blanks` at both ends.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t") {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// What stands between blanks; none is empty.
template <class List = std::vector<std::string_view>>
List words_in(std::string_view text, std::string_view blanks = " \t") {
  List words;
  while (!(text = trimmed(text, blanks)).empty()) {
    words.emplace_back(text.substr(0, text.find_first_of(blanks)));
    text.remove_prefix(words.back().size());
  }
  return words;
}

/// "a, b, c": the texts of `list`, or what `text_of` makes of each, with `separator` between them.
template <class List, class TextOf = std::identity>
std::string joined(const List& list, std::string_view separator, TextOf text_of = {}) {
  std::string text;
  bool is_first = true;
  for (const auto& each : list) {
    if (!std::exchange(is_first, false)) text += separator;
    text += std::invoke(text_of, each);
  }
  return text;
}

}  // namespace soresolve
