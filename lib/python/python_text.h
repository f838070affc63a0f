// Expressions in a Python source whose text is known without running it: constants, names that have been given one,
// paths that are put together beside the source.
//
// Source: the Python Language Reference, "Lexical analysis" (literals, f-strings); the Library Reference, os.path,
// pathlib. Whatever else an expression does, its text is not known.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace soresolve {

/// What a name stands for: a text, or an expression that is looked into when it is asked for. Neither: not known.
struct PythonBinding {
  std::optional<std::string> text = {};
  std::string_view expression = {};  ///< borrows from the source
};

using PythonBindings = std::map<std::string, PythonBinding, std::less<>>;

/// What more is known where the expression stands; an empty one: nothing.
struct PythonKnowledge {
  /// What a call of a function of the source returns: its name and the text of its arguments.
  std::function<std::optional<std::string>(std::string_view name, std::string_view arguments)> call = {};
  /// Is a condition true?
  std::function<std::optional<bool>(std::string_view condition)> decide = {};
  /// The names in a directory, for glob.
  std::function<std::vector<std::string>(const std::string& directory)> names_in = {};
};

/// The text of an expression; a path of pathlib counts as its text. Bounded: kMaxPythonTextDepth expressions in each
/// other, kMaxPythonTextBytes.
std::optional<std::string> python_text(std::string_view expression, const PythonBindings& names,
                                       const PythonKnowledge& known = {});

/// The texts of a list or tuple of such expressions, written out or by a name, or the files of glob.glob() with a star
/// in the last part; nullopt: one of them is not known.
std::optional<std::vector<std::string>> python_texts(std::string_view expression, const PythonBindings& names,
                                                     const PythonKnowledge& known = {});

/// What stands between the brackets, cut at the commas outside brackets and strings.
std::vector<std::string_view> python_arguments(std::string_view text);

/// The end of the bracket that opens at `open`, where the closing one stands; npos: none does.
std::size_t closing_bracket(std::string_view text, std::size_t open);

inline constexpr int kMaxPythonTextDepth = 24;
inline constexpr int kMaxPythonTextSteps = 500;  ///< expressions in all
inline constexpr std::size_t kMaxPythonTextBytes = 4096;
inline constexpr std::size_t kMaxPythonTexts = 64;

}  // namespace soresolve
