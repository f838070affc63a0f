// Compiles a pattern into literals and captures and matches it at one place of a line, without backtracking beyond a
// glob. The syntax is in the header. Finding the places is anchor_index.h's part; messages over several lines are read
// line by line.
#include "catalogue/pattern.h"

#include <algorithm>
#include <cstring>

namespace soresolve {
namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// NVIDIA's images write "System not yet initialized", people "libgl error".
bool is_same_letter(char a, char b) { return small(a) == small(b); }

bool is_space(char c) { return c == ' ' || c == '\t'; }

/// The same marks as web pages, JSON and Python's repr() of bytes write them.
std::size_t escaped_quote_length(std::string_view text) {
  constexpr std::string_view kEscapes[] = {"&#39;",         "&#x27;",        "&#34;",        "&quot;", "&apos;",
                                           "u2018",         "u2019",         "u201c",        "u201d",  "xe2\\x80\\x98",
                                           "xe2\\x80\\x99", "xe2\\x80\\x9c", "xe2\\x80\\x9d"};
  for (const std::string_view escape : kEscapes) {
    if (text.starts_with(escape)) return escape.size();
  }
  return 0;
}

/// Bytes of the quotation mark at the start of `text`: ASCII's three, or U+2018 to U+201D, with the backslashes that a
/// log in JSON or a shell puts before it.
std::size_t quote_length(std::string_view text) {
  constexpr std::size_t kMaxBackslashes = 15;  // four quotations inside each other
  const std::size_t slashes = std::min(text.find_first_not_of('\\'), text.size());
  if (slashes != 0 && slashes <= kMaxBackslashes && slashes < text.size() && text[slashes] != '\\') {
    const std::string_view marked = text.substr(slashes);
    const std::size_t behind =
        marked[0] == 'u' || marked[0] == 'x' ? escaped_quote_length(marked) : quote_length(marked);
    return behind == 0 ? 0 : slashes + behind;
  }
  if (text.empty()) return 0;
  if (text[0] == '\'' || text[0] == '`' || text[0] == '"') return 1;
  if (text[0] == '&') return escaped_quote_length(text);
  const bool is_curly = text.starts_with("\xe2\x80") && text.size() >= 3 &&
                        static_cast<unsigned char>(text[2]) >= 0x98 && static_cast<unsigned char>(text[2]) <= 0x9d;
  return is_curly ? 3 : 0;
}

bool names_file(std::string_view capture) {
  constexpr std::string_view kNames[] = {"library", "object", "requirer", "consumer", "program", "provider", "text"};
  return std::find(std::begin(kNames), std::end(kNames), capture) != std::end(kNames);
}

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

/// One word without the punctuation of the sentence around it, or the "\n" of a string that was printed in quotation
/// marks. Only names of files have letters beyond ASCII.
std::string_view word_at(std::string_view text, bool of_file) {
  const std::size_t end = text.find_first_of(" \t,;()<>{}[]'`\"\\");
  text = text.substr(0, end);
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    if (quote_length(text.substr(i)) >= 3) text = text.substr(0, i);
  }
  if (!of_file) {
    text =
        text.substr(0, static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_ascii) - text.begin()));
  }
  while (!text.empty() && (text.back() == '.' || text.back() == ':')) text.remove_suffix(1);
  return text;
}

bool matches_one_glob(std::string_view glob, std::string_view text) {
  std::size_t star = std::string_view::npos;  // behind the last `*`
  std::size_t retry = 0;                      // where the text goes on if that `*` takes one more
  std::size_t g = 0;
  std::size_t t = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = ++g;
      retry = t;
    } else if (g < glob.size() && glob[g] == text[t]) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

}  // namespace

bool matches_glob(std::string_view globs, std::string_view text) {
  while (true) {
    const std::size_t bar = globs.find('|');
    if (matches_one_glob(globs.substr(0, bar), text)) return true;
    if (bar == std::string_view::npos) return false;
    globs.remove_prefix(bar + 1);
  }
}

namespace {

/// What Markdown, HTML and lists put directly before a name.
constexpr std::string_view kMarks = "([{=<>*|";
constexpr std::string_view kSeparators = " \t'`\"([{=<>*|";

/// Without the spaces at its end, and the quotation mark or asterisks that close it: "'libx.so': TEXT".
std::string_view without_marks(std::string_view field) {
  std::size_t size = 0;
  while (size != field.size()) {
    size = field.size();
    while (!field.empty() && (is_space(field.back()) || field.back() == '*' || field.back() == '\\')) {
      field.remove_suffix(1);
    }
    for (const std::size_t length : {std::size_t{1}, std::size_t{3}, std::size_t{5}, std::size_t{6}}) {
      if (field.size() > length && quote_length(field.substr(field.size() - length)) == length) {
        field.remove_suffix(length);
      }
    }
  }
  return field;
}

/// The name of a library or module that stands right before `end`, where a message was typed without its colon.
std::string_view library_before(std::string_view line, std::size_t end) {
  std::string_view word = line.substr(0, end);
  if (word.size() > Pattern::kMaxCapture) word.remove_prefix(word.size() - Pattern::kMaxCapture);
  while (!word.empty() && (is_space(word.back()) || word.back() == ':')) word.remove_suffix(1);
  const std::size_t space = word.find_last_of(" \t");
  if (space != std::string_view::npos) word.remove_prefix(space + 1);
  if (word.find(".so") == std::string_view::npos && !word.ends_with(".node")) return {};
  return field_before(word, word.size());
}

/// As rfind(), by the first byte of `text` (not empty): fields are looked through wherever a message may begin.
std::size_t last_place(std::string_view field, std::string_view text) {
  std::size_t end = field.size();
  while (const void* const found = memrchr(field.data(), text.front(), end)) {
    end = static_cast<std::size_t>(static_cast<const char*>(found) - field.data());
    if (field.substr(end).starts_with(text)) return end;
  }
  return std::string_view::npos;
}

/// Where the last word begins that looks like the start of a path, which may go on with spaces; npos: there is none.
/// The colon of "error:/opt/libx.so" ends a word unless the word is a path itself: "/a:/b".
std::size_t path_start(std::string_view field) {
  std::size_t start = std::string_view::npos;
  const std::size_t first_slash = field.find('/');
  for (std::size_t slash = first_slash; slash != std::string_view::npos; slash = field.find('/', slash + 1)) {
    std::size_t i = slash;
    while (i != 0 && slash - i < 2 && field[i - 1] == '.') --i;
    // "/", "./", "../": which of them a word begins with.
    for (; i <= slash; ++i) {
      const bool is_behind_word = i > 1 && field[i - 1] == ':' && start == std::string_view::npos && first_slash >= i &&
                                  !field.substr(i).starts_with("//");
      if (i == 0 || is_space(field[i - 1]) || quote_length(field.substr(i - 1)) != 0 ||
          kMarks.find(field[i - 1]) != std::string_view::npos || is_behind_word) {
        start = i;
      }
    }
  }
  return start;
}

}  // namespace

std::string_view field_before(std::string_view line, std::size_t end) {
  std::string_view field = line.substr(0, end);
  if (field.size() > Pattern::kMaxCapture) field.remove_prefix(field.size() - Pattern::kMaxCapture);
  if (const std::size_t colon = last_place(field, ": "); colon != std::string_view::npos) {
    field.remove_prefix(colon + 2);
  }
  field = without_marks(field);
  // "could not load /opt/a.so - libb.so": the second is what the rest of the line is about.
  if (const std::size_t dash = last_place(field, "- ");
      dash != std::string_view::npos && dash != 0 && field[dash - 1] == ' ' &&
      field.find(' ', dash + 2) == std::string_view::npos &&
      field.substr(0, dash - 1).find(".so") != std::string_view::npos) {
    return field.substr(dash + 2);
  }
  // "dlopen() "/opt/a.so" failed (libb.so", "(tried: /opt/a.so (libb.so": the same in brackets.
  if (const std::size_t bracket = last_place(field, " (");
      bracket != std::string_view::npos && field.find(' ', bracket + 2) == std::string_view::npos &&
      field.substr(bracket).find(".so") != std::string_view::npos &&
      field.substr(0, bracket).find(".so") != std::string_view::npos) {
    return field.substr(bracket + 2);
  }
  // A mail program makes links of names: "[libb.so](http://libb.so/)".
  if (const std::size_t target = last_place(field, "](http");
      target != std::string_view::npos && field.ends_with(')')) {
    const std::size_t bracket = field.substr(0, target).rfind('[');
    if (bracket != std::string_view::npos) return field.substr(bracket + 1, target - bracket - 1);
  }
  std::size_t start = path_start(field);
  if (start == std::string_view::npos) {
    const std::size_t last = field.find_last_of(kSeparators);
    start = last == std::string_view::npos ? 0 : last + 1;
    // "ERROR:libx.so" is a level of a log and a library.
    if (const std::size_t colon = field.find(":lib", start); colon != std::string_view::npos) start = colon + 1;
  }
  field.remove_prefix(start);
  return field;
}

namespace {

/// Of a colon that stands behind a few spaces, else 0.
std::size_t spaces_before_colon(std::string_view text) {
  constexpr std::size_t kMaxSpaces = 3;
  const std::size_t colon = text.substr(0, kMaxSpaces + 1).find_first_not_of(' ');
  return colon != std::string_view::npos && text[colon] == ':' ? colon : 0;
}

/// Can `literal` begin at the start of `text`, which is not empty? Most places are none: a byte or two tell.
bool may_begin(std::string_view text, std::string_view literal, bool needs_quotes) {
  const char first = literal.front();
  const char c = text.front();
  if (first == ':') return c == ':' || (c == ' ' && text.size() > 1 && (text[1] == ':' || text[1] == ' '));
  if (first != '\'') return is_same_letter(c, first);
  constexpr std::string_view kOfQuotes = "'`\"\\&\xe2";
  if (kOfQuotes.find(c) != std::string_view::npos) return true;
  const std::size_t behind = literal.find_first_not_of('\'');
  return !needs_quotes && (is_same_letter(c, literal[behind]) || c == ' ');
}

}  // namespace

// Whoever types a message again sets the spaces around a colon as they like, and a page that takes Markdown swallows
// the quotation marks of ld.so's `V'.
std::optional<std::size_t> Pattern::match_literal(std::string_view text, const Piece& piece) {
  const std::string_view literal = piece.literal;
  std::size_t place = 0;
  for (std::size_t i = 0; i < literal.size(); ++i) {
    const char c = literal[i];
    if (c == '\'') {
      const std::size_t length = quote_length(text.substr(place));
      if (length == 0 && piece.quotes == Quotes::Required) return std::nullopt;
      place += length;
      continue;
    }
    if (c == ':') place += spaces_before_colon(text.substr(place));
    if (place < text.size() && is_same_letter(text[place], c)) {
      ++place;
    } else if (c != ' ' || i == 0 || literal[i - 1] != ':') {
      return std::nullopt;
    }
    while (c == ' ' && place < text.size() && text[place] == ' ') ++place;
  }
  return place;
}

Pattern::Pattern(std::string_view text) {
  Piece piece;
  while (!text.empty()) {
    const std::size_t brace = text.find('{');
    piece.literal = text.substr(0, brace);
    if (brace == std::string_view::npos) {
      pieces_.push_back(piece);
      break;
    }
    const std::size_t close = text.find('}', brace);
    const std::string_view inside = text.substr(brace + 1, close - brace - 1);
    const std::size_t equals = inside.find('=');
    Capture capture{inside.substr(0, equals),
                    equals == std::string_view::npos ? std::string_view() : inside.substr(equals + 1),
                    names_file(inside.substr(0, equals))};
    text.remove_prefix(std::min(text.size(), close + 1));
    if (pieces_.empty() && piece.literal.empty()) {
      leading_ = capture;
    } else {
      piece.capture = capture;
      pieces_.push_back(piece);
      piece.capture.reset();
    }
  }
  const auto is_text = [](const std::optional<Capture>& capture) { return capture && capture->name == "text"; };
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    // A literal of nothing but a quotation mark would end its capture anywhere.
    const bool has_more = pieces_[i].literal.find_first_not_of("' ") != std::string_view::npos;
    const bool is_beside_text = is_text(pieces_[i].capture) || (i != 0 && is_text(pieces_[i - 1].capture));
    pieces_[i].quotes = has_more && !is_beside_text ? Quotes::Optional : Quotes::Required;
  }
}

std::optional<std::size_t> Pattern::find_literal(std::string_view line, std::size_t at, const Piece& piece,
                                                 bool over_spaces, LineMemory& memory) {
  std::size_t end = std::min(line.size(), at + kMaxCapture + 1);
  // The literal may begin with the space that ends what it follows.
  if (!over_spaces)
    end = std::min(end, memory.space_.first(at, end, [&](std::size_t i) { return is_space(line[i]); }) + 1);
  const bool needs_quotes = piece.quotes == Quotes::Required;
  const std::size_t place = memory.searched_[&piece].first(at, end, [&](std::size_t i) {
    const std::string_view rest(line.data() + i, line.size() - i);
    return may_begin(rest, piece.literal, needs_quotes) && match_literal(rest, piece);
  });
  return place >= end ? std::nullopt : std::optional(place - at);
}

std::optional<std::string_view> Pattern::leading_field(std::string_view line, std::size_t place,
                                                       LineMemory& memory) const {
  std::string_view before = line.substr(0, place);
  const bool is_behind_field = anchor().starts_with(':') || anchor().starts_with(',') || anchor().starts_with(' ');
  if (!is_behind_field && before.ends_with(": ")) before.remove_suffix(2);
  LineMemory::Field& known = memory.field_;
  if (known.end != place || known.is_behind_field != is_behind_field) {
    const bool has_colon = is_behind_field || before.size() != place;
    known = {place, is_behind_field, has_colon ? field_before(line, before.size()) : library_before(line, place)};
  }
  const std::string_view field = known.text;
  if (field.empty() && (is_behind_field || !leading_->globs.empty())) return std::nullopt;
  if (!leading_->globs.empty() && !matches_glob(leading_->globs, field)) return std::nullopt;
  return field;
}

std::optional<PatternMatch> Pattern::match(std::string_view line, std::size_t place, std::size_t length,
                                           LineMemory& memory) const {
  PatternMatch match;
  match.begin = place;
  if (!leading_ && place != 0 && is_word_character(line[place - 1]) && is_word_character(line[place])) {
    return std::nullopt;
  }

  std::size_t at = place;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const std::optional<std::size_t> taken = i == 0 ? length : match_literal(line.substr(at), pieces_[i]);
    if (!taken) return std::nullopt;
    at += *taken;
    if (!pieces_[i].capture) continue;
    const Capture& capture = *pieces_[i].capture;
    std::string_view text;
    if (i + 1 == pieces_.size()) {
      LineMemory::Word& known = memory.word_;
      if (known.begin != at || known.of_file != capture.of_file) {
        known = {at, capture.of_file, word_at(line.substr(at, kMaxCapture), capture.of_file)};
      }
      text = known.text;
    } else {
      const auto size = find_literal(line, at, pieces_[i + 1], capture.of_file, memory);
      if (!size) return std::nullopt;
      text = line.substr(at, *size);
    }
    // The first of a set: "any of {liba.so.1, liba.so}".
    if (capture.of_file && capture.name != "text" && text.starts_with('{')) {
      text.remove_prefix(1);
      ++at;
    }
    if (text.empty()) return std::nullopt;
    if (!capture.globs.empty() && !matches_glob(capture.globs, text)) return std::nullopt;
    match.captures.push_back({capture.name, text});
    at += text.size();
  }
  const bool ends_in_literal = !pieces_.back().capture;
  if (ends_in_literal && at < line.size() && is_word_character(line[at - 1]) && is_word_character(line[at])) {
    return std::nullopt;
  }
  // The field before costs most, so it is looked at last.
  if (leading_) {
    const std::optional<std::string_view> field = leading_field(line, place, memory);
    if (!field) return std::nullopt;
    if (!field->empty()) {
      match.captures.insert(match.captures.begin(), {leading_->name, *field});
      match.begin = static_cast<std::size_t>(field->data() - line.data());
    }
  }
  match.end = at;
  return match;
}

}  // namespace soresolve
