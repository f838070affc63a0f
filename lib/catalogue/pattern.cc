// Compiles a pattern into literals and captures and matches it at one place of a line, without backtracking beyond a
// glob. The syntax is in the header. Finding the places is anchor_index.h's part; messages over several lines are read
// line by line.
#include "catalogue/pattern.h"

#include <algorithm>

namespace soresolve {
namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_space(char c) { return c == ' ' || c == '\t'; }

/// Bytes of the quotation mark at the start of `text`: ASCII's three, or U+2018 to U+201D, with the backslashes that a
/// log in JSON or a shell puts before it.
std::size_t quote_length(std::string_view text) {
  constexpr std::size_t kMaxBackslashes = 15;  // four quotations inside each other
  const std::size_t slashes = std::min(text.find_first_not_of('\\'), text.size());
  if (slashes != 0 && slashes <= kMaxBackslashes && slashes < text.size() && text[slashes] != '\\') {
    const std::size_t behind = quote_length(text.substr(slashes));
    return behind == 0 ? 0 : slashes + behind;
  }
  if (text.empty()) return 0;
  if (text[0] == '\'' || text[0] == '`' || text[0] == '"') return 1;
  const bool is_curly = text.starts_with("\xe2\x80") && text.size() >= 3 &&
                        static_cast<unsigned char>(text[2]) >= 0x98 && static_cast<unsigned char>(text[2]) <= 0x9d;
  return is_curly ? 3 : 0;
}

/// Bytes of `text` that `literal` takes at its start; nullopt if it is not there.
std::optional<std::size_t> match_literal(std::string_view text, std::string_view literal) {
  std::size_t place = 0;
  for (const char c : literal) {
    const std::size_t length = c == '\'' ? quote_length(text.substr(place))
                                         : static_cast<std::size_t>(place < text.size() && text[place] == c);
    if (length == 0) return std::nullopt;
    place += length;
    while (c == ' ' && place < text.size() && text[place] == ' ') ++place;
  }
  return place;
}

bool names_file(std::string_view capture) {
  constexpr std::string_view kNames[] = {"library", "object", "requirer", "consumer", "program", "provider", "text"};
  return std::find(std::begin(kNames), std::end(kNames), capture) != std::end(kNames);
}

/// One word without the punctuation of the sentence around it.
std::string_view word_at(std::string_view text) {
  const std::size_t end = text.find_first_of(" \t,;()<>{}[]'`\"");
  text = text.substr(0, end);
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    if (quote_length(text.substr(i)) == 3) text = text.substr(0, i);
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

std::string_view field_before(std::string_view line, std::size_t end) {
  std::string_view field = line.substr(0, end);
  if (field.size() > Pattern::kMaxCapture) field.remove_prefix(field.size() - Pattern::kMaxCapture);
  if (const std::size_t colon = field.rfind(": "); colon != std::string_view::npos) {
    field.remove_prefix(colon + 2);
  }
  while (!field.empty() && is_space(field.back())) field.remove_suffix(1);
  // "could not load /opt/a.so - libb.so": the second is what the rest of the line is about.
  if (const std::size_t dash = field.rfind(" - "); dash != std::string_view::npos &&
                                                   field.find(' ', dash + 3) == std::string_view::npos &&
                                                   field.substr(0, dash).find(".so") != std::string_view::npos) {
    return field.substr(dash + 3);
  }
  // A mail program makes links of names: "[libb.so](http://libb.so/)".
  if (const std::size_t target = field.rfind("](http"); target != std::string_view::npos && field.ends_with(')')) {
    const std::size_t bracket = field.substr(0, target).rfind('[');
    if (bracket != std::string_view::npos) return field.substr(bracket + 1, target - bracket - 1);
  }
  // A path begins with the last word that looks like the start of one, and may go on with spaces. The colon of
  // "error:/opt/libx.so" ends a word unless the word is a path itself: "/a:/b".
  std::size_t start = std::string_view::npos;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const bool is_behind_word = i != 0 && field[i - 1] == ':' && start == std::string_view::npos && i != 1 &&
                                field.substr(0, i).find('/') == std::string_view::npos &&
                                !field.substr(i).starts_with("//");
    if (i != 0 && !is_space(field[i - 1]) && quote_length(field.substr(i - 1)) == 0 && field[i - 1] != '(' &&
        field[i - 1] != '=' && !is_behind_word)
      continue;
    const std::string_view word = field.substr(i);
    if (word.starts_with('/') || word.starts_with("./") || word.starts_with("../")) start = i;
  }
  if (start == std::string_view::npos) {
    const std::size_t last = field.find_last_of(" \t'`\"([=");
    start = last == std::string_view::npos ? 0 : last + 1;
    // "ERROR:libx.so" is a level of a log and a library.
    if (const std::size_t colon = field.find(":lib", start); colon != std::string_view::npos) start = colon + 1;
  }
  field.remove_prefix(start);
  return field;
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
                    equals == std::string_view::npos ? std::string_view() : inside.substr(equals + 1)};
    text.remove_prefix(std::min(text.size(), close + 1));
    if (pieces_.empty() && piece.literal.empty()) {
      leading_ = capture;
    } else {
      piece.capture = capture;
      pieces_.push_back(piece);
      piece.capture.reset();
    }
  }
}

std::optional<PatternMatch> Pattern::match(std::string_view line, std::size_t place) const {
  // Most places are none: what shares the first bytes must not cost more than a comparison.
  if (!match_literal(line.substr(place), anchor())) return std::nullopt;
  PatternMatch match;
  match.begin = place;
  if (leading_) {
    std::string_view before = line.substr(0, place);
    const bool is_behind_field = anchor().starts_with(':') || anchor().starts_with(',') || anchor().starts_with(" => ");
    if (!is_behind_field && before.ends_with(": ")) before.remove_suffix(2);
    const std::string_view field =
        is_behind_field || before.size() != place ? field_before(line, before.size()) : std::string_view();
    if (field.empty() && (is_behind_field || !leading_->globs.empty())) return std::nullopt;
    if (!leading_->globs.empty() && !matches_glob(leading_->globs, field)) return std::nullopt;
    if (!field.empty()) {
      match.captures.push_back({leading_->name, field});
      match.begin = static_cast<std::size_t>(field.data() - line.data());
    }
  } else if (place != 0 && is_word_character(line[place - 1]) && is_word_character(line[place])) {
    return std::nullopt;
  }

  std::size_t at = place;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const std::optional<std::size_t> length = match_literal(line.substr(at), pieces_[i].literal);
    if (!length) return std::nullopt;
    at += *length;
    if (!pieces_[i].capture) continue;
    const Capture& capture = *pieces_[i].capture;
    std::string_view text;
    if (i + 1 == pieces_.size()) {
      text = word_at(line.substr(at, kMaxCapture));
    } else {
      const std::string_view rest = line.substr(at, kMaxCapture + 1);  // where the next literal may begin
      const std::string_view next = pieces_[i + 1].literal;
      std::size_t stop = 0;
      while (stop < rest.size() && !match_literal(line.substr(at + stop), next)) {
        if (is_space(rest[stop]) && !names_file(capture.name)) return std::nullopt;
        ++stop;
      }
      if (stop == rest.size()) return std::nullopt;
      text = rest.substr(0, stop);
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
  match.end = at;
  return match;
}

}  // namespace soresolve
