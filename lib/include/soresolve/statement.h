// What is to be said, before it is words: the name of a sentence of the catalogue, and what goes into it.
//
// Rules make statements and never sentences; the catalogue (lib/catalogue/sentences.h) has each sentence in each
// language, and a test compares the arguments here with the places there.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/command_text.h"

namespace soresolve SORESOLVE_API {

/// Names in a row, of which the first are shown and the rest counted.
struct NameList {
  std::vector<std::string> shown;
  std::size_t more = 0;
  bool operator==(const NameList&) const = default;
};

struct Argument;

/// A sentence and its arguments. Names are of ours and live for ever; values are copies.
struct Statement {
  std::string_view sentence;  ///< a name in the catalogue; empty: nothing is said
  std::vector<Argument> arguments;

  [[nodiscard]] bool empty() const { return sentence.empty(); }
  bool operator==(const Statement&) const;
};

/// One value: what others wrote (a path, a name, an error of the system), a number, names, words to type, or further
/// statements, one behind the other. Words to type, and nothing else, stand at places that are called "typed…".
/// What copies and moves it is in the library, and not in each source that says something.
struct Argument {
  using Value = std::variant<std::string, std::uint64_t, NameList, std::vector<Statement>, CommandText>;
  struct Whole {
    std::uint64_t number = 0;
  };

  Argument(std::string_view name, std::string_view text);
  Argument(std::string_view name, const std::string& text) : Argument(name, std::string_view(text)) {}
  Argument(std::string_view name, const char* text) : Argument(name, std::string_view(text)) {}
  Argument(std::string_view name, Whole whole);
  template <std::unsigned_integral Number>
  Argument(std::string_view name, Number number) : Argument(name, Whole{number}) {}
  Argument(std::string_view name, CommandText typed);
  Argument(std::string_view name, NameList names);
  Argument(std::string_view name, Statement part);
  Argument(std::string_view name, std::vector<Statement> parts);
  Argument(const Argument&);
  Argument(Argument&&) noexcept;
  Argument& operator=(const Argument&);
  Argument& operator=(Argument&&) noexcept;
  ~Argument();

  std::string_view name;
  Value value;
  bool operator==(const Argument&) const;
};

/// The sentence of that name with these arguments.
inline Statement say(std::string_view sentence, std::vector<Argument> arguments = {}) {
  return {sentence, std::move(arguments)};
}
/// Words of others as they are: the loader's, the system's, those of an error.
inline Statement words_of_others(std::string_view text) { return say("words", {{"text", text}}); }
/// A name that stands in the catalogue as its own English: what name_of() returns for a step, an outcome, a state.
inline Statement term(std::string_view name) { return {name, {}}; }

}  // namespace SORESOLVE_API
