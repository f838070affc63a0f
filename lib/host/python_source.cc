// A Python source as blocks of what an import does. The lines are those of python_lines.cc; a block is what is indented
// deeper than its head. Nothing but imports, texts given to dlopen, raise and try is looked at, and what tells how the
// source gets there: loops over texts, calls of its own functions.
#include "host/python_source.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "host/python_condition.h"
#include "host/python_flags.h"
#include "host/python_lines.h"
#include "host/python_text.h"
#include "host/python_words.h"

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

class SourceReader {
 public:
  SourceReader(std::string_view source, const PythonPlatform& platform, const PythonPlace& place)
      : lines_(read_python_lines(source)), platform_(platform), place_(place), flags_(python_flags(lines_)),
        handled_(flags_.empty() ? PythonFlags() : assigned_in_handlers(lines_)) {
    for (const auto& [name, text] :
         {std::pair{"__file__", &place.file}, {"__name__", &place.module}, {"__package__", &place.package}}) {
      if (!text->empty()) names_[name].text = *text;
    }
  }

  std::vector<PythonStatement> run() {
    std::vector<PythonStatement> body;
    while (next_ < lines_.size()) read_block(lines_[next_].indent, 0, body);
    return body;
  }

 private:
  enum class BlockKind : std::uint8_t { Loop, Turn, Function };
  /// Of a function that is followed: `return` was met.
  struct Returned {
    std::optional<std::string> text;
  };

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
    depth_ = depth;
    // Lines that are read once more.
    if (!blocks_.empty() && --repeats_left_ < 0) return skip_suite(indent);
    if (begins_with_word(text, "def")) return note_function(head);
    if (begins_with_word(text, "for")) return read_for(head, depth, body);
    if (begins_with_word(text, "async") || begins_with_word(text, "while") || begins_with_word(text, "match")) {
      return skip_suite_with_flags(indent, body);  // run later, or perhaps never
    }
    if (text.starts_with('@')) {
      is_decorated_ = text.find("cache") == std::string_view::npos;
      return;
    }
    if (begins_with_word(text, "class")) return read_class(head, depth, body);
    if (begins_with_word(text, "with")) return read_with(head, depth, body);
    if (begins_with_word(text, "if")) return read_if(head, depth, body);
    if (begins_with_word(text, "try")) return read_try(head, depth, body);
    if (begins_with_word(text, "elif") || begins_with_word(text, "else")) return skip_suite(indent);  // of a loop
    read_simple(head, body);
  }

  // Functions.

  struct Function {
    std::string_view parameters;
    std::size_t first = 0;  ///< line of its suite
    std::size_t end = 0;
  };

  void read_class(const PythonLine& head, int depth, std::vector<PythonStatement>& body) {
    is_decorated_ = false;
    ++classes_;
    append(body, read_suite(head, depth));
    --classes_;
  }

  void note_function(const PythonLine& head) {
    const std::size_t open = head.text.find('(');
    const std::size_t close = open == std::string_view::npos ? open : closing_bracket(head.text, open);
    const std::size_t first = next_;
    skip_suite(head.indent);
    const bool is_plain = classes_ == 0 && !is_decorated_ && close != std::string_view::npos && next_ != first;
    is_decorated_ = false;
    if (open == std::string_view::npos || classes_ != 0) return;
    const std::string name(bare_text(head.text.substr(3, open - 3)));
    functions_.erase(name);
    // A generator runs when it is asked for values.
    const bool yields = std::any_of(
        lines_.begin() + static_cast<std::ptrdiff_t>(first), lines_.begin() + static_cast<std::ptrdiff_t>(next_),
        [](const PythonLine& line) { return line.text.find("yield") != std::string_view::npos; });
    if (is_plain && !yields) functions_[name] = {head.text.substr(open + 1, close - open - 1), first, next_};
  }

  /// Gives its parameters what is known of the arguments.
  void bind(std::string_view parameters, std::string_view arguments, const PythonBindings& outer_names,
            const PythonConstants& outer_constants) {
    const std::vector<std::string_view> given = python_arguments(arguments);
    std::size_t position = 0;
    for (const std::string_view parameter : python_arguments(parameters)) {
      std::size_t end = 0;
      while (end < parameter.size() && is_python_name(parameter[end])) ++end;
      if (end == 0) {
        position = given.size();  // what follows a star has a name
        continue;
      }
      const std::string name(parameter.substr(0, end));
      const std::size_t equals = find_outside(parameter, "=");
      std::string_view value = equals == std::string_view::npos ? std::string_view() : parameter.substr(equals + 1);
      if (position < given.size() && keyword_of_argument(given[position]).empty()) value = given[position++];
      for (const std::string_view argument : given) {
        if (keyword_of_argument(argument) == name) value = behind_equals(argument);
      }
      value = bare_text(value);
      const auto known = outer_constants.find(value);
      constants_[name] = known != outer_constants.end() ? known->second : python_truth(value);
      names_[name] = {python_text(value, outer_names, knowledge()), {}};
    }
  }

  /// What a call of a function of the source does, behind `body`; the text that it returns, if that is known.
  std::optional<std::string> follow(const std::string& name, std::string_view arguments, std::uint32_t line,
                                    std::vector<PythonStatement>& body) {
    const auto found = functions_.find(name);
    if (found == functions_.end() || turns_left_ <= 0 || depth_ + 2 >= kMaxPythonNesting) return std::nullopt;
    const Function function = found->second;
    if (!running_.insert(function.first).second) return std::nullopt;
    --turns_left_;
    PythonBindings outer_names = names_;
    PythonConstants outer_constants = constants_;
    const std::size_t outer_next = next_;
    const int outer_depth = depth_;
    const bool was_perhaps_left = is_perhaps_left_;
    const auto outer_functions = functions_;
    const std::optional<Returned> outer_returned = std::exchange(returned_, std::nullopt);
    bind(function.parameters, arguments, outer_names, outer_constants);
    PythonStatement block{.kind = PythonStatement::Kind::Block, .is_guess = true, .line = line, .name = name};
    blocks_.push_back(BlockKind::Function);
    ++followed_;
    for (next_ = function.first; next_ < function.end;) read_block(lines_[next_].indent, outer_depth + 2, block.body);
    --followed_;
    blocks_.pop_back();
    const std::optional<std::string> text = returned_ ? returned_->text : std::nullopt;
    returned_ = outer_returned;
    functions_ = outer_functions;
    is_perhaps_left_ = was_perhaps_left;
    depth_ = outer_depth;
    next_ = outer_next;
    names_ = std::move(outer_names);
    constants_ = std::move(outer_constants);
    running_.erase(function.first);
    const bool does_nothing = std::all_of(block.body.begin(), block.body.end(), [](const PythonStatement& each) {
      return each.kind == PythonStatement::Kind::Leave && each.level == 1;
    });
    if (!does_nothing) body.push_back(std::move(block));
    return text;
  }

  /// What the source itself knows; calls of its functions are followed for it.
  PythonKnowledge knowledge() {
    return {.call =
                [this](std::string_view name, std::string_view arguments) {
      std::vector<PythonStatement> unused;
      return follow(std::string(name), arguments, 1, unused);
            },
            .decide = [this](std::string_view condition) { return decide(condition); },
            .names_in = place_.names_in};
  }

  std::optional<std::string> text_of(std::string_view expression) {
    return python_text(expression, names_, knowledge());
  }

  /// Calls of functions of the source, in the order in which they stand there.
  void follow_calls(const PythonLine& line, std::vector<PythonStatement>& body) {
    if (functions_.empty() || line.text.find("lambda") != std::string_view::npos) return;
    for (std::size_t i = 0; i < line.text.size();) {
      if (const std::size_t end = skip_literal(line.text, i); end != i) {
        i = end;
        continue;
      }
      if (!is_python_name(line.text[i])) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < line.text.size() && is_python_name(line.text[end])) ++end;
      const bool is_call = end < line.text.size() && line.text[end] == '(' && (i == 0 || line.text[i - 1] != '.');
      const std::size_t close = is_call ? closing_bracket(line.text, end) : std::string_view::npos;
      if (close != std::string_view::npos) {
        follow(std::string(line.text.substr(i, end - i)), line.text.substr(end + 1, close - end - 1), line.number,
               body);
      }
      i = end;
    }
  }

  // Loops.

  /// Over texts that are written out: one turn after the other.
  void read_for(const PythonLine& head, int depth, std::vector<PythonStatement>& body) {
    const std::size_t in = find_outside(head.text, "in");
    const std::size_t colon = find_outside(head.text, ":");
    const bool is_whole = in != std::string_view::npos && colon != std::string_view::npos && in < colon;
    const std::string name(is_whole ? bare_text(head.text.substr(3, in - 3)) : std::string_view());
    const bool is_plain = !name.empty() && std::all_of(name.begin(), name.end(), is_python_name);
    const auto texts =
        is_plain ? python_texts(head.text.substr(in + 2, colon - in - 2), names_, knowledge()) : std::nullopt;
    const bool is_followed = texts && depth + 2 < kMaxPythonNesting;
    const std::size_t first = next_;
    const bool was_perhaps_left = is_perhaps_left_;
    PythonStatement loop{.kind = PythonStatement::Kind::Block, .line = head.number};
    blocks_.push_back(BlockKind::Loop);
    for (std::size_t i = 0; is_followed && i < texts->size() && turns_left_ > 0; ++i) {
      --turns_left_;
      next_ = first;
      names_[name] = {(*texts)[i], {}};
      PythonStatement turn{.kind = PythonStatement::Kind::Block, .line = head.number};
      blocks_.push_back(BlockKind::Turn);
      turn.body = read_suite(head, depth + 2);
      blocks_.pop_back();
      if (!turn.body.empty()) loop.body.push_back(std::move(turn));
    }
    next_ = first;
    if (is_followed)
      skip_suite(head.indent);
    else
      skip_suite_with_flags(head.indent, body);
    if (is_followed && has_line(head.indent) && begins_with_word(lines_[next_].text, "else")) {
      const PythonLine clause = lines_[next_++];
      append(loop.body, read_suite(clause, depth + 2));
      skip_suite(head.indent);
    }
    blocks_.pop_back();
    if (running_.empty()) is_perhaps_left_ = was_perhaps_left;
    names_.erase(name);
    if (!loop.body.empty()) body.push_back(std::move(loop));
  }

  /// break, continue, return.
  void read_leave(const PythonLine& line, BlockKind kind, std::vector<PythonStatement>& body) {
    for (std::size_t i = blocks_.size(); i-- > 0;) {
      if (blocks_[i] == kind) {
        body.push_back({.kind = PythonStatement::Kind::Leave,
                        .line = line.number,
                        .level = static_cast<std::uint32_t>(blocks_.size() - i)});
        break;
      }
      if (blocks_[i] == BlockKind::Function) break;
    }
    if (kind != BlockKind::Function || returned_) return;
    const bool is_known = undecided_ == 0 && !is_perhaps_left_;
    returned_ = Returned{is_known ? text_of(line.text.substr(6)) : std::nullopt};
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

  /// The text in `"text" in str(error)`, where `error` is what was caught; nullopt: the condition is another one.
  std::optional<std::string> text_of_error(std::string_view condition) {
    const std::size_t in = find_outside(condition, "in");
    if (caught_.empty() || in == std::string_view::npos) return std::nullopt;
    const std::string_view whole = bare_text(condition.substr(in + 2));
    if (whole != "str(" + caught_ + ")" && whole != caught_ + ".msg") return std::nullopt;
    return text_of(condition.substr(0, in));
  }

  /// A handler that looks at the text of what it has caught.
  void read_if_says(const PythonLine& head, std::string text, int depth, std::vector<PythonStatement>& body) {
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

  void read_if(PythonLine head, int depth, std::vector<PythonStatement>& body) {
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

  /// "saved = error" in the handler that begins here, and "raise saved" behind it (onnxruntime): what was caught ends
  /// the import all the same, only later.
  [[nodiscard]] bool keeps_for_later(std::size_t indent) const {
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

  /// Do these lines do nothing but what is followed here?
  [[nodiscard]] bool consists_of_imports(std::size_t first, std::size_t end) const {
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

  void read_try(const PythonLine& head, int depth, std::vector<PythonStatement>& body) {
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

  /// "(ImportError, exceptions.Other) as error": ImportError, Other.
  static std::vector<std::string> exceptions_in(std::string_view text) {
    std::vector<std::string> names;
    for (const std::string_view word : import_words(text.substr(0, std::min(find_outside(text, "as"), text.size())))) {
      const std::string_view name = word.substr(word.rfind('.') + 1);
      if (!name.empty() && is_python_name(name.front())) names.emplace_back(name);
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
    for (std::size_t i = before; i < body.size(); ++i) {
      body[i].is_guess = body[i].is_guess || undecided_ != 0 || followed_ != 0;
      // Nor would a guess be right that leads to a failure.
      body[i].is_uncertain = body[i].is_uncertain || is_perhaps_left_ || undecided_ != 0;
    }
  }

  void read_kind(const PythonLine& line, std::vector<PythonStatement>& body) {
    if (begins_with_word(line.text, "import")) return read_import(line, body);
    if (begins_with_word(line.text, "from")) return read_from(line, body);
    if (begins_with_word(line.text, "raise")) return is_perhaps_left_ ? void() : read_raise(line, body);
    if (begins_with_word(line.text, "break")) return read_leave(line, BlockKind::Loop, body);
    if (begins_with_word(line.text, "continue")) return read_leave(line, BlockKind::Turn, body);
    if (begins_with_word(line.text, "return")) {
      read_calls(line, body);
      return read_leave(line, BlockKind::Function, body);
    }
    if (line.text.find("sys.path") != std::string_view::npos) read_path(line, body);
    // Most lines are nothing of this; the cheap question first.
    if (line.text.find('(') != std::string_view::npos) read_calls(line, body);
    read_assignment(line, body);
  }

  /// sys.path.insert(0, "…"), and what else is done to it.
  void read_path(const PythonLine& line, std::vector<PythonStatement>& body) {
    PythonStatement statement{.kind = PythonStatement::Kind::Path, .line = line.number};
    const auto inserted = arguments_of_call(line.text, "sys.path.insert(");
    const auto appended = arguments_of_call(line.text, "sys.path.append(");
    const std::vector<std::string_view> arguments = python_arguments(inserted ? *inserted : appended.value_or(""));
    statement.is_global = inserted.has_value();
    if (!arguments.empty()) {
      statement.name = text_of(arguments.back()).value_or("");
    } else {
      const std::size_t at = line.text.find("sys.path");
      const std::string_view behind = line.text.substr(at + std::string_view("sys.path").size());
      const bool is_changed = behind.starts_with(".extend(") || behind.starts_with(".remove(") ||
                              behind.starts_with(" +=") || behind.starts_with(" = ") || behind.starts_with("[");
      if (!is_changed) return;
    }
    body.push_back(std::move(statement));
  }

  void read_raise(const PythonLine& line, std::vector<PythonStatement>& body) {
    PythonStatement statement{.kind = PythonStatement::Kind::Raise, .line = line.number};
    const std::vector<std::string_view> words = import_words(line.text.substr(5));
    // A variable may be anything; classes have an upper case letter.
    const std::string_view type =
        words.empty() ? std::string_view() : words.front().substr(words.front().rfind('.') + 1);
    if (!type.empty() && type.front() >= 'A' && type.front() <= 'Z') {
      statement.name = type;
      const auto arguments = arguments_of_call(line.text, std::string(type) + "(");
      const auto message = arguments ? text_of(*arguments) : std::nullopt;
      if (message && !message->empty()) statement.names.push_back(*message);
    }
    body.push_back(std::move(statement));
  }

  /// NAME = True, NAME = "text", and what else it becomes.
  void read_assignment(const PythonLine& line, std::vector<PythonStatement>& body) {
    const auto [name, value] = python_assignment(line.text);
    if (name.empty()) return;
    if (value.empty()) {
      set_flag(name, PythonValue::Unknown, line, body);
      return forget(name);
    }
    std::optional<bool> constant = python_truth(value.substr(0, value.find_first_of(" \t#")));
    const bool is_none = constant == false && value.starts_with("None");
    const bool may_be_decided = !constant && (value.starts_with("sys.") || value.starts_with("platform.") ||
                                              value.starts_with("os.") || value.starts_with("not "));
    if (may_be_decided) constant = decide(value);
    const bool is_error = !caught_.empty() && (value == caught_ || value == "str(" + caught_ + ")");
    set_flag(name,
             is_none    ? PythonValue::None
             : constant ? (*constant ? PythonValue::True : PythonValue::False)
             : is_error ? PythonValue::True
                        : PythonValue::Unknown,
             line, body);
    const auto [known, is_new] = constants_.try_emplace(std::string(name), constant);
    if (!is_new && known->second != constant) known->second.reset();
    // Which value it has is known only where it is known what fails.
    if (undecided_ != 0 || handled_.contains(name)) known->second.reset();
    const bool is_own = value.find(name) != std::string_view::npos;
    PythonBinding binding = is_own ? PythonBinding{python_text(value, names_), {}} : PythonBinding{{}, value};
    if (undecided_ != 0) binding = {};
    names_.insert_or_assign(std::string(name), std::move(binding));
  }

  /// Names of functions and classes are others.
  [[nodiscard]] bool is_flag(std::string_view name) const {
    return followed_ == 0 && classes_ == 0 && flags_.contains(name);
  }

  void set_flag(std::string_view name, PythonValue value, const PythonLine& line, std::vector<PythonStatement>& body) {
    if (!is_flag(name)) return;
    if (undecided_ != 0) value = PythonValue::Unknown;
    body.push_back(
        {.kind = PythonStatement::Kind::Set, .line = line.number, .name = std::string(name), .value = value});
  }

  /// What a branch assigns that is perhaps run, or a loop whose turns are not followed.
  static void keep_flags(std::vector<PythonStatement>& from, std::vector<PythonStatement>& body) {
    for (PythonStatement& statement : from) {
      if (statement.kind == PythonStatement::Kind::Set) {
        statement.value = PythonValue::Unknown;
        statement.names.clear();
        body.push_back(std::move(statement));
        continue;
      }
      keep_flags(statement.body, body);
      for (PythonStatement::Handler& handler : statement.handlers) keep_flags(handler.body, body);
      keep_flags(statement.otherwise, body);
    }
  }

  /// The same of lines that are not read.
  void skip_suite_with_flags(std::size_t indent, std::vector<PythonStatement>& body) {
    for (; next_ < lines_.size() && lines_[next_].indent > indent; ++next_) {
      if (flags_.empty()) continue;
      const auto assigned = python_assignment(lines_[next_].text);
      if (!assigned.name.empty()) set_flag(assigned.name, PythonValue::Unknown, lines_[next_], body);
    }
  }

  void forget(std::string_view name) {
    constants_.insert_or_assign(std::string(name), std::nullopt);
    names_.insert_or_assign(std::string(name), PythonBinding{});
  }

  [[nodiscard]] std::optional<bool> decide(std::string_view condition) {
    return decide_condition(condition, platform_, constants_, [&](std::string_view atom) { return fact_of(atom); });
  }

  /// Of a condition: is a file there; does a text equal another or stand in it; is there a text at all?
  std::optional<bool> fact_of(std::string_view atom) {
    for (const std::string_view call : {"exists(", "isfile(", "isdir(", "is_file(", "is_dir("}) {
      if (!place_.is_there || atom.find(call) == std::string_view::npos || !atom.ends_with(')')) continue;
      const std::size_t open = atom.find(call) + call.size() - 1;
      if (closing_bracket(atom, open) != atom.size() - 1) continue;
      std::string_view path = bare_text(atom.substr(open + 1, atom.size() - open - 2));
      const std::string_view before = atom.substr(0, open + 1 - call.size());
      if (path.empty() && before.ends_with('.')) path = before.substr(0, before.size() - 1);
      const auto text = text_of(path);
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

  void read_import(const PythonLine& line, std::vector<PythonStatement>& body) {
    bool is_alias = false;
    for (const std::string_view word : import_words(line.text.substr(6))) {
      if (word == ",") {
        is_alias = false;
      } else if (word == "as") {
        is_alias = true;
      } else if (!is_alias && is_python_name(word.front())) {
        body.push_back({.kind = PythonStatement::Kind::Import, .line = line.number, .name = std::string(word)});
      }
      if (is_python_name(word.front()) && word != "as") bind_import(word, line, body);
    }
  }

  /// A module has the name now.
  void bind_import(std::string_view name, const PythonLine& line, std::vector<PythonStatement>& body) {
    if (const auto known = constants_.find(name); known != constants_.end()) known->second.reset();
    set_flag(name, PythonValue::True, line, body);
  }

  void read_from(const PythonLine& line, std::vector<PythonStatement>& body) {
    const std::vector<std::string_view> words = import_words(line.text.substr(4));
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
    std::vector<PythonStatement> flags;
    for (; at < words.size(); ++at) {
      if (words[at] == ",")
        is_alias = false;
      else if (words[at] == "as")
        is_alias = true;
      else if (!is_alias)
        statement.names.emplace_back(words[at]);
      const bool is_bound = is_alias ? words[at] != "as" : at + 1 == words.size() || words[at + 1] != "as";
      const auto known = is_bound ? constants_.find(words[at]) : constants_.end();
      if (known != constants_.end()) known->second.reset();
      if (is_bound && is_flag(words[at]) && !statement.names.empty()) {
        flags.push_back({.kind = PythonStatement::Kind::Set,
                         .line = line.number,
                         .level = statement.level,
                         .name = std::string(words[at]),
                         .names = {statement.name, statement.names.back()}});
      }
    }
    body.push_back(std::move(statement));
    if (undecided_ == 0)
      append(body, std::move(flags));
    else
      keep_flags(flags, body);
  }

  void read_calls(const PythonLine& line, std::vector<PythonStatement>& body) {
    for (const std::string_view call : {"import_module(", "__import__("}) {
      const auto inside = arguments_of_call(line.text, call);
      const std::vector<std::string_view> arguments =
          inside ? python_arguments(*inside) : std::vector<std::string_view>();
      std::string name = arguments.empty() ? std::string() : text_of(arguments.front()).value_or("");
      if (name.starts_with('.') && arguments.size() == 2) {
        const std::string_view package =
            keyword_of_argument(arguments[1]) == "package" ? behind_equals(arguments[1]) : arguments[1];
        const auto base = text_of(package);
        const bool is_in_it = base && !base->empty() && name.find_first_not_of('.') == 1;
        name = is_in_it ? *base + name : std::string();
      }
      const bool is_module = !name.empty() && !name.starts_with('.') && name.find('/') == std::string::npos;
      if (is_module) body.push_back({.kind = PythonStatement::Kind::Import, .line = line.number, .name = name});
    }
    for (const std::string_view call : {"CDLL(", "PyDLL(", "LoadLibrary(", "ops.load_library(", "ffi.dlopen("}) {
      const auto inside = arguments_of_call(line.text, call);
      const std::vector<std::string_view> arguments =
          inside ? python_arguments(*inside) : std::vector<std::string_view>();
      const std::string name = arguments.empty() ? std::string() : text_of(arguments.front()).value_or("");
      if (name.find(".so") == std::string::npos) continue;
      const bool is_global = line.text.find("RTLD_GLOBAL") != std::string_view::npos;
      body.push_back({.kind = PythonStatement::Kind::Load, .line = line.number, .name = name, .is_global = is_global});
    }
    follow_calls(line, body);
  }

  std::vector<PythonLine> lines_;
  const PythonPlatform& platform_;
  const PythonPlace& place_;
  PythonFlags flags_;
  PythonFlags handled_;  ///< of them those that a handler assigns to
  PythonConstants constants_;
  PythonBindings names_;
  std::map<std::string, Function, std::less<>> functions_;
  std::set<std::size_t> running_;  ///< functions that are followed, by their first lines
  std::vector<BlockKind> blocks_;  ///< around the line
  std::optional<Returned> returned_;
  std::string caught_;            ///< the name of what the handler around the line has caught
  int undecided_ = 0;             ///< conditions around the line that were not decided
  int followed_ = 0;              ///< functions around it that are followed
  int classes_ = 0;               ///< classes around it
  int depth_ = 0;                 ///< blocks around it, with those of callers
  bool is_decorated_ = false;     ///< the line before is a decorator
  bool is_perhaps_left_ = false;  ///< a condition that was not decided may have led away
  int turns_left_ = kMaxPythonTurns;
  int repeats_left_ = kMaxPythonRepeats;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<PythonStatement> read_python_source(std::string_view source, const PythonPlatform& platform,
                                                const PythonPlace& place) {
  return SourceReader(source, platform, place).run();
}

}  // namespace soresolve
