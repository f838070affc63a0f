// Decides sys.platform, os.name, sys.version_info, TYPE_CHECKING and their like; `and`, `or`, `not` with three values.
// Source: the Python Library Reference, sys, os, platform, typing.
#include "python/python_condition.h"

#include <string>

#include "base/number_text.h"
#include "base/pieces.h"
#include "python/python_lines.h"
#include "python/python_words.h"

namespace soresolve {
namespace {

constexpr int kMaxDepth = 16;

/// The content of a plain string literal; nullopt for anything else.
std::optional<std::string_view> literal_of(std::string_view text) {
  if (text.size() < 2 || (text[0] != '"' && text[0] != '\'') || skip_literal(text, 0) != text.size()) return {};
  return text.substr(1, text.size() - 2);
}

/// "(3, 8)", "3", "(3, 8, 0)": the numbers; empty for anything else.
std::vector<int> numbers_of(std::string_view text) {
  std::vector<int> numbers;
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  for (const std::string_view piece : pieces_in(text, ',')) {
    const std::string_view digits = bare_text(piece);
    if (digits.empty()) continue;
    const auto number = parse_number<int>(digits);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

template <class Value>
std::optional<bool> compare(const Value& left, std::string_view sign, const Value& right) {
  if (sign == "==") return left == right;
  if (sign == "!=") return left != right;
  if (sign == "<") return left < right;
  if (sign == "<=") return left <= right;
  if (sign == ">") return left > right;
  if (sign == ">=") return left >= right;
  return std::nullopt;
}

class Condition {
 public:
  Condition(const PythonPlatform& platform, const PythonConstants& constants, const PythonFact& fact)
      : platform_(platform), constants_(constants), fact_(fact) {}

  std::optional<bool> decide(std::string_view text, int depth) const {
    text = bare_text(text);
    if (text.empty() || depth > kMaxDepth) return std::nullopt;
    if (const std::size_t at = find_outside(text, "or"); at != std::string_view::npos) {
      const auto left = decide(text.substr(0, at), depth + 1);
      const auto right = decide(text.substr(at + 2), depth + 1);
      if (left == true || right == true) return true;
      return left && right ? std::optional(false) : std::nullopt;
    }
    if (const std::size_t at = find_outside(text, "and"); at != std::string_view::npos) {
      const auto left = decide(text.substr(0, at), depth + 1);
      const auto right = decide(text.substr(at + 3), depth + 1);
      if (left == false || right == false) return false;
      return left && right ? std::optional(true) : std::nullopt;
    }
    if (text.starts_with("not ") || text.starts_with("not(")) {
      const auto inner = decide(text.substr(3), depth + 1);
      return inner ? std::optional(!*inner) : std::nullopt;
    }
    if (text.starts_with('(') && text.ends_with(')')) return decide(text.substr(1, text.size() - 2), depth + 1);
    return decide_atom(text);
  }

 private:
  [[nodiscard]] std::optional<bool> decide_atom(std::string_view text) const {
    if (text == "True" || text == "1" || text == "__debug__") return true;
    if (text == "False" || text == "0" || text == "None") return false;
    if (const auto constant = constants_.find(text); constant != constants_.end()) return constant->second;
    if (text == "TYPE_CHECKING" || text.ends_with(".TYPE_CHECKING")) return false;
    constexpr std::string_view kStartsWith = "sys.platform.startswith(";
    if (text.starts_with(kStartsWith) && text.ends_with(')')) {
      const auto word = literal_of(bare_text(text.substr(kStartsWith.size(), text.size() - kStartsWith.size() - 1)));
      return word ? std::optional(std::string_view("linux").starts_with(*word)) : std::nullopt;
    }
    for (const std::string_view sign : {"==", "!=", ">=", "<=", ">", "<"}) {
      const std::size_t at = find_outside(text, sign);
      if (at == std::string_view::npos) continue;
      const auto left = bare_text(text.substr(0, at));
      const auto right = bare_text(text.substr(at + sign.size()));
      if (const auto known = decide_comparison(left, sign, right)) return known;
      break;
    }
    return fact_ ? fact_(text) : std::nullopt;
  }

  [[nodiscard]] std::optional<bool> decide_comparison(std::string_view left, std::string_view sign,
                                                      std::string_view right) const {
    if (left.starts_with("sys.version_info")) {
      const std::string_view part = left.substr(std::string_view("sys.version_info").size());
      std::vector<int> ours = {3, platform_.minor_number};
      if (part == "[0]" || part == ".major" || part == "[:1]")
        ours = {3};
      else if (part == "[1]" || part == ".minor")
        ours = {platform_.minor_number};
      else if (!part.empty() && part != "[:2]" && part != "[0:2]")
        return std::nullopt;
      const std::vector<int> asked = numbers_of(right);
      // Between releases of one minor number the third one decides, which is not known.
      if (asked.empty() || (asked.size() > 2 && asked[0] == ours[0] && asked[1] == ours.back())) return std::nullopt;
      if (part.empty()) ours.push_back(1);  // it has five parts: (3, 8, …) > (3, 8)
      return compare(ours, sign, asked);
    }
    const std::optional<std::string_view> word = literal_of(right);
    if (!word) return std::nullopt;
    if (left == "__name__") return compare<std::string_view>("a module", sign, *word);
    if (left == "sys.platform") return compare<std::string_view>("linux", sign, *word);
    if (left == "os.name") return compare<std::string_view>("posix", sign, *word);
    if (left == "platform.system()") return compare<std::string_view>("Linux", sign, *word);
    if (left == "sys.byteorder") return compare<std::string_view>("little", sign, *word);
    if (left == "platform.machine()") return compare<std::string_view>(platform_.machine, sign, *word);
    if (left == "sys.implementation.name" || left == "platform.python_implementation().lower()")
      return compare<std::string_view>("cpython", sign, *word);
    return std::nullopt;
  }

  const PythonPlatform& platform_;
  const PythonConstants& constants_;
  const PythonFact& fact_;
};

}  // namespace

std::optional<bool> decide_condition(std::string_view text, const PythonPlatform& platform,
                                     const PythonConstants& constants, const PythonFact& fact) {
  return Condition(platform, constants, fact).decide(text, 0);
}

}  // namespace soresolve
