// A subcommand as an object: its name, what it is about, its options, its examples, and how it answers.
//
// The table of them stands in subcommands.cc; --help, man pages and completions read these objects. To describe the
// options costs more than most answers, so it is done only where an argument begins with '-'.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "command_words.h"
#include "options.h"

namespace soresolve::tool {

/// One call of a subcommand: the values of its options, and the answer.
class Invocation {
 public:
  Invocation() = default;
  virtual ~Invocation() = default;
  Invocation(const Invocation&) = delete;
  Invocation& operator=(const Invocation&) = delete;

  /// Its options, which set members of this object.
  virtual OptionList options() = 0;
  /// Where words go that stand alone, without any option; nullptr where these, too, have to be parsed.
  virtual std::vector<std::string>* plain_words() { return nullptr; }
  /// Keeps the words that are of another program's command line, and returns those before them, to be parsed.
  virtual std::span<char* const> take_command(std::span<char* const> words) { return words; }
  /// Call once, after the options are set.
  virtual Exit run() = 0;

  /// The words behind the subcommand's name, for who hands the question on; they outlive the run.
  [[nodiscard]] std::span<char* const> typed() const { return typed_; }
  void keep_typed(std::span<char* const> words) { typed_ = words; }

 private:
  std::span<char* const> typed_;
};

struct Subcommand {
  std::string_view name;
  std::unique_ptr<Invocation> (*invoke)();

  /// Its texts; commands.toml has a row for each subcommand.
  [[nodiscard]] const CommandWords& words() const;
};

extern const Subcommand kWhy, kLdd, kTree, kCheck, kBindings, kDoctor, kGpu, kConfirm, kInspect, kExplain, kRun, kScan,
    kBundle, kDiff, kSymvers, kWho, kSnapshot, kHelp;

/// In the order in which help lists them.
std::span<const Subcommand* const> all_subcommands();
/// nullptr: there is none of that name.
const Subcommand* find_subcommand(std::string_view name);

/// `words` are those behind the subcommand's name.
Exit run_subcommand(const Subcommand& subcommand, std::span<char* const> words);

/// Tells that a word is missing, with the subcommand's examples.
Exit refuse_missing(const Subcommand& asked, const Text& message);

/// soresolve --help.
Page usage_page();
/// soresolve -h: at most 40 lines, the examples first.
Page brief_usage_page();
/// The value of --lang among these words; empty if there is none. Help is given before options are taken.
std::string language_in(std::span<char* const> words);

template <class T>
std::unique_ptr<Invocation> invoke() {
  return std::make_unique<T>();
}

}  // namespace soresolve::tool
