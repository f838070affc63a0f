// Of a Python source: its own functions where they are called, loops over texts that are written out, and calls that
// import or open a library. A function is read once more for each call, with what is known of the arguments.
#include "python/python_source_reader.h"

#include <algorithm>
#include <utility>

#include "python/python_words.h"

namespace soresolve {

void SourceReader::note_function(const PythonLine& head) {
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

// Gives its parameters what is known of the arguments.
void SourceReader::bind(std::string_view parameters, std::string_view arguments, const PythonBindings& outer_names,
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

// What a call of a function of the source does, behind `body`; the text that it returns, if that is known.
std::optional<std::string> SourceReader::follow(const std::string& name, std::string_view arguments, std::uint32_t line,
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

// What the source itself knows; calls of its functions are followed for it.
PythonKnowledge SourceReader::knowledge() {
  return {.call =
              [this](std::string_view name, std::string_view arguments) {
    std::vector<PythonStatement> unused;
    return follow(std::string(name), arguments, 1, unused);
          },
          .decide = [this](std::string_view condition) { return decide(condition); },
          .names_in = place_.names_in};
}

std::optional<std::string> SourceReader::text_of(std::string_view expression) {
  return python_text(expression, names_, knowledge());
}

// Calls of functions of the source, in the order in which they stand there.
void SourceReader::follow_calls(const PythonLine& line, std::vector<PythonStatement>& body) {
  const bool may_be_imported = !imported_.empty() && line.text.find("()") != std::string_view::npos;
  if ((functions_.empty() && !may_be_imported) || line.text.find("lambda") != std::string_view::npos) return;
  for (std::size_t i = 0; i < line.text.size();) {
    if (const std::size_t end = skip_literal(line.text, i); end != i) {
      i = end;
      continue;
    }
    if (!is_python_name(line.text[i])) {
      ++i;
      continue;
    }
    // a(…), or a.b.c(…) where `a` has been imported.
    const bool is_first = i == 0 || line.text[i - 1] != '.';
    std::size_t end = i;
    while (end < line.text.size() && (is_python_name(line.text[end]) || line.text[end] == '.')) ++end;
    const std::string_view name = line.text.substr(i, end - i);
    const bool is_call = is_first && end < line.text.size() && line.text[end] == '(';
    const std::size_t close = is_call ? closing_bracket(line.text, end) : std::string_view::npos;
    if (close != std::string_view::npos) {
      const std::string_view arguments = line.text.substr(end + 1, close - end - 1);
      if (functions_.contains(name))
        follow(std::string(name), arguments, line.number, body);
      else
        follow_import(name, arguments, line.number, body);
    }
    i = end;
  }
}

// A call of something that has been imported; arguments would have to be known in its own source.
void SourceReader::follow_import(std::string_view name, std::string_view arguments, std::uint32_t line,
                                 std::vector<PythonStatement>& body) const {
  if (!bare_text(arguments).empty() || undecided_ != 0) return;
  const std::size_t dot = name.rfind('.');
  PythonStatement call{.kind = PythonStatement::Kind::Call, .line = line};
  if (dot == std::string_view::npos) {
    const auto found = imported_.find(name);
    if (found == imported_.end() || found->second.name.empty()) return;
    call.level = found->second.level;
    call.name = found->second.module;
    call.names = {found->second.name};
  } else {
    const std::size_t first = name.find('.');
    const auto found = imported_.find(name.substr(0, first));
    if (found == imported_.end()) return;
    call.level = found->second.level;
    call.name = found->second.module;
    for (const std::string_view part : {std::string_view(found->second.name), name.substr(first, dot - first)}) {
      if (!part.empty() && !part.starts_with('.') && !call.name.empty()) call.name += '.';
      call.name += part;
    }
    call.names = {std::string(name.substr(dot + 1))};
  }
  body.push_back(std::move(call));
}

// Over texts that are written out: one turn after the other.
void SourceReader::read_for(const PythonLine& head, int depth, std::vector<PythonStatement>& body) {
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
    skip_unknown_suite(head.indent, body);
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

// break, continue, return.
void SourceReader::read_leave(const PythonLine& line, BlockKind kind, std::vector<PythonStatement>& body) {
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

void SourceReader::read_calls(const PythonLine& line, std::vector<PythonStatement>& body) {
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
}  // namespace soresolve
