// One pass over the lines finds the names; conditions are decided as others are, each name being a fact.
#include "python/python_flags.h"

#include <algorithm>

#include "python/python_condition.h"
#include "python/python_words.h"

namespace soresolve {
namespace {

/// So many lines below `if` are looked at for `raise`.
constexpr std::size_t kMostLines = 8;

/// The names and words in a condition; nullopt: there is more in it.
std::optional<std::vector<std::string_view>> words_of_flags(std::string_view condition) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < condition.size();) {
    if (!is_python_name(condition[i])) {
      if (std::string_view(" \t\r\n\\()").find(condition[i]) == std::string_view::npos) return std::nullopt;
      // A call is no flag.
      if (condition[i] == '(' && i != 0 && is_python_name(condition[i - 1])) {
        constexpr std::string_view kBefore[] = {"not", "and", "or", "is"};
        if (words.empty() || std::find(std::begin(kBefore), std::end(kBefore), words.back()) == std::end(kBefore))
          return std::nullopt;
      }
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < condition.size() && is_python_name(condition[end])) ++end;
    words.push_back(condition.substr(i, end - i));
    i = end;
  }
  return words;
}

bool is_keyword(std::string_view word) {
  constexpr std::string_view kWords[] = {"not", "and", "or", "is", "None", "True", "False"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

/// Is there a `raise` in the suite of the line `at`?
bool raises_below(const std::vector<PythonLine>& lines, std::size_t at) {
  for (std::size_t i = at + 1; i < std::min(lines.size(), at + 1 + kMostLines); ++i) {
    if (lines[i].indent <= lines[at].indent) return false;
    if (begins_with_word(lines[i].text, "raise")) return true;
  }
  return false;
}

}  // namespace

PythonAssignment python_assignment(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && is_python_name(line[end])) ++end;
  std::size_t equals = line.find_first_not_of(" \t", end);
  if (end == 0 || equals == std::string_view::npos) return {};
  const std::string_view name = line.substr(0, end);
  if (line[equals] == ':') equals = find_outside(line, "=", equals);  // NAME: TYPE = VALUE
  const bool is_changed = equals != std::string_view::npos && line.find('=', equals) == equals + 1 &&
                          std::string_view("+-*/|&%").find(line[equals]) != std::string_view::npos;
  if (is_changed) return {name, {}};
  if (equals == std::string_view::npos || line[equals] != '=') return {};
  if (equals + 1 < line.size() && line[equals + 1] == '=') return {};
  return {name, bare_text(line.substr(equals + 1))};
}

PythonFlags assigned_in_handlers(const std::vector<PythonLine>& lines) {
  PythonFlags flags;
  std::vector<std::size_t> handlers;  // their indents
  for (const PythonLine& line : lines) {
    while (!handlers.empty() && line.indent <= handlers.back()) handlers.pop_back();
    if (begins_with_word(line.text, "except")) {
      handlers.push_back(line.indent);
      // "except ImportError: x = None"
      const std::size_t colon = find_outside(line.text, ":");
      const std::string_view rest = colon == std::string_view::npos ? "" : bare_text(line.text.substr(colon + 1));
      if (const auto assigned = python_assignment(rest); !assigned.name.empty()) flags.emplace(assigned.name);
    } else if (!handlers.empty()) {
      if (const auto assigned = python_assignment(line.text); !assigned.name.empty()) flags.emplace(assigned.name);
    }
  }
  return flags;
}

PythonFlags python_flags(const std::vector<PythonLine>& lines) {
  PythonFlags flags = assigned_in_handlers(lines);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const std::string_view text = lines[at].text;
    if (!begins_with_word(text, "if") || !raises_below(lines, at)) continue;
    const auto words = words_of_flags(text.substr(2, std::max<std::size_t>(find_outside(text, ":"), 2) - 2));
    for (const std::string_view word : words.value_or(std::vector<std::string_view>())) {
      if (!is_keyword(word)) flags.emplace(word);
    }
  }
  if (flags.empty()) return flags;
  for (const PythonLine& line : lines) {
    if (!begins_with_word(line.text, "global")) continue;
    for (const std::string_view word : import_words(line.text.substr(6))) {
      if (const auto found = flags.find(word); found != flags.end()) flags.erase(found);
    }
  }
  return flags;
}

bool is_of_flags(std::string_view condition, const PythonFlags& flags) {
  const auto words = words_of_flags(condition);
  if (!words) return false;
  const auto is_known = [&](std::string_view word) { return is_keyword(word) || flags.contains(word); };
  return std::all_of(words->begin(), words->end(), is_known) &&
         std::any_of(words->begin(), words->end(), [](std::string_view word) { return !is_keyword(word); });
}

std::optional<bool> decide_by_flags(std::string_view condition,
                                    const std::function<PythonValue(std::string_view name)>& value_of) {
  const auto fact = [&](std::string_view atom) -> std::optional<bool> {
    const std::size_t is = find_outside(atom, "is");
    const std::string_view name = bare_text(atom.substr(0, std::min(is, atom.size())));
    const PythonValue value = value_of(name);
    if (value == PythonValue::Unknown) return std::nullopt;
    if (is == std::string_view::npos) return value == PythonValue::True;
    std::string_view other = bare_text(atom.substr(is + 2));
    const bool is_not = begins_with_word(other, "not");
    if (is_not) other = bare_text(other.substr(3));
    // What is true need not be True itself.
    const bool is_decided = other == "None" || (other == "False" && value != PythonValue::True);
    if (!is_decided) return std::nullopt;
    return (value == (other == "None" ? PythonValue::None : PythonValue::False)) != is_not;
  };
  return decide_condition(condition, {}, {}, fact);
}

}  // namespace soresolve
