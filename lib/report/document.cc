// How the words of a document are put together, and the one renderer that makes text of them: escaping, tones, columns,
// line breaks, tables and the lines of trees. Tones are those of ECMA-48 (SGR), reset behind each run.
#include "soresolve/document.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/enum_names.h"
#include "base/printable.h"
#include "report/page.h"
#include "report/wrapped.h"

namespace soresolve {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::string_view code_of(Tone tone) {
  using enum Tone;
  static constexpr auto kNames =
      enum_names<Tone>({{Plain, ""}, {Bad, "31"}, {Good, "32"}, {Warn, "33"}, {Strong, "1"}, {Dim, "2"}, {Name, "36"}});
  return kNames[tone];
}

/// Letters of one tone.
struct Run {
  Tone tone = Tone::Plain;
  std::string text;
};

class TextRenderer {
 public:
  explicit TextRenderer(const TextOptions& options) : options_(options) {}

  std::string render(const Page& page) {
    for (const Block& block : page.blocks()) std::visit([this](const auto& part) { add(part); }, block);
    return std::move(text_);
  }

  /// Words without a line end.
  std::string render(const Words& words) {
    add_words(words);
    return std::move(text_);
  }

 private:
  /// What a terminal would obey is escaped; most names and sentences have nothing of it.
  static void append_printable(std::string& letters, std::string_view text) {
    const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
    if (std::all_of(text.begin(), text.end(), is_plain))
      letters += text;
    else
      letters += printable(text);
  }

  /// Byte for byte, but for control characters: a line end in a name must not begin a line that a log's reader obeys.
  static void append_one_line(std::string& letters, std::string_view bytes) {
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t'; };
    for (const char c : bytes) {
      if (is_control(c) || c == '\x7f')
        letters += printable({&c, 1});
      else
        letters += c;
    }
  }

  /// The letters of one span, behind those of the line that are in `letters` from `begin` on.
  void append_letters(std::string& letters, std::size_t begin, const Words::Span& span) const {
    std::visit(
        Overloaded{
            [&](const Statement& statement) { append_printable(letters, sentence(statement, options_.language)); },
            [&](const Words::Foreign& foreign) { append_printable(letters, foreign.bytes); },
            [&](const Words::LoadersLine& line) {
              const bool is_raw = options_.reader == TextOptions::Reader::Pipe && options_.colour == Colour::Never;
              if (is_raw)
                append_one_line(letters, line.bytes);
              else
                append_printable(letters, line.bytes);
            },
            [&](const Words::Filled& row) {
              const bool is_chinese = options_.language == Language::Chinese && !row.chinese.empty();
              append_printable(letters, is_chinese ? row.chinese : row.english);
            },
            [&](const Words::Mark& mark) { letters += mark.text; },
            [&](const Words::Stop& stop) {
              const std::size_t column = display_width(std::string_view(letters).substr(begin));
              letters.append(stop.column - std::min(column, stop.column), ' ');
            },
        },
        span.content);
  }

  /// Neighbours of one tone are one run; spaces need no tone, but do not part those around them.
  [[nodiscard]] std::vector<Run> runs_of(const Words& words) const {
    std::vector<Run> runs;
    std::string line;
    for (const Words::Span& span : words.spans()) {
      const std::size_t before = line.size();
      append_letters(line, 0, span);
      if (line.size() == before) continue;
      if (runs.empty() || runs.back().tone != span.tone) runs.push_back({span.tone, {}});
      runs.back().text.append(line, before);
    }
    return runs;
  }

  /// As add_runs() of runs_of(). Without colour no tone is of interest, and the letters go where they belong at once.
  void add_words(const Words& words) {
    if (options_.colour == Colour::Always) return add_runs(runs_of(words));
    const std::size_t begin = text_.size();
    for (const Words::Span& span : words.spans()) append_letters(text_, begin, span);
  }

  static std::size_t width_of(const std::vector<Run>& runs) {
    std::size_t width = 0;
    for (const Run& run : runs) width += display_width(run.text);
    return width;
  }

  void add_run(Tone tone, std::string_view letters) {
    const bool is_painted = options_.colour == Colour::Always && tone != Tone::Plain;
    if (is_painted) text_.append("\x1b[").append(code_of(tone)).append("m");
    text_ += letters;
    if (is_painted) text_ += "\x1b[0m";
  }
  void add_runs(const std::vector<Run>& runs) {
    for (const Run& run : runs) add_run(run.tone, run.text);
  }
  void add_spaces(std::size_t count) { text_.append(count, ' '); }

  /// A command is copied, and the loader's own line is searched for: a line end in them would be taken along.
  static bool may_be_broken(const Words& words) {
    return std::none_of(words.spans().begin(), words.spans().end(), [](const Words::Span& span) {
      return span.tone == Tone::Name || std::holds_alternative<Words::LoadersLine>(span.content);
    });
  }

  /// Where the content of a line begins: at the last of its stops that leaves room for it.
  [[nodiscard]] std::size_t hang_of(const Words& words, std::size_t indent) const {
    constexpr std::size_t kStep = 2;
    std::size_t hang = indent + kStep;
    for (const Words::Span& span : words.spans()) {
      const Words::Stop* const stop = std::get_if<Words::Stop>(&span.content);
      if (stop != nullptr && indent + stop->column <= options_.line_width / 2) hang = indent + stop->column;
    }
    return hang;
  }

  /// Words that begin at `column`; where the line is too long for the reader they go on in further ones behind `lead`,
  /// which takes `hang` columns.
  void add_broken(const Words& words, std::size_t column, std::string_view lead, std::size_t hang) {
    constexpr std::size_t kLeast = 20;  // for words; where there is less, the terminal breaks it
    if (options_.line_width < hang + kLeast || !may_be_broken(words)) return add_words(words);
    const std::vector<Run> runs = runs_of(words);
    if (column + width_of(runs) <= options_.line_width) return add_runs(runs);
    std::string letters;
    for (const Run& run : runs) letters += run.text;
    std::size_t at = std::min(letters.find_first_not_of(' '), letters.size());
    add_spaces(at);
    column += at;
    for (bool is_first = true; at < letters.size(); is_first = false) {
      const std::vector<std::string_view> lines =
          lines_of(std::string_view(letters).substr(at), column, options_.line_width);
      if (lines.empty()) return;
      if (!is_first) text_.append("\n").append(lead);
      // Of the first line only: the others begin at another column.
      const std::size_t shown = is_first ? 1 : lines.size();
      for (std::size_t i = 0; i < shown; ++i) {
        if (i != 0) text_.append("\n").append(lead);
        at = static_cast<std::size_t>(lines[i].data() - letters.data());
        add_part(runs, at, lines[i].size());
        at += lines[i].size();
      }
      if (!is_first) return;
      column = hang;
    }
  }

  void add(const Line& line) {
    add_spaces(line.indent);
    const std::size_t begin = text_.size();
    if (options_.line_width == 0) {
      add_words(line.words);
    } else {
      const std::size_t hang = hang_of(line.words, line.indent);
      add_broken(line.words, line.indent, std::string(hang, ' '), hang);
    }
    if (text_.size() == begin) text_.resize(begin - line.indent);
    text_ += '\n';
  }

  void add(const Prose& prose) {
    const std::vector<Run> head = runs_of(prose.head);
    if (!head.empty()) add_spaces(prose.indent);
    add_runs(head);
    const std::size_t begin = head.empty() ? 0 : prose.indent + width_of(head);
    add_spaces(prose.hang - std::min(prose.hang, begin));

    const std::vector<Run> runs = runs_of(prose.words);
    std::string letters;
    for (const Run& run : runs) letters += run.text;
    bool is_first = true;
    for (const std::string_view line : lines_of(letters, prose.hang, options_.width)) {
      if (!is_first) text_.append("\n").append(prose.hang, ' ');
      is_first = false;
      add_part(runs, static_cast<std::size_t>(line.data() - letters.data()), line.size());
    }
    text_ += '\n';
  }

  /// So many letters of the runs, from one of them on, each in its tone.
  void add_part(const std::vector<Run>& runs, std::size_t begin, std::size_t count) {
    for (const Run& run : runs) {
      if (begin < run.text.size()) {
        const std::string_view part = std::string_view(run.text).substr(begin, count);
        add_run(run.tone, part);
        count -= part.size();
        begin = 0;
      } else {
        begin -= run.text.size();
      }
      if (count == 0) return;
    }
  }

  void add(const Command& command) {
    add_spaces(command.indent);
    add_run(command.tone, (command.has_prompt ? "$ " : "") + command.text.text());
    text_ += '\n';
  }

  void add(const Table& table) {
    std::vector<std::size_t> widths;
    for (const Table::Column& column : table.columns) widths.push_back(column.width);
    for (const std::vector<Words>& row : table.rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::size_t gap = table.columns[i].side == Table::Side::Left && i + 1 == row.size() ? 0 : 1;
        widths[i] = std::max(widths[i], width_of(runs_of(row[i])) + gap);
      }
    }
    const bool has_heads = std::any_of(table.columns.begin(), table.columns.end(),
                                       [](const auto& column) { return !column.head.empty(); });
    if (has_heads) {
      std::vector<Words> heads;
      for (const Table::Column& column : table.columns) heads.push_back(column.head.in(Tone::Dim));
      add_row(table, heads, widths);
    }
    for (const std::vector<Words>& row : table.rows) add_row(table, row, widths);
  }

  void add_row(const Table& table, const std::vector<Words>& row, const std::vector<std::size_t>& widths) {
    add_spaces(table.indent);
    std::size_t column = table.indent;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (options_.line_width != 0 && i + 1 == row.size() && table.columns[i].side == Table::Side::Left) {
        add_broken(row[i], column, std::string(column, ' '), column);
        break;
      }
      column += widths[i];
      const std::vector<Run> runs = runs_of(row[i]);
      const std::size_t room = widths[i] - std::min(widths[i], width_of(runs));
      const bool is_left = table.columns[i].side == Table::Side::Left;
      if (!is_left) add_spaces(room);
      add_runs(runs);
      if (is_left && i + 1 != row.size()) add_spaces(room);
    }
    text_ += '\n';
  }

  void add(const Tree& tree) {
    tree.branches([this](const Branch& branch) { add(branch); });
  }

  void add(const Branch& branch) {
    if (branch.depth == 0) {
      add_words(branch.words);
      text_ += '\n';
      return;
    }
    constexpr std::string_view kSpaces = "    ", kLine = "│   ", kBranch = "├── ", kLastBranch = "└── ";
    constexpr std::size_t kWidth = 4;  // of each of them
    const std::size_t above = branch.depth - 1;
    is_last_.resize(std::max(above, std::min(is_last_.size(), branch.depth)), true);
    std::string lines;
    for (std::size_t i = 0; i < above; ++i) lines += is_last_[i] ? kSpaces : kLine;
    text_ += lines;
    const std::size_t column = above * kWidth;
    if (branch.place == Branch::Place::Below) {
      add_broken(branch.words, column, lines, column);
    } else {
      const bool is_last = branch.place == Branch::Place::Last;
      text_ += is_last ? kLastBranch : kBranch;
      is_last_.resize(above);
      is_last_.push_back(is_last);
      lines += is_last ? kSpaces : kLine;
      add_broken(branch.words, column + kWidth, lines.append(kWidth, ' '), column + 2 * kWidth);
    }
    text_ += '\n';
  }

  TextOptions options_;
  std::vector<bool> is_last_;  ///< of the branches above the one that comes next, by depth
  std::string text_;
};

}  // namespace

Words::Words() = default;
Words::Words(const Words&) = default;
Words::Words(Words&&) noexcept = default;
Words& Words::operator=(const Words&) = default;
Words& Words::operator=(Words&&) noexcept = default;
Words::~Words() = default;
Words::Words(Statement statement) { add({Tone::Plain, std::move(statement)}); }
Words::Words(Span&& span) { add(std::move(span)); }

Words Words::command(const CommandText& command) { return foreign(command.text()).in(Tone::Name); }
Words Words::foreign(std::string_view bytes) { return Words({Tone::Plain, Foreign{std::string(bytes)}}); }
Words Words::loaders_line(std::string_view bytes) { return Words({Tone::Plain, LoadersLine{std::string(bytes)}}); }
Words Words::filled(std::string english, std::string chinese) {
  return Words({Tone::Plain, Filled{std::move(english), std::move(chinese)}});
}
Words Words::phrase(const Phrase& phrase) { return filled(std::string(phrase.en), std::string(phrase.zh)); }
Words Words::hex(std::uint64_t value) { return mark(soresolve::hex(value)); }
Words Words::stop(std::size_t column) { return Words({Tone::Plain, Stop{column}}); }
Words Words::mark(std::string_view text) { return Words({Tone::Plain, Mark{std::string(text)}}); }

Words& Words::add_mark(Tone tone, std::string_view text) {
  add({tone, Mark{std::string(text)}});
  return *this;
}

Words& Words::add(Tone tone, Statement statement) {
  add({tone, std::move(statement)});
  return *this;
}

void Words::add(Span&& span) {
  const Statement* const statement = std::get_if<Statement>(&span.content);
  if (statement != nullptr && statement->empty()) return;
  constexpr std::size_t kUsual = 4;  // of a line
  if (spans_.empty()) spans_.reserve(kUsual);
  spans_.push_back(std::move(span));
}

Words& Words::operator+=(Words more) {
  if (spans_.empty()) {
    spans_ = std::move(more.spans_);
  } else {
    spans_.insert(spans_.end(), std::make_move_iterator(more.spans_.begin()),
                  std::make_move_iterator(more.spans_.end()));
  }
  return *this;
}

Words Words::in(Tone tone) && {
  for (Span& span : spans_) {
    if (span.tone == Tone::Plain) span.tone = tone;
  }
  return std::move(*this);
}

Words Words::in(Tone tone) const& { return Words(*this).in(tone); }

Words Words::changed(const std::function<Statement(Statement)>& change) && {
  for (Span& span : spans_) {
    if (Statement* const statement = std::get_if<Statement>(&span.content)) *statement = change(std::move(*statement));
  }
  return std::move(*this);
}

Page::Page() = default;
Page::Page(const Page&) = default;
Page::Page(Page&&) noexcept = default;
Page& Page::operator=(const Page&) = default;
Page& Page::operator=(Page&&) noexcept = default;
Page::~Page() = default;

void Page::add(Block block) { blocks_.push_back(std::move(block)); }

void Page::append(Page page) {
  blocks_.insert(blocks_.end(), std::make_move_iterator(page.blocks_.begin()),
                 std::make_move_iterator(page.blocks_.end()));
}

std::string to_text(const Page& page, const TextOptions& options) { return TextRenderer(options).render(page); }
std::string to_text(const Document& document, const TextOptions& options) { return to_text(document.page(), options); }
std::string to_text(const Words& words, const TextOptions& options) { return TextRenderer(options).render(words); }

std::string to_json(const Document& document) {
  std::string text;
  document.data([&text](std::string_view part) { text += part; });
  return text;
}

}  // namespace soresolve
