// What people read of an answer: words with tones, lines, tables and trees.
//
// Words are statements of the catalogue, our own marks, or bytes of others, and which of them is a matter of type: the
// renderer makes the last harmless, so nobody who builds a page can forget to.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "soresolve/catalogue.h"
#include "soresolve/command_text.h"
#include "soresolve/document.h"
#include "soresolve/statement.h"

namespace soresolve {

enum class Tone : std::uint8_t { Plain, Bad, Good, Warn, Strong, Dim, Name };

/// Words of one line, in order, each with its tone.
class Words {
 public:
  /// Bytes of others: made harmless.
  struct Foreign {
    std::string bytes;
  };
  /// The loader's own line: byte for byte in a pipe but for control characters, so that it can be compared; made
  /// harmless on a terminal.
  struct LoadersLine {
    std::string bytes;
  };
  /// A row of the catalogue with values in it, in each language.
  struct Filled {
    std::string english;
    std::string chinese;
  };
  /// Our own marks, the same in every language: brackets, numbers, spaces.
  struct Mark {
    std::string text;
  };
  /// Spaces up to a column of the line, counted from its indent; none if the line is there already.
  struct Stop {
    std::size_t column = 0;
  };
  struct Span {
    Tone tone = Tone::Plain;
    std::variant<Statement, Foreign, LoadersLine, Filled, Mark, Stop> content;
  };

  Words();
  Words(const Words&);
  Words(Words&&) noexcept;
  Words& operator=(const Words&);
  Words& operator=(Words&&) noexcept;
  ~Words();
  Words(Statement statement);
  /// A literal of the source. Only what needs no translation: a name of the loader's, a bracket.
  template <std::size_t N>
  Words(const char (&literal)[N]) : Words(mark(literal)) {}
  template <std::size_t N>
  Words(char (&buffer)[N]) = delete;

  /// Something to type.
  static Words command(const CommandText& command);
  static Words foreign(std::string_view bytes);
  static Words loaders_line(std::string_view bytes);
  static Words filled(std::string english, std::string chinese);
  /// A text that stands in both languages at its place.
  static Words phrase(const Phrase& phrase);
  static Words number(std::integral auto value) { return mark(std::to_string(value)); }
  /// "0x1f".
  static Words hex(std::uint64_t value);
  static Words stop(std::size_t column);

  Words& operator+=(Words more);
  friend Words operator+(Words first, Words second) {
    first += std::move(second);
    return first;
  }
  /// One more part, in its tone; as += of it, without words of its own.
  Words& add(Tone tone, Statement statement);
  template <std::size_t N>
  Words& add(Tone tone, const char (&literal)[N]) {
    return add_mark(tone, literal);
  }
  template <std::size_t N>
  Words& add(Tone tone, char (&buffer)[N]) = delete;
  /// The same, as far as it has no tone yet, in this one.
  [[nodiscard]] Words in(Tone tone) &&;
  [[nodiscard]] Words in(Tone tone) const&;

  /// The same with each statement as `change` makes it.
  [[nodiscard]] Words changed(const std::function<Statement(Statement)>& change) &&;

  [[nodiscard]] bool empty() const { return spans_.empty(); }
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }

 private:
  explicit Words(Span&& span);
  static Words mark(std::string_view text);
  Words& add_mark(Tone tone, std::string_view text);
  void add(Span&& span);
  std::vector<Span> spans_;
};

struct Line {
  Words words;
  std::size_t indent = 0;
  bool is_minor = false;  ///< the first to be left out where there is little room
};
/// Broken at the reader's width. Each of its lines begins at column `hang`; the head, if there is one, stands before
/// the first of them, from column `indent`.
struct Prose {
  Words words;
  std::size_t hang = 0;
  Words head = {};
  std::size_t indent = 0;
};
/// Something to type, as it is to be typed.
struct Command {
  CommandText text;
  std::size_t indent = 0;
  bool has_prompt = false;  ///< "$ " before it
  Tone tone = Tone::Name;
};
/// Cells in columns; a column is as wide as its widest cell, and at least `width`.
struct Table {
  enum class Side : std::uint8_t { Left, Right };
  struct Column {
    Words head;
    Side side = Side::Left;
    std::size_t width = 0;
  };
  std::vector<Column> columns;  ///< without heads, if all are empty
  std::vector<std::vector<Words>> rows;
  std::size_t indent = 0;
};
/// One line of a tree; `depth` counts edges from the root, which has 0.
struct Branch {
  Words words;
  std::size_t depth = 1;
  enum class Place : std::uint8_t {
    Inner,  ///< more of its siblings follow
    Last,
    Below,  ///< a remark in the place of what would hang below the last branch
  } place = Place::Inner;
};
/// Its lines are made when they are written: where all need each other they are many times what they are made from.
struct Tree {
  std::function<void(const std::function<void(const Branch&)>& write)> branches;
};
using Block = std::variant<Line, Prose, Command, Table, Tree>;

/// What people read.
class Page {
 public:
  Page();
  Page(const Page&);
  Page(Page&&) noexcept;
  Page& operator=(const Page&);
  Page& operator=(Page&&) noexcept;
  ~Page();

  void add(Block block);
  void line(Words words, std::size_t indent = 0) { add(Line{std::move(words), indent}); }
  void blank() { line({}); }
  void prose(Words words, std::size_t hang = 0) { add(Prose{std::move(words), hang}); }
  void heading(Words words, std::size_t indent = 0) { line(std::move(words).in(Tone::Strong), indent); }
  /// "  HEAD        CONTENT": a line of a proof, its head in a column of its own.
  void entry(Words head, Words content) { line(std::move(head) + Words::stop(12) + std::move(content), 2); }
  /// A further line below an entry, in the column of its content.
  void more(Words content) { line(std::move(content), 14); }
  void append(Page page);

  [[nodiscard]] bool empty() const { return blocks_.empty(); }
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }

 private:
  std::vector<Block> blocks_;
};
std::string to_text(const Page& page, const TextOptions& options = {});
/// The words alone, on one line.
std::string to_text(const Words& words, const TextOptions& options = {});

}  // namespace soresolve
