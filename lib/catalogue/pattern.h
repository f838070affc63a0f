// The pattern of a known error text: literal fragments with captures between them.
//
//   "{library=libcudart.so.*}: cannot open shared object file"
//
// {name} captures on one line, never nothing, at most kMaxCapture bytes: up to the literal that
// follows, or, at the end, one word. Captures of file names may have spaces inside; others only when
// they are called `text`. {name=GLOB|GLOB} holds only if what is captured fits one of the globs (`*`
// is the only special character). At the start it is the field before the literal, as ld.so writes
// them: "PROGRAM: OBJECT: TEXT"; it may be empty there unless it has a glob or the literal begins
// with a colon, a comma or a space; where the colon of a message was left out, it is the library that stands there.
// A literal's ' stands for any quotation mark, or for none unless the capture beside it is called `text`; a space
// stands for any number, and around colons spaces may be there or not. A pattern that begins or ends in a letter, digit
// or underscore holds only if the word ends there as well.
//
// No regular expressions: std::regex recurses on its input, and these patterns need no more.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace soresolve {

struct PatternCapture {
  std::string_view name;  ///< borrows from the pattern
  std::string_view text;  ///< borrows from the line
};

struct PatternMatch {
  std::size_t begin = 0;  ///< including what is captured at the start
  std::size_t end = 0;
  std::vector<PatternCapture> captures;
};

/// What patterns have found out of one line, so that a line of nothing but beginnings of messages is not searched
/// through from each of them. Borrows from the line and the patterns.
class LineMemory {
 private:
  friend class Pattern;
  /// A stretch of the line where something is not.
  struct Searched {
    std::size_t begin = 0;
    std::size_t end = 0;
    /// The first place of [at, stop) where `is_there`; `stop` or beyond: there is none.
    template <typename IsThere>
    std::size_t first(std::size_t at, std::size_t stop, const IsThere& is_there) {
      if (at < begin || at > end) begin = end = at;
      while (end < stop && !is_there(end)) ++end;
      return end;
    }
  };
  /// The word at a place, for one kind of capture.
  struct Word {
    std::size_t begin = std::string_view::npos;
    bool of_file = false;
    std::string_view text;
  };
  /// The field before a place; as Pattern::leading_field() takes it.
  struct Field {
    std::size_t end = std::string_view::npos;
    bool is_behind_field = false;
    std::string_view text;
  };
  std::unordered_map<const void*, Searched> searched_;  ///< for the literal of a pattern's piece
  Searched space_;                                      ///< for spaces
  Word word_;                                           ///< that was asked for last
  Field field_;                                         ///< that was asked for last
};

class Pattern {
 public:
  static constexpr std::size_t kMaxCapture = 1024;  ///< bytes
  /// No match begins further before its anchor, or ends further behind the start of it.
  static constexpr std::size_t kMaxReach = 8 * kMaxCapture;

  /// Borrows from `text`.
  explicit Pattern(std::string_view text);

  /// The first literal: where it is not, the pattern does not hold. At least 4 bytes long, its first
  /// 4 free of quotation marks.
  [[nodiscard]] std::string_view anchor() const { return pieces_.front().literal; }
  /// Do its quotation marks have to be there?
  [[nodiscard]] bool anchor_needs_quotes() const { return pieces_.front().quotes == Quotes::Required; }

  /// Bytes that the anchor takes at the start of `text`; nullopt: it is not there.
  [[nodiscard]] std::optional<std::size_t> anchor_length(std::string_view text) const {
    return match_literal(text, pieces_.front());
  }
  /// Does it hold where its anchor takes `length` bytes at `place` of `line`? `memory` is of this line.
  [[nodiscard]] std::optional<PatternMatch> match(std::string_view line, std::size_t place, std::size_t length,
                                                  LineMemory& memory) const;

 private:
  struct Capture {
    std::string_view name;
    std::string_view globs;
    bool of_file = false;  ///< what it takes may have spaces and letters beyond ASCII
  };
  enum class Quotes : std::uint8_t { Required, Optional };
  struct Piece {
    std::string_view literal;
    Quotes quotes = Quotes::Required;
    std::optional<Capture> capture;  ///< behind the literal
  };
  /// Bytes of `text` that the literal takes at its start; nullopt if it is not there.
  static std::optional<std::size_t> match_literal(std::string_view text, const Piece& piece);
  /// What the capture at the start takes, maybe nothing; nullopt if the pattern does not hold there.
  [[nodiscard]] std::optional<std::string_view> leading_field(std::string_view line, std::size_t place,
                                                              LineMemory& memory) const;
  /// Bytes from `at` to where the literal of a piece begins; nullopt: it does not, in what a capture may take.
  static std::optional<std::size_t> find_literal(std::string_view line, std::size_t at, const Piece& piece,
                                                 bool over_spaces, LineMemory& memory);

  std::optional<Capture> leading_;
  std::vector<Piece> pieces_;
};

/// `*` stands for any bytes, also for none; `|` separates alternatives.
bool matches_glob(std::string_view globs, std::string_view text);

/// The field that ends at `end` of `line`: from behind ": ", a quotation mark or a log's prefix on. A
/// path may have spaces inside.
std::string_view field_before(std::string_view line, std::size_t end);

}  // namespace soresolve
