// Of a Python source: imports and assignments, and what is known of names after them.
#include "python/python_source_reader.h"

#include <algorithm>
#include <utility>

#include "python/python_words.h"

namespace soresolve {

// NAME = True, NAME = "text", and what else it becomes.
void SourceReader::read_assignment(const PythonLine& line, std::vector<PythonStatement>& body) {
  const auto [name, value] = python_assignment(line.text);
  if (name.empty()) return;
  if (const auto known = imported_.find(name); known != imported_.end()) imported_.erase(known);
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

// Names of functions and classes are others.
bool SourceReader::is_flag(std::string_view name) const {
  return followed_ == 0 && classes_ == 0 && flags_.contains(name);
}

void SourceReader::set_flag(std::string_view name, PythonValue value, const PythonLine& line,
                            std::vector<PythonStatement>& body) {
  if (!is_flag(name)) return;
  if (undecided_ != 0) value = PythonValue::Unknown;
  body.push_back({.kind = PythonStatement::Kind::Set, .line = line.number, .name = std::string(name), .value = value});
}

// What a branch assigns that is perhaps run, or a loop whose turns are not followed.
void SourceReader::keep_flags(std::vector<PythonStatement>& from, std::vector<PythonStatement>& body) {
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

// The same of lines that are not read.
void SourceReader::skip_suite_with_flags(std::size_t indent, std::vector<PythonStatement>& body) {
  for (; next_ < lines_.size() && lines_[next_].indent > indent; ++next_) {
    if (flags_.empty()) continue;
    const auto assigned = python_assignment(lines_[next_].text);
    if (!assigned.name.empty()) set_flag(assigned.name, PythonValue::Unknown, lines_[next_], body);
  }
}

void SourceReader::forget(std::string_view name) {
  constants_.insert_or_assign(std::string(name), std::nullopt);
  names_.insert_or_assign(std::string(name), PythonBinding{});
}

void SourceReader::read_import(const PythonLine& line, std::vector<PythonStatement>& body) {
  bool is_alias = false;
  std::string_view module;
  for (const std::string_view word : import_words(line.text.substr(6))) {
    if (is_python_name(word.front()) && word != "as") {
      const std::string_view name = is_alias ? word : word.substr(0, word.find('.'));
      if (!is_alias) module = word;
      imported_[std::string(name)] = {.module = std::string(is_alias ? module : name)};
    }
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

// A module has the name now.
void SourceReader::bind_import(std::string_view name, const PythonLine& line, std::vector<PythonStatement>& body) {
  if (const auto known = constants_.find(name); known != constants_.end()) known->second.reset();
  set_flag(name, PythonValue::True, line, body);
}

void SourceReader::read_from(const PythonLine& line, std::vector<PythonStatement>& body) {
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
    const bool is_name = is_bound && words[at] != "," && words[at] != "*" && !statement.names.empty();
    if (is_name) imported_[std::string(words[at])] = {statement.level, statement.name, statement.names.back()};
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
}  // namespace soresolve
