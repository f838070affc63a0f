// What CPython's tokenizer refuses, token by token: bytes that are no text, brackets and strings that do not end,
// columns that fit no block, signs that are in no name. What its grammar refuses is known by our parser only as "not
// understood"; what stands before such a place is what Python complains about first, in words that are not known.
//
// Sources: CPython Parser/tokenizer.c (tok_get: indentation by columns of 8 and of 1, brackets; check_coding_spec),
// PEP 263; Python/compile.c for what is in the wrong place. The words are those of 3.10 to 3.13, older ones where they
// are the same: compared with the real interpreters by test/python/check_compile.
#include "python/compile_errors.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/pieces.h"
#include "python/tokens.h"

namespace soresolve::python {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";

/// The codec that the first two lines name, as it is written; empty: none.
std::string coding_of(std::string_view source) {
  constexpr std::string_view kWord = "coding";
  for (int line = 0; line < 2; ++line) {
    const std::string_view text = source.substr(0, source.find('\n'));
    source.remove_prefix(std::min(text.size() + 1, source.size()));
    const std::size_t first = text.find_first_not_of(" \t\f");
    if (first == std::string_view::npos || text[first] == '\r') continue;
    if (text[first] != '#') return {};
    for (std::size_t at = text.find(kWord); at != std::string_view::npos; at = text.find(kWord, at + 1)) {
      std::string_view rest = text.substr(at + kWord.size());
      if (!rest.starts_with(':') && !rest.starts_with('=')) continue;
      rest.remove_prefix(1);
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
      std::string name;
      for (const char c : rest) {
        if (!is_of_name(c) && c != '-' && c != '.') break;
        name += c;
      }
      if (!name.empty()) return name;
    }
  }
  return {};
}

/// The bytes of UTF-8's first character; 0: there is none. Source: RFC 3629.
std::size_t utf8_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xC2 && first <= 0xDF   ? 2
                           : first >= 0xE0 && first <= 0xEF ? 3
                           : first >= 0xF0 && first <= 0xF4 ? 4
                                                            : 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool is_bad = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
                      (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F);
  return is_bad ? 0 : size;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = utf8_size(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

/// Of UTF-8's first character, which is one.
char32_t code_of(std::string_view text) {
  const std::size_t size = utf8_size(text);
  if (size < 2) return static_cast<unsigned char>(text[0]);
  char32_t code = static_cast<unsigned char>(text[0]) & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) code = code << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return code;
}

/// Is a character of UTF-8 in it that stands in no name: quotes and blanks of a word processor, punctuation of Chinese,
/// arrows, emoji? Source: Unicode 16, DerivedCoreProperties.txt: blocks that have no character of XID_Continue.
bool has_sign(std::string_view text) {
  struct Range {
    char32_t first;
    char32_t last;
  };
  static constexpr Range kSigns[] = {
      {0x80, 0xA9},     {0xAB, 0xB4},     {0xB6, 0xB6},     {0xB8, 0xB9},      {0xBB, 0xBF},     {0xD7, 0xD7},
      {0xF7, 0xF7},     {0x2000, 0x203E}, {0x2041, 0x2053}, {0x2055, 0x2070},  {0x2072, 0x207E}, {0x2080, 0x208F},
      {0x20A0, 0x20CF}, {0x2190, 0x2BFF}, {0x3000, 0x3004}, {0x3008, 0x3020},  {0x3030, 0x3030}, {0xE000, 0xF8FF},
      {0xFE10, 0xFE1F}, {0xFE50, 0xFE6F}, {0xFEFF, 0xFEFF}, {0xFF01, 0xFF0F},  {0xFF1A, 0xFF20}, {0xFF3B, 0xFF3E},
      {0xFF40, 0xFF40}, {0xFF5B, 0xFF65}, {0xFFE0, 0xFFFF}, {0x1F000, 0x1FAFF}};
  for (; !text.empty(); text.remove_prefix(std::max<std::size_t>(utf8_size(text), 1))) {
    const char32_t code = code_of(text);
    const auto holds = [&](const Range& range) { return range.first <= code && code <= range.last; };
    if (code >= 0x80 && std::any_of(std::begin(kSigns), std::end(kSigns), holds)) return true;
  }
  return false;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

class ErrorFinder {
 public:
  ErrorFinder(std::string_view source, int minor_number, const ParseFailures& failures)
      : source_(source), minor_(minor_number), failures_(failures) {}

  std::optional<CompileError> run(const HasCodec& has_codec) {
    if (auto error = undecoded(has_codec)) return error;
    if (auto error = by_tokens()) return error;
    const char* const newer = failures_.newer_than(minor_);
    if (newer != nullptr && (failures_.unread == nullptr || newer <= failures_.unread))
      return CompileError{"SyntaxError", {}, line_of(newer)};
    // Compiled when all of it is parsed.
    const auto& [place, text] = failures_.misplaced;
    if (place == nullptr || failures_.unread != nullptr) return std::nullopt;
    return CompileError{"SyntaxError", std::string(text), line_of(place)};
  }

 private:
  [[nodiscard]] std::uint32_t line_of(const char* place) const {
    return static_cast<std::uint32_t>(std::count(source_.data(), place, '\n')) + 1;
  }

  /// At a place up to which all is understood, what Python says is what is said here.
  [[nodiscard]] CompileError error(const char* place, const char* type, std::string text = {}) const {
    const bool is_first = failures_.unread == nullptr || failures_.unread >= place;
    if (!is_first) return {"SyntaxError", {}, line_of(failures_.unread)};
    return {type, std::move(text), line_of(std::min(place, source_.data() + source_.size()))};
  }

  std::optional<CompileError> undecoded(const HasCodec& has_codec) {
    const std::size_t null = source_.find('\0');
    if (null != std::string_view::npos) {
      // 3.11.4 has changed it.
      const char* type = minor_ > 11 ? "SyntaxError" : minor_ < 11 ? "ValueError" : "SyntaxError or ValueError";
      return CompileError{type, "source code string cannot contain null bytes", line_of(source_.data() + null)};
    }
    const bool is_marked = source_.starts_with(kMark);
    const std::string written = coding_of(is_marked ? source_.substr(kMark.size()) : source_);
    std::string coding = written;
    std::transform(coding.begin(), coding.end(), coding.begin(), [](char c) {
      return c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c;
    });
    is_utf8_ = coding.empty() || coding == "utf-8" || coding == "utf8" || coding.starts_with("utf-8-");
    if (is_marked && !coding.empty() && !coding.starts_with("utf-8")) return CompileError{"SyntaxError", {}, 1};
    if (coding == "ascii" || coding == "us-ascii") {
      if (!is_ascii(source_)) return CompileError{"SyntaxError", {}, 1};
    } else if (!is_utf8_ && coding != "latin-1" && coding != "iso-8859-1" && !has_codec(coding)) {
      return CompileError{"SyntaxError", written == coding ? "unknown encoding: " + coding : std::string(), 1};
    }
    return std::nullopt;
  }

  /// By the columns at which a line begins.
  std::optional<CompileError> by_indent(const Lexer& lexer, const char* place) {
    const Indent now{lexer.indent(), lexer.blanks()};
    constexpr const char* kTabs = "inconsistent use of tabs and spaces in indentation";
    const auto tabs = [&] { return error(place, "TabError", kTabs); };
    const bool is_deeper = now.columns > indents_.back().columns;
    if (is_deeper) {
      if (now.blanks <= indents_.back().blanks) return tabs();
      if (!wants_block_) return error(place, "IndentationError", "unexpected indent");
      indents_.push_back(now);
      return std::nullopt;
    }
    // Its head may be none.
    if (wants_block_) return error(place, "IndentationError");
    while (now.columns < indents_.back().columns) indents_.pop_back();
    if (now.columns != indents_.back().columns)
      return error(place, "IndentationError", "unindent does not match any outer indentation level");
    if (now.blanks != indents_.back().blanks) return tabs();
    return std::nullopt;
  }

  std::optional<CompileError> by_bracket(const Token& token) {
    const char c = token.text.front();
    if (c == '(' || c == '[' || c == '{') {
      brackets_.push_back({c, token.line});
      return std::nullopt;
    }
    const std::string close(1, c);
    const auto said = [&](std::string text) {
      return error(token.text.data(), "SyntaxError", minor_ >= 8 ? std::move(text) : std::string());
    };
    if (brackets_.empty()) return said("unmatched '" + close + "'");
    const Bracket open = brackets_.back();
    brackets_.pop_back();
    const bool fits =
        (open.sign == '(' && c == ')') || (open.sign == '[' && c == ']') || (open.sign == '{' && c == '}');
    if (fits) return std::nullopt;
    std::string text = "closing parenthesis '" + close + "' does not match opening parenthesis '" + open.sign + "'";
    if (open.line != token.line) text += " on line " + std::to_string(open.line);
    return said(std::move(text));
  }

  std::optional<CompileError> by_token(const Token& token) {
    const char* const end = token.text.data() + token.text.size();
    switch (token.kind) {
      case Token::Kind::String:
        if (token.is_open) return error(token.text.data(), "SyntaxError");
        [[fallthrough]];
      case Token::Kind::Name:
        if (!is_utf8_) return std::nullopt;
        if (!is_utf8(token.text)) return error(end, "SyntaxError");
        if (token.kind == Token::Kind::Name && has_sign(token.text)) return error(token.text.data(), "SyntaxError");
        return std::nullopt;
      case Token::Kind::Operator:
        if (token.text.size() == 1 && std::string_view("()[]{}").find(token.text) != std::string_view::npos)
          return by_bracket(token);
        return std::nullopt;
      default: return std::nullopt;
    }
  }

  std::optional<CompileError> by_tokens() {
    Lexer lexer(source_);
    const char* const end = source_.data() + source_.size();
    while (lexer.begin_line()) {
      if (auto found = by_indent(lexer, lexer.place())) return found;
      Token last;
      for (Token token = lexer.next(); token.kind != Token::Kind::LineEnd; token = lexer.next()) {
        if (auto found = by_token(token)) return found;
        last = token;
      }
      if (!brackets_.empty()) {
        const std::string open(1, brackets_.back().sign);
        CompileError found =
            error(end, "SyntaxError", minor_ >= 10 ? "'" + open + "' was never closed" : std::string());
        found.line = std::min(found.line, brackets_.back().line);
        return found;
      }
      wants_block_ = last.is(":");
    }
    // Before 3.9 that is a SyntaxError.
    if (wants_block_) return error(end, minor_ >= 9 ? "IndentationError" : "SyntaxError");
    return std::nullopt;
  }

  struct Indent {
    std::size_t columns = 0;
    std::size_t blanks = 0;
  };
  struct Bracket {
    char sign;
    std::uint32_t line;
  };

  std::string_view source_;
  int minor_;
  const ParseFailures& failures_;
  bool is_utf8_ = true;
  bool wants_block_ = false;  ///< the line before ends with a colon
  std::vector<Indent> indents_ = {{}};
  std::vector<Bracket> brackets_;
};

}  // namespace

std::optional<CompileError> find_compile_error(std::string_view source, int minor_number, const ParseFailures& failures,
                                               const HasCodec& has_codec) {
  return ErrorFinder(source, minor_number, failures).run(has_codec);
}

}  // namespace soresolve::python
