// The table of subcommands, and how one of them is run.
#include <algorithm>

#include "reference.h"
#include "subcommand.h"

namespace soresolve::tool {
namespace {

constexpr const Subcommand* kSubcommands[] = {&kWhy,     &kLdd,     &kTree,     &kCheck,   &kScan,     &kWho,
                                              &kDiff,    &kBundle,  &kBindings, &kDoctor,  &kGpu,      &kConfirm,
                                              &kInspect, &kExplain, &kRun,      &kSymvers, &kSnapshot, &kHelp};

/// Then there is nothing to parse, and most calls are spared the cost of describing options that nobody uses.
bool are_plain(std::span<char* const> words) {
  return !words.empty() &&
         std::none_of(words.begin(), words.end(), [](const char* word) { return word[0] == '-' || word[0] == '\0'; });
}

}  // namespace

std::span<const Subcommand* const> all_subcommands() { return kSubcommands; }

const Subcommand* find_subcommand(std::string_view name) {
  for (const Subcommand* subcommand : kSubcommands) {
    if (subcommand->name == name) return subcommand;
  }
  return nullptr;
}

Exit run_subcommand(const Subcommand& subcommand, std::span<char* const> words) {
  const std::unique_ptr<Invocation> invocation = subcommand.invoke();
  const bool has_words = !words.empty();
  words = invocation->take_command(words);
  invocation->keep_typed(words);
  std::vector<std::string>* const plain = invocation->plain_words();
  if (has_words && words.empty()) return invocation->run();
  if (plain != nullptr && are_plain(words)) {
    plain->assign(words.begin(), words.end());
  } else if (const auto exit = parse_arguments(subcommand, *invocation, words)) {
    return *exit;
  }
  return invocation->run();
}

}  // namespace soresolve::tool
