// Of a Python source: if, try and with. A condition is decided by the platform, the release, files and the source's own
// constants; what is not decided leaves all that depends on it a guess.
#include "python/python_source_reader.h"

#include <algorithm>
#include <utility>

#include "python/python_words.h"

namespace soresolve {
namespace {

/// Can a block around it be left by one of these?
bool leaves(const std::vector<PythonStatement>& body) {
  return std::any_of(body.begin(), body.end(), [](const PythonStatement& statement) {
    return statement.kind == PythonStatement::Kind::Leave || leaves(statement.body) || leaves(statement.otherwise) ||
           std::any_of(statement.handlers.begin(), statement.handlers.end(),
                       [](const PythonStatement::Handler& handler) { return leaves(handler.body); });
  });
}

}  // namespace

void SourceReader::read_with(const PythonLine& head, int depth, std::vector<PythonStatement>& body) {
  std::vector<PythonStatement> inner = read_suite(head, depth);
  const std::size_t suppress = head.text.find("suppress(");
  if (suppress == std::string_view::npos) return append(body, std::move(inner));
  PythonStatement statement{.kind = PythonStatement::Kind::Try, .line = head.number};
  const std::size_t open = suppress + std::string_view("suppress(").size();
  const std::size_t close = std::min(head.text.find(')', open), head.text.size());
  statement.body = std::move(inner);
  statement.handlers.push_back({exceptions_in(head.text.substr(open, close - open)), {}});
  body.push_back(std::move(statement));
}

// Then a guess that it is run would be wrong wherever the source works.
bool SourceReader::raises(const std::vector<PythonStatement>& branch) {
  return std::any_of(branch.begin(), branch.end(),
                     [](const PythonStatement& statement) { return statement.kind == PythonStatement::Kind::Raise; });
}

// The text in `"text" in str(error)`, where `error` is what was caught; nullopt: the condition is another one.
std::optional<std::string> SourceReader::text_of_error(std::string_view condition) {
  const std::size_t in = find_outside(condition, "in");
  if (caught_.empty() || in == std::string_view::npos) return std::nullopt;
  const std::string_view whole = bare_text(condition.substr(in + 2));
  if (whole != "str(" + caught_ + ")" && whole != caught_ + ".msg") return std::nullopt;
  return text_of(condition.substr(0, in));
}

// A handler that looks at the text of what it has caught.
void SourceReader::read_if_says(const PythonLine& head, std::string text, int depth,
                                std::vector<PythonStatement>& body) {
  PythonStatement statement{.kind = PythonStatement::Kind::IfSays, .line = head.number, .name = std::move(text)};
  statement.body = read_suite(head, depth);
  skip_suite(head.indent);
  if (has_line(head.indent) && begins_with_word(lines_[next_].text, "else")) {
    const PythonLine clause = lines_[next_++];
    statement.otherwise = read_suite(clause, depth);
    skip_suite(head.indent);
  }
  body.push_back(std::move(statement));
}

void SourceReader::read_if(PythonLine head, int depth, std::vector<PythonStatement>& body) {
  const std::size_t first_colon = std::min(find_outside(head.text, ":"), head.text.size());
  if (auto text = text_of_error(head.text.substr(2, std::max<std::size_t>(first_colon, 2) - 2)))
    return read_if_says(head, *std::move(text), depth, body);
  enum class Taken { NotYet, Yes, Unknown } taken = Taken::NotYet;
  const std::size_t indent = head.indent;
  while (true) {
    const std::size_t colon = std::min(find_outside(head.text, ":"), head.text.size());
    const std::size_t word = head.text.find_first_of(" (\t");
    const bool is_else = begins_with_word(head.text, "else");
    const bool is_plain = is_else || word >= colon;
    const std::optional<bool> holds = is_plain ? std::optional(true) : decide(head.text.substr(word, colon - word));
    if (taken == Taken::Yes || holds == false) {
      skip_suite(indent);
    } else {
      // Where nothing is decided, else is what a source does in general.
      const bool is_guess = taken == Taken::Unknown || !holds;
      undecided_ += is_guess;
      std::vector<PythonStatement> branch = read_suite(head, depth);
      undecided_ -= is_guess;
      skip_suite(indent);
      const bool is_taken = holds == true && (!is_guess || (is_else && !raises(branch)));
      is_perhaps_left_ = is_perhaps_left_ || (!is_taken && leaves(branch));
      const bool is_by_flags = !holds && taken == Taken::NotYet && followed_ == 0 && raises(branch) &&
                               is_of_flags(head.text.substr(word, colon - word), flags_);
      if (is_taken)
        append(body, std::move(branch));
      else if (is_by_flags)
        body.push_back({.kind = PythonStatement::Kind::IfSet,
                        .line = head.number,
                        .name = std::string(bare_text(head.text.substr(word, colon - word))),
                        .body = std::move(branch)});
      else
        keep_flags(branch, body);
    }
    if (taken == Taken::NotYet && holds != false) taken = holds ? Taken::Yes : Taken::Unknown;
    if (is_else || !has_line(indent)) return;
    if (!begins_with_word(lines_[next_].text, "elif") && !begins_with_word(lines_[next_].text, "else")) return;
    head = lines_[next_++];
  }
}

// "saved = error" in the handler that begins here, and "raise saved" behind it (onnxruntime): what was caught ends
// the import all the same, only later.
bool SourceReader::keeps_for_later(std::size_t indent) const {
  constexpr std::size_t kMostLines = 8;
  constexpr std::string_view kRaise = "raise ";
  if (caught_.empty()) return false;
  for (std::size_t at = next_; at < std::min(lines_.size(), next_ + kMostLines); ++at) {
    if (lines_[at].indent <= indent) break;
    const std::string_view text = lines_[at].text;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || bare_text(text.substr(equals + 1)) != caught_) continue;
    const std::string_view name = bare_text(text.substr(0, equals));
    const auto is_raise = [&](const PythonLine& line) {
      return line.text.starts_with(kRaise) && bare_text(line.text.substr(kRaise.size())) == name;
    };
    return std::any_of(lines_.begin() + static_cast<std::ptrdiff_t>(at), lines_.end(), is_raise);
  }
  return false;
}

// Do these lines do nothing but what is followed here?
bool SourceReader::consists_of_imports(std::size_t first, std::size_t end) const {
  constexpr std::string_view kWords[] = {"import", "from", "pass",    "raise", "if",  "elif",
                                         "try",    "else", "finally", "with",  "def", "except"};
  return std::all_of(lines_.begin() + static_cast<std::ptrdiff_t>(first),
                     lines_.begin() + static_cast<std::ptrdiff_t>(end), [&](const PythonLine& line) {
                       const std::string_view value = python_assignment(line.text).value;
                       return python_truth(value.substr(0, value.find_first_of(" \t#"))).has_value() ||
                              std::any_of(std::begin(kWords), std::end(kWords),
                                          [&](std::string_view word) { return begins_with_word(line.text, word); });
                     });
}

void SourceReader::read_try(const PythonLine& head, int depth, std::vector<PythonStatement>& body) {
  PythonStatement statement{.kind = PythonStatement::Kind::Try, .line = head.number};
  const std::size_t first = next_;
  statement.body = read_suite(head, depth);
  skip_suite(head.indent);
  const bool is_known = consists_of_imports(first, next_);
  bool may_leave = false;
  while (has_line(head.indent)) {
    const PythonLine clause = lines_[next_];
    if (begins_with_word(clause.text, "except")) {
      ++next_;
      const std::size_t colon = std::min(find_outside(clause.text, ":"), clause.text.size());
      PythonStatement::Handler handler{exceptions_in(clause.text.substr(6, std::max<std::size_t>(colon, 6) - 6)), {}};
      const std::string_view names = clause.text.substr(0, colon);
      const std::size_t as = find_outside(names, "as");
      const std::string outer = std::exchange(
          caught_, as == std::string_view::npos ? std::string() : std::string(bare_text(names.substr(as + 2))));
      const bool is_raised_later = keeps_for_later(clause.indent);
      handler.body = read_suite(clause, depth);
      if (is_raised_later) handler.body.push_back({.kind = PythonStatement::Kind::Raise, .line = clause.number});
      caught_ = outer;
      may_leave = may_leave || leaves(handler.body);
      statement.handlers.push_back(std::move(handler));
    } else if (begins_with_word(clause.text, "else") || begins_with_word(clause.text, "finally")) {
      ++next_;
      std::vector<PythonStatement> rest = read_suite(clause, depth);
      // What the body does besides may have failed, as the source expects.
      if (begins_with_word(clause.text, "else") && !is_known) {
        std::erase_if(rest, [](const PythonStatement& each) { return each.kind == PythonStatement::Kind::Raise; });
      }
      append(statement.otherwise, std::move(rest));
    } else {
      break;
    }
    skip_suite(head.indent);
  }
  is_perhaps_left_ = is_perhaps_left_ || may_leave;
  body.push_back(std::move(statement));
}

// "(ImportError, exceptions.Other) as error": ImportError, Other.
std::vector<std::string> SourceReader::exceptions_in(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view word : import_words(text.substr(0, std::min(find_outside(text, "as"), text.size())))) {
    const std::string_view name = word.substr(word.rfind('.') + 1);
    if (!name.empty() && is_python_name(name.front())) names.emplace_back(name);
  }
  return names;
}

std::optional<bool> SourceReader::decide(std::string_view condition) {
  return decide_condition(condition, platform_, constants_, [&](std::string_view atom) { return fact_of(atom); });
}

// Of a condition: is a file there; does a text equal another or stand in it; is there a text at all?
std::optional<bool> SourceReader::fact_of(std::string_view atom) {
  for (const std::string_view call : {"exists(", "isfile(", "isdir(", "is_file(", "is_dir("}) {
    if (!place_.is_there || atom.find(call) == std::string_view::npos || !atom.ends_with(')')) continue;
    const std::size_t open = atom.find(call) + call.size() - 1;
    if (closing_bracket(atom, open) != atom.size() - 1) continue;
    std::string_view path = bare_text(atom.substr(open + 1, atom.size() - open - 2));
    const std::string_view before = atom.substr(0, open + 1 - call.size());
    if (path.empty() && before.ends_with('.')) path = before.substr(0, before.size() - 1);
    const std::size_t walrus = find_outside(path, ":=");
    const std::string_view name =
        walrus == std::string_view::npos ? std::string_view() : bare_text(path.substr(0, walrus));
    if (!name.empty()) path = bare_text(path.substr(walrus + 2));
    const auto text = text_of(path);
    if (!name.empty()) names_.insert_or_assign(std::string(name), PythonBinding{text, {}});
    if (text && text->starts_with('/')) return place_.is_there(*text);
  }
  for (const std::string_view sign : {"==", "!=", "in"}) {
    const std::size_t at = find_outside(atom, sign);
    if (at == std::string_view::npos) continue;
    const auto left = text_of(atom.substr(0, at));
    const auto right = left ? text_of(atom.substr(at + 2)) : std::nullopt;
    if (right && sign == "in") return right->find(*left) != std::string::npos;
    return right ? std::optional((*left == *right) == (sign == "==")) : std::nullopt;
  }
  const bool is_plain = std::all_of(atom.begin(), atom.end(), is_python_name);
  const auto text = is_plain ? text_of(atom) : std::nullopt;
  return text ? std::optional(!text->empty()) : std::nullopt;
}
}  // namespace soresolve
