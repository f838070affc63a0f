// A source is parsed once for all evaluations. By its words it is known what it cannot do: without them, no call makes
// names, modules or dlopens in ways that the evaluation does not see.
#include "python/sources.h"

#include <algorithm>
#include <utility>

#include "base/small_file.h"
#include "python/import_trace.h"
#include "python/tokens.h"

namespace soresolve::python {
namespace {

bool has_one_of(std::optional<bool>& known, std::string_view text, std::initializer_list<std::string_view> words) {
  const auto is_there = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (!known) known = std::any_of(words.begin(), words.end(), is_there);
  return *known;
}

/// The names behind `global` in any function: lines that begin so.
std::set<std::string, std::less<>> names_declared_global(std::string_view source) {
  constexpr std::string_view kWord = "global ";
  std::set<std::string, std::less<>> names;
  const auto end_of = [&](std::size_t at, const auto& is_one) {
    while (at < source.size() && is_one(source[at])) ++at;
    return at;
  };
  for (std::size_t at = source.find(kWord); at != std::string_view::npos; at = source.find(kWord, at + 1)) {
    const std::size_t before = source.find_last_not_of(" \t", at == 0 ? 0 : at - 1);
    if (at != 0 && before != std::string_view::npos && source[before] != '\n' && source[before] != ':') continue;
    // The names and the commas between them, and nothing behind: what is looked at here is not looked at again.
    const auto is_between = [](char c) { return c == ' ' || c == '\t' || c == ',' || c == '\\' || c == '\r'; };
    for (std::size_t begin = at + kWord.size();;) {
      begin = end_of(begin, is_between);
      if (source.substr(begin).starts_with('\n') && source[source.find_last_not_of('\r', begin - 1)] == '\\') {
        ++begin;
        continue;
      }
      const std::size_t end = end_of(begin, is_of_name);
      if (end == begin) break;
      names.emplace(source.substr(begin, end - begin));
      begin = end;
    }
  }
  return names;
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

void blank_functions(std::string& text, const Source& source, const Block& block) {
  for (const Statement& statement : block) {
    if (statement.kind == StatementKind::Function) {
      const auto begin = static_cast<std::size_t>(statement.function->suite.data() - source.text.data());
      blank(text, begin, begin + statement.function->suite.size());
    }
    blank_functions(text, source, statement.body);
    blank_functions(text, source, statement.otherwise);
    blank_functions(text, source, statement.finally);
    for (const Clause& clause : statement.clauses) blank_functions(text, source, clause.body);
  }
}

/// Functions in each other: each is read once for each around it.
constexpr int kMaxFunctions = 50;

/// Adds what is in the functions of a block, at any depth.
void note_failures(const Block& block, ParseFailures& failures, int functions_left = kMaxFunctions) {
  for (const Statement& statement : block) {
    if (statement.kind == StatementKind::Function) {
      const FunctionBody body = parse_suite(*statement.function);
      failures.add(body.failures);
      if (functions_left == 0)
        failures.add({.unread = statement.function->suite.data()});
      else
        note_failures(body.statements, failures, functions_left - 1);
    }
    note_failures(statement.body, failures, functions_left);
    note_failures(statement.otherwise, failures, functions_left);
    note_failures(statement.finally, failures, functions_left);
    for (const Clause& clause : statement.clauses) note_failures(clause.body, failures, functions_left);
  }
}

std::string outline_of(const Source& source) {
  std::string text = source.text;
  blank_functions(text, source, source.body);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t first = text.find_first_not_of(" \t", at);
    if (first < end && text[first] == '#') blank(text, first, end);
    at = end + 1;
  }
  return text;
}

/// The text before line `line`, which is counted from 1.
std::string_view lines_before(std::string_view text, std::uint32_t line) {
  std::size_t at = 0;
  for (std::uint32_t i = 1; i < line && at < text.size(); ++i) {
    const std::size_t end = text.find('\n', at);
    at = end == std::string_view::npos ? text.size() : end + 1;
  }
  return text.substr(0, at);
}

std::shared_ptr<Source> parsed(std::string text) {
  const auto source = std::make_shared<Source>();
  // A carriage return alone ends a line, too.
  for (std::size_t at = text.find('\r'); at != std::string::npos; at = text.find('\r', at + 1)) {
    if (at + 1 == text.size() || text[at + 1] != '\n') text[at] = '\n';
  }
  source->text = std::move(text);
  source->body = parse_source(source->text, &source->failures);
  source->changed_by_functions = names_declared_global(source->text);
  return source;
}

}  // namespace

bool Source::may_open_libraries() const {
  return has_one_of(opens_libraries_, text, {"CDLL(", "PyDLL(", "LoadLibrary(", "dlopen(", "load_library("});
}

bool Source::may_make_names() const {
  return has_one_of(makes_names_, text,
                    {"__getattr__", "globals()", "locals()", "vars(", "setattr(", "exec(", "__dict__", "sys.modules",
                     "_convert_(", "f_globals"});
}

bool Source::may_make_globals() const {
  return has_one_of(makes_globals_, text, {"globals()", "exec(", "_convert_(", "f_globals", "_getframe"});
}

bool Source::may_make_modules() const {
  return has_one_of(makes_modules_, text, {"sys.modules", "__path__", "meta_path", "exec(", "_LazyModule", "lazy"});
}

bool Sources::has_word(const Source& source, std::uint32_t line, std::string_view word) {
  const auto [known, is_new] = outlines_.try_emplace(&source);
  if (is_new) known->second = outline_of(source);
  return python::has_word(lines_before(known->second, line), word);
}

std::shared_ptr<const Source> Sources::read(const std::string& file) {
  const auto known = known_.find(file);
  if (known != known_.end()) return known->second;
  auto text = read_small_file(files_, file, kMaxPythonSourceBytes);
  const std::shared_ptr<Source> source = text ? parsed(*std::move(text)) : nullptr;
  if (source) note_failures(source->body, source->failures);
  return known_.emplace(file, source).first->second;
}

std::shared_ptr<const Source> Sources::of_text(const std::string& text) {
  const std::string key = "\n" + text;  // no path
  const auto known = known_.find(key);
  return known != known_.end() ? known->second : known_.emplace(key, parsed(text)).first->second;
}

const CompileError* Sources::error_of(const Source& source, int minor_number, const HasCodec& has_codec) {
  const auto [known, is_new] = errors_.try_emplace(&source);
  if (is_new) known->second = find_compile_error(source.text, minor_number, source.failures, has_codec);
  return known->second ? &*known->second : nullptr;
}

const FunctionBody& Sources::body_of(const std::shared_ptr<const Function>& function) {
  const auto known = bodies_.find(function);
  if (known != bodies_.end()) return known->second;
  FunctionBody body = function->made ? FunctionBody{*function->made} : parse_suite(*function);
  body.names = names_of(*function, body.statements);
  return bodies_.emplace(function, std::move(body)).first->second;
}

}  // namespace soresolve::python
