// Names of sentences and places are views that live for ever, so what is read takes them from the catalogue's own row.
#include "report/statement_json.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "catalogue/sentences.h"

namespace soresolve {
namespace {

using Wire = nlohmann::ordered_json;

struct ValueToJson {
  Wire operator()(const std::string& text) const { return text; }
  Wire operator()(std::uint64_t number) const { return number; }
  Wire operator()(const CommandText& typed) const { return typed.text(); }
  Wire operator()(const NameList&) const { return nullptr; }
  Wire operator()(const std::vector<Statement>& parts) const { return statements_json(parts); }
};

/// The value for one place; nullopt: none that can stand there.
std::optional<Argument> read_argument(std::string_view place, const Wire& value) {
  if (value.is_string()) return Argument(place, value.get<std::string>());
  if (value.is_number_unsigned()) return Argument(place, value.get<std::uint64_t>());
  std::optional<std::vector<Statement>> parts = read_statements(value);
  if (!parts) return std::nullopt;
  return Argument(place, std::move(*parts));
}

bool has_argument(const Statement& statement, std::string_view place) {
  for (const Argument& argument : statement.arguments) {
    if (argument.name == place) return true;
  }
  return false;
}

}  // namespace

Wire statement_json(const Statement& statement) {
  Wire arguments = Wire::object();
  for (const Argument& argument : statement.arguments) {
    arguments[std::string(argument.name)] = std::visit(ValueToJson{}, argument.value);
  }
  return {{"sentence", statement.sentence}, {"arguments", std::move(arguments)}};
}

Wire statements_json(const std::vector<Statement>& statements) {
  Wire list = Wire::array();
  for (const Statement& statement : statements) {
    if (!statement.empty()) list.push_back(statement_json(statement));
  }
  return list;
}

std::optional<Statement> read_statement(const Wire& json) {
  if (!json.is_object()) return std::nullopt;
  const auto name = json.find("sentence");
  const auto arguments = json.find("arguments");
  if (name == json.end() || !name->is_string() || arguments == json.end() || !arguments->is_object())
    return std::nullopt;
  const Sentence* const row = find_sentence(name->get_ref<const std::string&>());
  if (row == nullptr) return std::nullopt;
  Statement statement = term(row->name);
  std::string_view rest = row->text.en;
  for (std::size_t open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
    rest.remove_prefix(open + 1);
    const std::string_view place = rest.substr(0, rest.find_first_of("|}"));
    if (has_argument(statement, place)) continue;
    const auto value = arguments->find(std::string(place));
    if (value == arguments->end()) return std::nullopt;
    std::optional<Argument> argument = read_argument(place, *value);
    if (!argument) return std::nullopt;
    statement.arguments.push_back(std::move(*argument));
  }
  return statement;
}

std::optional<std::vector<Statement>> read_statements(const Wire& json) {
  if (!json.is_array()) return std::nullopt;
  std::vector<Statement> statements;
  for (const Wire& item : json) {
    std::optional<Statement> statement = read_statement(item);
    if (!statement) return std::nullopt;
    statements.push_back(std::move(*statement));
  }
  return statements;
}

Statement term_or_words(std::string_view name) {
  const Sentence* const row = find_sentence(name);
  return row == nullptr || row->text.en != name ? words_of_others(name) : term(row->name);
}

}  // namespace soresolve
