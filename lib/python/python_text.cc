// A reader of expressions by recursive descent: terms with + and / between them, each a literal, a name or a call with
// what is asked of it behind dots. The first thing that is not understood makes the whole text unknown.
#include "python/python_text.h"

#include <algorithm>
#include <charconv>

#include "base/path.h"
#include "dlopen/known_loaders.h"
#include "python/python_lines.h"
#include "python/python_words.h"

namespace soresolve {
namespace {

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_quote(char c) { return c == '"' || c == '\''; }

/// os.path.join(), and `/` of pathlib.
std::string joined(std::string_view left, std::string_view right) {
  if (right.starts_with('/') || left.empty()) return std::string(right);
  return std::string(left) + (left.ends_with('/') ? "" : "/") + std::string(right);
}

/// os.path.normpath() of what has no links.
std::string normalised(std::string_view path) {
  std::string text;
  const bool is_absolute = path.starts_with('/');
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part.empty() || part == ".") continue;
    const bool goes_up = part == ".." && !text.empty() && file_name_of(text) != "..";
    if (goes_up) {
      text.resize(text.rfind('/') == std::string::npos ? 0 : text.rfind('/'));
    } else if (part != ".." || !is_absolute) {
      text += (text.empty() && !is_absolute ? "" : "/") + std::string(part);
    }
  }
  return text.empty() ? (is_absolute ? "/" : ".") : text;
}

/// The directory of a path, as os.path.dirname() has it.
std::string directory_part(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  return std::string(path.substr(0, slash == 0 ? 1 : slash));
}

class TextReader {
 public:
  TextReader(std::string_view text, const PythonBindings& names, const PythonKnowledge& knowledge, int depth,
             int& steps_left)
      : text_(bare_text(text)), names_(names), knowledge_(knowledge), depth_(depth), steps_left_(steps_left) {}

  std::optional<std::string> run() {
    // Names that stand for names twice each would double the work with each of them.
    if (depth_ > kMaxPythonTextDepth || text_.size() > kMaxPythonTextBytes || --steps_left_ < 0) return std::nullopt;
    if (const std::size_t condition = find_outside(text_, "if"); condition != std::string_view::npos)
      return read_choice(condition);
    std::optional<std::string> value = read_sum();
    skip_blanks();
    if (at_ != text_.size() || (value && value->size() > kMaxPythonTextBytes)) return std::nullopt;
    return value;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#')
        at_ = skip_literal(text_, at_);
      else if (std::string_view(" \t\r\n\\").find(text_[at_]) != std::string_view::npos)
        ++at_;
      else
        break;
    }
  }
  [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] std::optional<std::string> evaluate(std::string_view text) const {
    return TextReader(text, names_, knowledge_, depth_ + 1, steps_left_).run();
  }

  /// VALUE if CONDITION else OTHER
  std::optional<std::string> read_choice(std::size_t condition) {
    const std::size_t other = find_outside(text_, "else", condition);
    if (other == std::string_view::npos || !knowledge_.decide) return std::nullopt;
    const auto holds = knowledge_.decide(text_.substr(condition + 2, other - condition - 2));
    if (!holds) return std::nullopt;
    return evaluate(*holds ? text_.substr(0, condition) : text_.substr(other + 4));
  }

  std::optional<std::string> read_sum() {
    std::optional<std::string> left = read_term();
    while (left) {
      skip_blanks();
      const char sign = next();
      if (sign != '+' && sign != '/') break;
      ++at_;
      const std::optional<std::string> right = read_term();
      if (!right) return std::nullopt;
      left = sign == '+' ? *left + *right : joined(*left, *right);
      if (left->size() > kMaxPythonTextBytes) return std::nullopt;
    }
    return left;
  }

  /// The brackets' content; `at_` goes behind them.
  std::optional<std::string_view> read_brackets() {
    const std::size_t close = closing_bracket(text_, at_);
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view inside = text_.substr(at_ + 1, close - at_ - 1);
    at_ = close + 1;
    return inside;
  }

  std::optional<std::string> read_term() {
    skip_blanks();
    std::optional<std::string> value;
    if (next() == '(') {
      const auto inside = read_brackets();
      value = inside ? evaluate(*inside) : std::nullopt;
    } else if (is_literal_here()) {
      value = read_literals();
    } else if (is_word_char(next())) {
      value = read_name();
    }
    return value ? read_trailers(*std::move(value)) : std::nullopt;
  }

  /// A literal, perhaps with r, b, u or f before it.
  [[nodiscard]] bool is_literal_here() const {
    std::size_t at = at_;
    while (at < text_.size() && at < at_ + 2 && std::string_view("rRbBuUfF").find(text_[at]) != std::string_view::npos)
      ++at;
    return at < text_.size() && is_quote(text_[at]);
  }

  std::optional<std::string> read_literals() {
    std::string all;
    while (is_literal_here()) {
      const std::optional<std::string> one = read_literal();
      if (!one) return std::nullopt;
      all += *one;
      skip_blanks();
    }
    return all;
  }

  std::optional<std::string> read_literal() {
    bool is_raw = false;
    bool is_format = false;
    for (; !is_quote(next()); ++at_) {
      is_raw = is_raw || next() == 'r' || next() == 'R';
      is_format = is_format || next() == 'f' || next() == 'F';
      if (next() == 'b' || next() == 'B') return std::nullopt;
    }
    const std::size_t end = skip_literal(text_, at_);
    const std::size_t quotes = text_.substr(at_).starts_with(std::string(3, next())) && end >= at_ + 6 ? 3 : 1;
    if (end < at_ + 2 * quotes || text_[end - 1] != text_[at_]) return std::nullopt;
    const std::string_view inside = text_.substr(at_ + quotes, end - at_ - 2 * quotes);
    at_ = end;
    if (!is_raw && inside.find('\\') != std::string_view::npos) return std::nullopt;
    return is_format ? formatted(inside) : std::optional(std::string(inside));
  }

  /// An f-string: plain expressions in braces.
  [[nodiscard]] std::optional<std::string> formatted(std::string_view text) const {
    std::string all;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool is_brace = text[i] == '{' || text[i] == '}';
      if (!is_brace) {
        all += text[i];
      } else if (i + 1 < text.size() && text[i + 1] == text[i]) {
        all += text[i++];
      } else if (text[i] == '{') {
        const std::size_t close = text.find('}', i);
        if (close == std::string_view::npos) return std::nullopt;
        const std::optional<std::string> value = evaluate(text.substr(i + 1, close - i - 1));
        if (!value) return std::nullopt;
        all += *value;
        i = close;
      } else {
        return std::nullopt;
      }
    }
    return all;
  }

  std::string_view read_word() {
    const std::size_t start = at_;
    while (is_word_char(next())) ++at_;
    return text_.substr(start, at_ - start);
  }

  /// A name with its dots, up to where its text is known.
  std::optional<std::string> read_name() {
    const std::size_t start = at_;
    const std::string_view first = read_word();
    if (next() != '.' && next() != '(') return text_of(first);
    if (next() == '.') {
      if (const auto known = text_of(first)) return known;
    }
    while (next() == '.') {
      ++at_;
      if (read_word().empty()) return std::nullopt;
    }
    const std::string_view dotted = text_.substr(start, at_ - start);
    if (next() != '(') return constant_of(dotted);
    const auto inside = read_brackets();
    return inside ? called(dotted, *inside) : std::nullopt;
  }

  [[nodiscard]] static std::optional<std::string> constant_of(std::string_view dotted) {
    if (dotted.ends_with(".pardir")) return "..";
    if (dotted.ends_with(".curdir")) return ".";
    if (dotted.ends_with(".sep")) return "/";
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::string> text_of(std::string_view name) const {
    const auto known = names_.find(name);
    if (known == names_.end()) return std::nullopt;
    if (known->second.text) return known->second.text;
    return known->second.expression.empty() ? std::nullopt : evaluate(known->second.expression);
  }

  [[nodiscard]] std::optional<std::string> called(std::string_view dotted, std::string_view inside) const {
    const std::string_view last = dotted.substr(dotted.rfind('.') + 1);
    const std::string_view before = dotted.substr(0, dotted.size() - last.size());
    const std::vector<std::string_view> arguments = python_arguments(inside);
    const auto first = [&] { return arguments.size() == 1 ? evaluate(arguments.front()) : std::nullopt; };
    if (last == "join" && (before.empty() || before.ends_with("path.") || before == "osp.")) return join(arguments);
    if (last == "Path" || last == "PurePath" || last == "PosixPath") return join(arguments);
    if (last == "str" || last == "fspath") return first();
    if (last == "dirname") {
      const auto path = first();
      return path ? std::optional(directory_part(*path)) : std::nullopt;
    }
    // What Python has in __file__ is absolute; links are not followed.
    if (last == "abspath" || last == "realpath" || last == "normpath") {
      const auto path = first();
      return path ? std::optional(normalised(*path)) : std::nullopt;
    }
    return knowledge_.call ? knowledge_.call(dotted, inside) : std::nullopt;
  }

  [[nodiscard]] std::optional<std::string> join(const std::vector<std::string_view>& arguments) const {
    std::string path;
    for (const std::string_view argument : arguments) {
      const auto part = evaluate(argument);
      if (!part) return std::nullopt;
      path = joined(path, *part);
      if (path.size() > kMaxPythonTextBytes) return std::nullopt;
    }
    return arguments.empty() ? std::nullopt : std::optional(path);
  }

  /// .parent, .parents[1], .resolve(), .joinpath("x") and their like.
  std::optional<std::string> read_trailers(std::string value) {
    while (next() == '.') {
      ++at_;
      const std::string_view word = read_word();
      if (word == "parent") {
        value = directory_part(value);
      } else if (word == "parents" && next() == '[') {
        const auto inside = read_brackets();
        unsigned up = 0;
        if (!inside) return std::nullopt;
        const auto [end, error] = std::from_chars(inside->data(), inside->data() + inside->size(), up);
        if (error != std::errc() || end != inside->data() + inside->size() || up > 32) return std::nullopt;
        for (unsigned i = 0; i <= up; ++i) value = directory_part(value);
      } else if (next() == '(') {
        const auto inside = read_brackets();
        if (!inside) return std::nullopt;
        if (word == "resolve" || word == "absolute") {
          value = normalised(value);
        } else if (word == "joinpath") {
          const auto rest = join(python_arguments(*inside));
          if (!rest) return std::nullopt;
          value = joined(value, *rest);
        } else if (word != "as_posix") {
          return std::nullopt;
        }
      } else {
        return std::nullopt;
      }
    }
    return value;
  }

  std::string_view text_;
  const PythonBindings& names_;
  const PythonKnowledge& knowledge_;
  int depth_;
  int& steps_left_;
  std::size_t at_ = 0;
};

/// What glob.glob() has for a pattern with a star in its last part.
std::optional<std::vector<std::string>> globbed(const std::string& pattern, const PythonKnowledge& known) {
  const std::string directory = directory_part(pattern);
  const std::string_view last = file_name_of(pattern);
  if (!known.names_in || !directory.starts_with('/') || directory.find('*') != std::string::npos) return std::nullopt;
  if (last.find_first_of("?[") != std::string_view::npos) return std::nullopt;
  std::vector<std::string> paths;
  for (const std::string& name : known.names_in(normalised(directory))) {
    if (paths.size() < kMaxPythonTexts && matches(name, last)) paths.push_back(joined(directory, name));
  }
  return paths;
}

}  // namespace

std::size_t closing_bracket(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size();) {
    if (const std::size_t end = skip_literal(text, i); end != i) {
      i = end;
      continue;
    }
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == ']' || text[i] == '}') --depth;
    if (depth == 0) return i;
    ++i;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> python_arguments(std::string_view text) {
  std::vector<std::string_view> arguments;
  while (arguments.size() < kMaxPythonTexts) {
    const std::size_t comma = std::min(find_outside(text, ","), text.size());
    const std::string_view argument = bare_text(text.substr(0, comma));
    if (!argument.empty() && !argument.starts_with('#')) arguments.push_back(argument);
    if (comma == text.size()) break;
    text.remove_prefix(comma + 1);
  }
  return arguments;
}

std::optional<std::string> python_text(std::string_view expression, const PythonBindings& names,
                                       const PythonKnowledge& known) {
  int steps = kMaxPythonTextSteps;
  return TextReader(expression, names, known, 0, steps).run();
}

std::optional<std::vector<std::string>> python_texts(std::string_view expression, const PythonBindings& names,
                                                     const PythonKnowledge& known) {
  expression = bare_text(expression);
  for (int depth = 0; depth < kMaxPythonTextDepth && !expression.empty(); ++depth) {
    for (const std::string_view call : {"glob.glob(", "glob.iglob(", "glob(", "iglob(", "sorted(", "list("}) {
      if (!expression.starts_with(call) || closing_bracket(expression, call.size() - 1) != expression.size() - 1)
        continue;
      const std::string_view inside = expression.substr(call.size(), expression.size() - call.size() - 1);
      if (call == "sorted(" || call == "list(") return depth == 0 ? python_texts(inside, names, known) : std::nullopt;
      const std::optional<std::string> pattern = python_text(inside, names, known);
      return pattern ? globbed(*pattern, known) : std::nullopt;
    }
    if (expression.front() == '[' || expression.front() == '(') {
      if (closing_bracket(expression, 0) != expression.size() - 1) return std::nullopt;
      std::vector<std::string> texts;
      for (const std::string_view item : python_arguments(expression.substr(1, expression.size() - 2))) {
        std::optional<std::string> text = python_text(item, names, known);
        if (!text) return std::nullopt;
        texts.push_back(*std::move(text));
      }
      return texts.size() < kMaxPythonTexts ? std::optional(std::move(texts)) : std::nullopt;
    }
    const auto binding = names.find(expression);
    if (binding == names.end()) return std::nullopt;
    expression = bare_text(binding->second.expression);
  }
  return std::nullopt;
}

}  // namespace soresolve
