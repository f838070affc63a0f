// The words of a command line, parsed by CLI11. No other source knows it: its header takes seconds to compile.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <type_traits>

#include "base/pieces.h"
#include "base/text.h"
#include "reference.h"
#include "spelling.h"

namespace soresolve::tool {
namespace {

/// CLI11 learns of a refused value from an exception.
void take(const Option& option, const TakeWord& take_word, const std::string& word) {
  if (const std::optional<std::string> mistake = take_word(word)) {
    throw CLI::ValidationError(option.names.back(), *mistake);
  }
}

/// Adds an option of each kind to an app. The app is used only as long as the option is there.
struct Declare {
  CLI::App& app;
  const Option& option;
  std::string names = joined(option.names, ",");

  CLI::Option* operator()(bool* target) const { return app.add_flag(names, *target); }
  CLI::Option* operator()(const WhenGiven& target) const { return app.add_flag_callback(names, target.act); }
  CLI::Option* operator()(const TakeOnce& target) const {
    return app.add_option_function<std::string>(
        names, [&option = option, &target](const std::string& word) { take(option, target.take, word); });
  }
  CLI::Option* operator()(const TakeEach& target) const {
    return app.add_option_function<std::vector<std::string>>(
        names, [&option = option, &target](const std::vector<std::string>& words) {
          for (const std::string& word : words) take(option, target.take, word);
        });
  }
  template <class T>
  CLI::Option* operator()(T* target) const {
    CLI::Option* added = app.add_option(names, *target);
    if constexpr (std::is_arithmetic_v<T>) {
      if (option.range)
        added->check(CLI::Range(static_cast<T>(option.range->first), static_cast<T>(option.range->last)));
    } else if (!option.choices.empty()) {
      added->check(CLI::IsMember(option.choices));
    }
    return added;
  }
};

void declare(CLI::App& app, const Option& option) {
  CLI::Option* added = std::visit(Declare{app, option}, option.into);
  if (!option.value.empty()) added->type_name(std::string(option.value));
  if (option.is_repeatable() && !option.is_positional()) added->allow_extra_args(false);
  if (option.presence == Presence::Required) added->required();
  if (!option.excludes.empty()) added->excludes(app.get_option(std::string(option.excludes)));
}

/// What is wrong with the words of the command line: a value for an option that takes none, or words that are no
/// options of `app`, each with the option that may be meant.
std::string parse_error_text(const CLI::App& app, const Subcommand& subcommand, const CLI::ParseError& error,
                             std::span<char* const> words) {
  std::string text = error.what();
  std::vector<std::string> known;
  for (const OptionReference& option : describe(subcommand).options) {
    known.insert(known.end(), option.names.begin(), option.names.end());
    if (!option.is_flag()) continue;
    for (const std::string& name : option.names) {
      const auto has_value = [&](std::string_view word) { return word.starts_with(name + "="); };
      if (name.starts_with("--") && std::any_of(words.begin(), words.end(), has_value)) return name + " takes no value";
    }
  }
  for (const std::string& word : app.remaining()) {
    if (word.starts_with("-")) text += did_you_mean(word.substr(0, word.find('=')), known);
  }
  return text;
}

}  // namespace

std::string language_in(std::span<char* const> words) {
  constexpr std::string_view kOption = "--lang";
  std::string language;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == kOption && i + 1 < words.size()) language = words[i + 1];
    if (word.starts_with("--lang=")) language = word.substr(kOption.size() + 1);
  }
  return language;
}

std::optional<Exit> parse_arguments(const Subcommand& subcommand, Invocation& invocation,
                                    std::span<char* const> words) {
  // Also of words that cannot be understood; what is behind "--" is no option.
  const auto end = std::find_if(words.begin(), words.end(), [](std::string_view word) { return word == "--"; });
  const bool is_json = std::any_of(words.begin(), end,
                                   [](std::string_view word) { return word == "--json" || word == "--format=json"; });
  if (is_json) answer_errors_in_json(subcommand.name);
  const OptionList options = invocation.options();
  CLI::App app;
  for (const Option& option : options) declare(app, option);
  try {
    // Of several words it takes the last one first.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    WorldOptions shown;
    shown.language = language_in(words);
    const bool is_whole = std::find(words.begin(), end, std::string_view("--help")) != end;
    const CommandReference command = describe(subcommand);
    write_page(is_whole ? help_page(command) : brief_help_page(command), shown);
    return Exit::Good;
  } catch (const CLI::RequiredError& error) {
    return refuse_missing(subcommand, Text::escaped(error.what()));
  } catch (const CLI::ParseError& error) {
    return refuse_usage(subcommand.name, Text::escaped(parse_error_text(app, subcommand, error, words)));
  }
  return std::nullopt;
}

}  // namespace soresolve::tool
