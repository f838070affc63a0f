// soresolve: what will the dynamic linker do with this file on this machine, why, and what would help?
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "base/text.h"
#include "output/output.h"
#include "reference.h"
#include "report/page.h"
#include "soresolve/catalogue.h"
#include "spelling.h"
#include "subcommand.h"

namespace soresolve::tool {
namespace {

/// What somebody may have meant who typed a word that is no subcommand.
Text advice_for(std::string_view word) {
  if (word.starts_with('-')) return "; this option stands behind one: soresolve SUBCOMMAND " + Text::escaped(word);
  if (!recognise(word).empty()) {
    return "; to ask what a message means: soresolve explain " + Text::escaped(shell_word(word).text());
  }
  const bool is_name_of_file = word.find('/') != std::string_view::npos || word.find(".so") != std::string_view::npos;
  if (is_name_of_file || host_file_system()->status(std::string(word)).has_value()) {
    return "; to ask about a file: soresolve why " + Text::escaped(shell_path(word).text());
  }
  std::vector<std::string> names;
  for (const Subcommand* subcommand : all_subcommands()) names.emplace_back(subcommand->name);
  return Text::escaped(did_you_mean(word, names));
}

/// --libraries-of SUBCOMMAND WORDS...
Exit list_libraries(std::span<char* const> words) {
  const Subcommand* asked = find_subcommand(words.empty() ? "" : words.front());
  if (asked == nullptr) return Exit::Usage;
  std::vector<std::string> common = words_in_common(*asked, kLdd, words.subspan(1));
  std::vector<char*> arguments;
  for (std::string& word : common) arguments.push_back(word.data());
  return run_subcommand(kLdd, arguments);
}

/// "--json --root DIR SUBCOMMAND WORDS...": the options belong to the subcommand, and go behind its name. Which of them
/// take a value is what check says, whose options the others have as well.
std::vector<char*> with_subcommand_first(std::span<char* const> words) {
  std::vector<char*> moved(words.begin(), words.end());
  if (moved.empty() || moved.front()[0] != '-') return moved;
  const CommandReference common = describe(kCheck);
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const std::string_view word = moved[i];
    const bool is_own = word == "-h" || word == "--help" || word == "-V" || word == "--version";
    if (is_own || find_subcommand(word) != nullptr) {
      const auto subcommand = moved.begin() + static_cast<std::ptrdiff_t>(i);
      std::rotate(moved.begin(), subcommand, subcommand + 1);
      return moved;
    }
    const std::string_view name = word.substr(0, word.find('='));
    const Option* const option = find_option(common, name);
    if (option == nullptr) return moved;
    if (!option->value.empty() && name == word) ++i;
  }
  return moved;
}

Exit run(std::span<char* const> given) {
  const std::vector<char*> words_in_order = with_subcommand_first(given);
  const std::span<char* const> words(words_in_order);
  const std::string_view word = words.empty() ? "" : words.front();
  if (const Subcommand* subcommand = find_subcommand(word)) return run_subcommand(*subcommand, words.subspan(1));
  if (word == kLibrariesOf) return list_libraries(words.subspan(1));
  if (word == "--version" || word == "-V") {
    write_out("soresolve " SORESOLVE_VERSION "\n");
    return Exit::Good;
  }
  if (word == "--help" || word == "-h") {
    WorldOptions shown;
    shown.language = language_in(words);
    write_page(word == "-h" ? brief_usage_page() : usage_page(), shown);
    return Exit::Good;
  }
  const bool is_language_alone = word.starts_with("--lang");
  if (word.empty() || is_language_alone) {
    write_error(Text::escaped_lines(to_text(brief_usage_page(), {.language = language_of(language_in(words))})));
    return Exit::Usage;
  }
  write_error("soresolve: there is no subcommand '" + Text::escaped(word) + "'" + advice_for(word) +
              "\nsoresolve --help lists them\n");
  return Exit::Usage;
}

/// In any thread; nothing is written that was not written yet, since half an answer looks like a whole one.
[[noreturn]] void end_without_memory() {
  constexpr std::string_view kLine = "soresolve: not enough memory (ulimit -v limits it, or a container)\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kLine.data(), kLine.size());
  ::_exit(static_cast<int>(Exit::Failure));
}

[[noreturn]] void answer(std::span<char* const> words) {
  Exit status = Exit::Failure;
  try {
    status = run(words);
  } catch (const std::exception& error) {
    write_error("soresolve: internal error: " + Text::escaped(error.what()) + "\n");
  }
  finish(status);
}

/// Under a limit that the stack would not fit (ulimit -s): threads, the first of which then answers, get enough. The
/// limit stays, for programs that are started.
bool gives_threads_room() {
  constexpr std::size_t kLeast = std::size_t{1} << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kLeast) return false;
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return false;
  const bool is_set =
      ::pthread_attr_setstacksize(&attributes, 8 * kLeast) == 0 && ::pthread_setattr_default_np(&attributes) == 0;
  ::pthread_attr_destroy(&attributes);
  return is_set;
}

}  // namespace
}  // namespace soresolve::tool

int main(int argc, char** argv) {
  using namespace soresolve::tool;
  soresolve::output::hold_standard_descriptors();
  soresolve::output::outlive_file_size_limit();
  std::set_new_handler(end_without_memory);
  const std::span<char* const> all(argv, static_cast<std::size_t>(argc));
  const std::span<char* const> words = all.subspan(all.empty() ? 0 : 1);
  if (gives_threads_room()) {
    try {
      std::thread([&] { answer(words); }).join();
    } catch (const std::system_error&) {  // no room for it: perhaps the question is a small one
    }
  }
  answer(words);
}
