// Statements become words. Source of the plural rule: English has two forms, Chinese one; a template that needs more
// for another language says so in its places.
#include "catalogue/sentences.h"

#include <string>

#include "soresolve/catalogue.h"

namespace soresolve {
namespace {

std::string value_text(const Argument& argument, Language language);

struct Joiner {
  Language language;

  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(std::uint64_t number) const { return std::to_string(number); }
  std::string operator()(const CommandText& typed) const { return typed.text(); }
  std::string operator()(const NameList& names) const {
    std::string text;
    for (const std::string& name : names.shown) {
      if (!text.empty()) text += Phrase{", ", "、"}.in(language);
      text += name;
    }
    if (names.more == 0) return text;
    const std::string more = std::to_string(names.more);
    return language == Language::Chinese ? text + " 等另外 " + more + " 个" : text + " and " + more + " more";
  }
  std::string operator()(const std::vector<Statement>& parts) const {
    std::string text;
    for (const Statement& part : parts) text += sentence(part, language);
    return text;
  }
};

std::string value_text(const Argument& argument, Language language) {
  return std::visit(Joiner{language}, argument.value);
}

/// What stands for the place `{inside}` of a template.
std::string fill(std::string_view inside, const Statement& statement, Language language) {
  const std::string_view name = inside.substr(0, inside.find('|'));
  for (const Argument& argument : statement.arguments) {
    if (argument.name != name) continue;
    // Bytes of others are not for a shell: they leave the place open, as what is missing does.
    if (name.starts_with("typed") && !std::holds_alternative<CommandText>(argument.value)) break;
    if (name.size() == inside.size()) return value_text(argument, language);
    const std::string_view forms = inside.substr(name.size() + 1);
    const std::size_t bar = forms.find('|');
    const std::uint64_t* const number = std::get_if<std::uint64_t>(&argument.value);
    const bool is_one = number != nullptr && *number == 1;
    return std::string(is_one || bar == std::string_view::npos ? forms.substr(0, bar) : forms.substr(bar + 1));
  }
  return "{" + std::string(inside) + "}";  // a test refuses such statements
}

}  // namespace

std::string sentence(const Statement& statement, Language language) {
  if (statement.empty()) return {};
  const Sentence* const known = find_sentence(statement.sentence);
  if (known == nullptr) return "{" + std::string(statement.sentence) + "}";
  std::string_view rest = known->text.in(language);
  if (statement.arguments.empty()) return std::string(rest);
  std::string text;
  while (true) {
    const std::size_t open = rest.find('{');
    text += rest.substr(0, open);
    if (open == std::string_view::npos) return text;
    const std::size_t close = rest.find('}', open);
    if (close == std::string_view::npos) return text + std::string(rest.substr(open));
    text += fill(rest.substr(open + 1, close - open - 1), statement, language);
    rest.remove_prefix(close + 1);
  }
}

}  // namespace soresolve
