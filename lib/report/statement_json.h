// Statements on their way between our programs: soresolve-confirm sends them, the command says them in the reader's
// language.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "soresolve/statement.h"

namespace soresolve {

/// {"sentence": NAME, "arguments": {NAME: text, number or list of statements}}. Without lists of names, which nobody
/// sends.
nlohmann::ordered_json statement_json(const Statement& statement);
nlohmann::ordered_json statements_json(const std::vector<Statement>& statements);

/// Back again. nullopt: the catalogue has no such sentence, or one of its places is not filled. Others may have written
/// it: what they put into it is said as words of others are, and of names only those of the catalogue are taken.
std::optional<Statement> read_statement(const nlohmann::ordered_json& json);
/// nullopt when one of them is none.
std::optional<std::vector<Statement>> read_statements(const nlohmann::ordered_json& json);

/// The term of that name; the name itself where the catalogue has none.
Statement term_or_words(std::string_view name);

}  // namespace soresolve
