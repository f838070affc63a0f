// A Python source as blocks of what an import does. The lines are those of python_lines.cc; a block is what is indented
// deeper than its head. Nothing but imports, texts given to dlopen, raise and try is looked at, and what tells how the
// source gets there: loops over texts, calls of its own functions.
#include "python/python_source.h"

#include <algorithm>
#include <utility>

#include "python/python_source_reader.h"
#include "python/python_words.h"

namespace soresolve {
SourceReader::SourceReader(std::string_view source, const PythonPlatform& platform, const PythonPlace& place)
    : lines_(read_python_lines(source)), platform_(platform), place_(place), flags_(python_flags(lines_)),
      handled_(flags_.empty() ? PythonFlags() : assigned_in_handlers(lines_)) {
  for (const auto& [name, text] :
       {std::pair{"__file__", &place.file}, {"__name__", &place.module}, {"__package__", &place.package}}) {
    if (!text->empty()) names_[name].text = *text;
  }
}

std::vector<PythonStatement> SourceReader::run() {
  std::vector<PythonStatement> body;
  while (next_ < lines_.size()) read_block(lines_[next_].indent, 0, body);
  return body;
}

std::vector<PythonStatement> SourceReader::run_function(const std::string& name) {
  std::vector<PythonStatement> body;
  is_perhaps_left_ = false;
  follow(name, {}, 1, body);
  return body;
}

bool SourceReader::has_line(std::size_t indent) const {
  return next_ < lines_.size() && lines_[next_].indent == indent;
}

// All lines of `indent` in a row, with what belongs to them.
void SourceReader::read_block(std::size_t indent, int depth, std::vector<PythonStatement>& body) {
  while (has_line(indent)) {
    const std::size_t before = next_;
    read_statement(indent, depth, body);
    if (next_ == before) ++next_;
    // What is indented deeper without a head is no Python.
    while (next_ < lines_.size() && lines_[next_].indent > indent) ++next_;
  }
}

// The suite of the line that has been read: what stands behind its colon, or the block below.
std::vector<PythonStatement> SourceReader::read_suite(const PythonLine& head, int depth) {
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

void SourceReader::skip_suite(std::size_t indent) {
  while (next_ < lines_.size() && lines_[next_].indent > indent) ++next_;
}

// A suite of which it is not known whether, or how often, it is run: one that may return leaves all that follows in the
// function uncertain, most of all the exception at its end.
void SourceReader::skip_unknown_suite(std::size_t indent, std::vector<PythonStatement>& body) {
  for (std::size_t at = next_; at < lines_.size() && lines_[at].indent > indent && !is_perhaps_left_; ++at)
    is_perhaps_left_ = lines_[at].text.find("return") != std::string_view::npos;
  skip_suite_with_flags(indent, body);
}

void SourceReader::append(std::vector<PythonStatement>& to, std::vector<PythonStatement> from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

void SourceReader::read_statement(std::size_t indent, int depth, std::vector<PythonStatement>& body) {
  const PythonLine head = lines_[next_++];
  const std::string_view text = head.text;
  depth_ = depth;
  // Lines that are read once more.
  if (!blocks_.empty() && --repeats_left_ < 0) return skip_suite(indent);
  if (begins_with_word(text, "def")) return note_function(head);
  if (begins_with_word(text, "for")) return read_for(head, depth, body);
  if (begins_with_word(text, "async") || begins_with_word(text, "while") || begins_with_word(text, "match")) {
    return skip_unknown_suite(indent, body);  // run later, or perhaps never
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

void SourceReader::read_class(const PythonLine& head, int depth, std::vector<PythonStatement>& body) {
  is_decorated_ = false;
  ++classes_;
  append(body, read_suite(head, depth));
  --classes_;
}

// A line without a block; several statements with semicolons between them.
void SourceReader::read_simple(const PythonLine& line, std::vector<PythonStatement>& body) {
  std::string_view rest = line.text;
  while (!rest.empty()) {
    const std::size_t end = std::min(find_outside(rest, ";"), rest.size());
    read_one({line.indent, line.number, rest.substr(0, end)}, body);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  }
}

void SourceReader::read_one(const PythonLine& line, std::vector<PythonStatement>& body) {
  const std::size_t before = body.size();
  read_kind(line, body);
  for (std::size_t i = before; i < body.size(); ++i) {
    body[i].is_guess = body[i].is_guess || undecided_ != 0 || followed_ != 0;
    // Nor would a guess be right that leads to a failure.
    body[i].is_uncertain = body[i].is_uncertain || is_perhaps_left_ || undecided_ != 0;
  }
}

void SourceReader::read_kind(const PythonLine& line, std::vector<PythonStatement>& body) {
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

// sys.path.insert(0, "…"), and what else is done to it.
void SourceReader::read_path(const PythonLine& line, std::vector<PythonStatement>& body) {
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

void SourceReader::read_raise(const PythonLine& line, std::vector<PythonStatement>& body) {
  PythonStatement statement{.kind = PythonStatement::Kind::Raise, .line = line.number};
  const std::vector<std::string_view> words = import_words(line.text.substr(5));
  // A variable may be anything; classes have an upper case letter.
  const std::string_view type = words.empty() ? std::string_view() : words.front().substr(words.front().rfind('.') + 1);
  if (!type.empty() && type.front() >= 'A' && type.front() <= 'Z') {
    statement.name = type;
    const auto arguments = arguments_of_call(line.text, std::string(type) + "(");
    const auto message = arguments ? text_of(*arguments) : std::nullopt;
    if (message && !message->empty()) statement.names.push_back(*message);
  }
  body.push_back(std::move(statement));
}

std::vector<PythonStatement> read_python_source(std::string_view source, const PythonPlatform& platform,
                                                const PythonPlace& place) {
  return SourceReader(source, platform, place).run();
}

std::vector<PythonStatement> read_python_function(std::string_view source, std::string_view function,
                                                  const PythonPlatform& platform, const PythonPlace& place) {
  SourceReader reader(source, platform, place);
  reader.run();
  return reader.run_function(std::string(function));
}

}  // namespace soresolve
