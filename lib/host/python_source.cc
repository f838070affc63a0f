// A Python source as blocks of what an import does. The lines are those of python_lines.cc; a block is what is indented
// deeper than its head. Nothing but imports, constants given to dlopen, raise and try is looked at.
#include "host/python_source.h"

#include <algorithm>
#include <optional>

#include "host/python_condition.h"
#include "host/python_lines.h"

namespace soresolve {
namespace {

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool has_word(std::string_view text, std::string_view word) {
  return text.starts_with(word) && (text.size() == word.size() || !is_name(text[word.size()]));
}

/// The words of an import statement: names with their dots, commas, brackets and stars each for itself.
std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '#') {
      i = skip_literal(text, i);
    } else if (is_name(c) || c == '.') {
      std::size_t end = i;
      while (end < text.size() && (is_name(text[end]) || text[end] == '.')) ++end;
      words.push_back(text.substr(i, end - i));
      i = end;
    } else {
      if (c == ',' || c == '*' || c == ';') words.push_back(text.substr(i, 1));
      ++i;
    }
  }
  return words;
}

/// The constant that a call's first argument is: CALL"TEXT"; empty for anything else.
std::string_view constant_argument(std::string_view text, std::string_view call) {
  const std::size_t at = find_outside(text, call);
  if (at == std::string_view::npos) return {};
  std::size_t open = at + call.size();
  while (open < text.size() && (text[open] == ' ' || text[open] == '\n' || text[open] == '(')) ++open;
  if (open >= text.size() || (text[open] != '"' && text[open] != '\'')) return {};
  const std::size_t end = skip_literal(text, open);
  if (end < open + 2 || end >= text.size() || (text[end] != ')' && text[end] != ',')) return {};
  return text.substr(open + 1, end - open - 2);
}

class SourceReader {
 public:
  SourceReader(std::string_view source, const PythonPlatform& platform)
      : lines_(read_python_lines(source)), platform_(platform) {}

  std::vector<PythonStatement> run() {
    std::vector<PythonStatement> body;
    while (next_ < lines_.size()) read_block(lines_[next_].indent, 0, body);
    return body;
  }

 private:
  [[nodiscard]] bool has_line(std::size_t indent) const {
    return next_ < lines_.size() && lines_[next_].indent == indent;
  }

  /// All lines of `indent` in a row, with what belongs to them.
  void read_block(std::size_t indent, int depth, std::vector<PythonStatement>& body) {
    while (has_line(indent)) {
      const std::size_t before = next_;
      read_statement(indent, depth, body);
      if (next_ == before) ++next_;
      // What is indented deeper without a head is no Python.
      while (next_ < lines_.size() && lines_[next_].indent > indent) ++next_;
    }
  }

  /// The suite of the line that has been read: what stands behind its colon, or the block below.
  std::vector<PythonStatement> read_suite(const PythonLine& head, int depth) {
    std::vector<PythonStatement> body;
    const std::size_t colon = find_outside(head.text, ":");
    std::string_view rest = colon == std::string_view::npos ? std::string_view() : head.text.substr(colon + 1);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (!rest.empty() && !rest.starts_with('#')) {
      read_simple({head.indent, head.number, rest}, body);
      return body;
    }
    if (next_ < lines_.size() && lines_[next_].indent > head.indent && depth < kMaxPythonNesting)
      read_block(lines_[next_].indent, depth + 1, body);
    return body;
  }

  void skip_suite(std::size_t indent) {
    while (next_ < lines_.size() && lines_[next_].indent > indent) ++next_;
  }

  static void append(std::vector<PythonStatement>& to, std::vector<PythonStatement> from) {
    std::move(from.begin(), from.end(), std::back_inserter(to));
  }

  void read_statement(std::size_t indent, int depth, std::vector<PythonStatement>& body) {
    const PythonLine head = lines_[next_++];
    const std::string_view text = head.text;
    if (has_word(text, "def") || has_word(text, "async") || has_word(text, "for") || has_word(text, "while") ||
        has_word(text, "match")) {
      return skip_suite(indent);  // run later, or perhaps never
    }
    if (has_word(text, "class")) return append(body, read_suite(head, depth));
    if (has_word(text, "with")) return read_with(head, depth, body);
    if (has_word(text, "if")) return read_if(head, depth, body);
    if (has_word(text, "try")) return read_try(head, depth, body);
    if (has_word(text, "elif") || has_word(text, "else")) return skip_suite(indent);  // of a loop
    read_simple(head, body);
  }

  void read_with(const PythonLine& head, int depth, std::vector<PythonStatement>& body) {
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

  /// Then a guess that it is run would be wrong wherever the source works.
  static bool raises(const std::vector<PythonStatement>& branch) {
    return std::any_of(branch.begin(), branch.end(),
                       [](const PythonStatement& statement) { return statement.kind == PythonStatement::Kind::Raise; });
  }

  void read_if(PythonLine head, int depth, std::vector<PythonStatement>& body) {
    enum class Taken { NotYet, Yes, Unknown } taken = Taken::NotYet;
    const std::size_t indent = head.indent;
    while (true) {
      const std::size_t colon = std::min(find_outside(head.text, ":"), head.text.size());
      const std::size_t word = head.text.find_first_of(" (\t");
      const bool is_else = has_word(head.text, "else");
      const bool is_plain = is_else || word >= colon;
      const std::optional<bool> holds =
          is_plain ? std::optional(true)
                   : decide_condition(head.text.substr(word, colon - word), platform_, constants_);
      if (taken == Taken::Yes || holds == false) {
        skip_suite(indent);
      } else {
        // Where nothing is decided, else is what a source does in general.
        const bool is_guess = taken == Taken::Unknown || !holds;
        undecided_ += is_guess;
        std::vector<PythonStatement> branch = read_suite(head, depth);
        undecided_ -= is_guess;
        skip_suite(indent);
        if (holds == true && (!is_guess || (is_else && !raises(branch)))) append(body, std::move(branch));
      }
      if (taken == Taken::NotYet && holds != false) taken = holds ? Taken::Yes : Taken::Unknown;
      if (is_else || !has_line(indent)) return;
      if (!has_word(lines_[next_].text, "elif") && !has_word(lines_[next_].text, "else")) return;
      head = lines_[next_++];
    }
  }

  void read_try(const PythonLine& head, int depth, std::vector<PythonStatement>& body) {
    PythonStatement statement{.kind = PythonStatement::Kind::Try, .line = head.number};
    statement.body = read_suite(head, depth);
    skip_suite(head.indent);
    while (has_line(head.indent)) {
      const PythonLine clause = lines_[next_];
      if (has_word(clause.text, "except")) {
        ++next_;
        const std::size_t colon = std::min(find_outside(clause.text, ":"), clause.text.size());
        PythonStatement::Handler handler{exceptions_in(clause.text.substr(6, std::max<std::size_t>(colon, 6) - 6)), {}};
        handler.body = read_suite(clause, depth);
        statement.handlers.push_back(std::move(handler));
      } else if (has_word(clause.text, "else") || has_word(clause.text, "finally")) {
        ++next_;
        append(statement.otherwise, read_suite(clause, depth));
      } else {
        break;
      }
      skip_suite(head.indent);
    }
    body.push_back(std::move(statement));
  }

  /// "(ImportError, exceptions.Other) as error": ImportError, Other.
  static std::vector<std::string> exceptions_in(std::string_view text) {
    std::vector<std::string> names;
    for (const std::string_view word : words_in(text.substr(0, std::min(find_outside(text, "as"), text.size())))) {
      const std::string_view name = word.substr(word.rfind('.') + 1);
      if (!name.empty() && is_name(name.front())) names.emplace_back(name);
    }
    return names;
  }

  /// A line without a block; several statements with semicolons between them.
  void read_simple(const PythonLine& line, std::vector<PythonStatement>& body) {
    std::string_view rest = line.text;
    while (!rest.empty()) {
      const std::size_t end = std::min(find_outside(rest, ";"), rest.size());
      read_one({line.indent, line.number, rest.substr(0, end)}, body);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    }
  }

  void read_one(const PythonLine& line, std::vector<PythonStatement>& body) {
    const std::size_t before = body.size();
    read_kind(line, body);
    for (std::size_t i = before; i < body.size(); ++i) body[i].is_guess = undecided_ != 0;
  }

  void read_kind(const PythonLine& line, std::vector<PythonStatement>& body) {
    if (has_word(line.text, "import")) return read_import(line, body);
    if (has_word(line.text, "from")) return read_from(line, body);
    if (has_word(line.text, "raise")) return read_raise(line, body);
    // Most lines are nothing of this; the cheap question first.
    if (line.text.find('(') == std::string_view::npos) return read_assignment(line.text);
    read_calls(line, body);
  }

  static void read_raise(const PythonLine& line, std::vector<PythonStatement>& body) {
    PythonStatement statement{.kind = PythonStatement::Kind::Raise, .line = line.number};
    const std::vector<std::string_view> words = words_in(line.text.substr(5));
    // A variable may be anything; classes have an upper case letter.
    const std::string_view type =
        words.empty() ? std::string_view() : words.front().substr(words.front().rfind('.') + 1);
    if (!type.empty() && type.front() >= 'A' && type.front() <= 'Z') {
      statement.name = type;
      const std::string_view message = constant_argument(line.text, std::string(type) + "(");
      if (!message.empty()) statement.names.emplace_back(message);
    }
    body.push_back(std::move(statement));
  }

  /// NAME = True, and what else it becomes.
  void read_assignment(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && is_name(text[end])) ++end;
    const std::size_t equals = text.find_first_not_of(" \t", end);
    if (end == 0 || equals == std::string_view::npos || text[equals] != '=') return;
    if (equals + 1 < text.size() && text[equals + 1] == '=') return;
    std::string_view value = text.substr(equals + 1);
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    value = value.substr(0, value.find_first_of(" \t#"));
    std::optional<bool> constant;
    if (value == "True" || value == "1") constant = true;
    if (value == "False" || value == "0" || value == "None") constant = false;
    const auto [known, is_new] = constants_.try_emplace(std::string(text.substr(0, end)), constant);
    if (!is_new && known->second != constant) known->second.reset();
    if (undecided_ != 0) known->second.reset();
  }

  void read_import(const PythonLine& line, std::vector<PythonStatement>& body) {
    bool is_alias = false;
    for (const std::string_view word : words_in(line.text.substr(6))) {
      if (word == ",") {
        is_alias = false;
      } else if (word == "as") {
        is_alias = true;
      } else if (!is_alias && is_name(word.front())) {
        body.push_back({.kind = PythonStatement::Kind::Import, .line = line.number, .name = std::string(word)});
      }
    }
  }

  void read_from(const PythonLine& line, std::vector<PythonStatement>& body) {
    const std::vector<std::string_view> words = words_in(line.text.substr(4));
    PythonStatement statement{.kind = PythonStatement::Kind::From, .line = line.number};
    std::size_t at = 0;
    std::string_view module = words.empty() ? std::string_view() : words[at++];
    const std::size_t dots = std::min(module.find_first_not_of('.'), module.size());
    statement.level = static_cast<std::uint32_t>(dots);
    module.remove_prefix(dots);
    // "from . import x" and "from .import x" are the same.
    if (module != "import" || dots == 0) {
      statement.name = module;
      if (at >= words.size() || words[at] != "import") return;
      ++at;
    }
    bool is_alias = false;
    for (; at < words.size(); ++at) {
      if (words[at] == ",")
        is_alias = false;
      else if (words[at] == "as")
        is_alias = true;
      else if (!is_alias)
        statement.names.emplace_back(words[at]);
    }
    body.push_back(std::move(statement));
  }

  static void read_calls(const PythonLine& line, std::vector<PythonStatement>& body) {
    for (const std::string_view call : {"import_module(", "__import__("}) {
      const std::string_view name = constant_argument(line.text, call);
      const std::size_t dots = std::min(name.find_first_not_of('.'), name.size());
      if (name.empty() || name.find('/') != std::string_view::npos) continue;
      if (dots != 0) continue;  // relative to an argument
      body.push_back({.kind = PythonStatement::Kind::Import, .line = line.number, .name = std::string(name)});
    }
    for (const std::string_view call : {"CDLL(", "PyDLL(", "LoadLibrary(", "ops.load_library(", "ffi.dlopen("}) {
      const std::string_view name = constant_argument(line.text, call);
      if (name.find(".so") == std::string_view::npos) continue;
      const bool is_global = line.text.find("RTLD_GLOBAL") != std::string_view::npos;
      body.push_back({.kind = PythonStatement::Kind::Load,
                      .line = line.number,
                      .name = std::string(name),
                      .is_global = is_global});
    }
  }

  std::vector<PythonLine> lines_;
  const PythonPlatform& platform_;
  PythonConstants constants_;
  int undecided_ = 0;  ///< conditions around the line that were not decided
  std::size_t next_ = 0;
};

}  // namespace

std::vector<PythonStatement> read_python_source(std::string_view source, const PythonPlatform& platform) {
  return SourceReader(source, platform).run();
}

}  // namespace soresolve
