// Parts of a line of a Python source: names, arguments, the words of an import statement.
//
// Source: the Python Language Reference, "Lexical analysis", "The import statement", "Calls".
#pragma once
#include <optional>
#include <string_view>
#include <vector>

namespace soresolve {

/// May it stand in a name? Letters beyond ASCII count by their bytes.
bool is_python_name(char c);

/// Does the text begin with this keyword?
bool begins_with_word(std::string_view text, std::string_view word);

/// The words of an import statement: names with their dots, commas, brackets and stars each for itself.
std::vector<std::string_view> import_words(std::string_view text);

/// What stands in the brackets of the first call of it outside brackets; nullopt: it is not called. `call` ends in "(".
std::optional<std::string_view> arguments_of_call(std::string_view text, std::string_view call);

/// "name" of "name=value"; empty for a value alone.
std::string_view keyword_of_argument(std::string_view argument);

/// "value" of "name=value".
std::string_view behind_equals(std::string_view argument);

/// True, False, None, 0, 1; nullopt for anything else.
std::optional<bool> python_truth(std::string_view value);

/// Without the blanks and the joined line ends around it.
std::string_view bare_text(std::string_view text);

}  // namespace soresolve
