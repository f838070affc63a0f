// soresolve: what will the dynamic linker do with this file here, why, and what would help?
//
// Only the subcommand that is asked for is set up: building the options of all of them would cost
// more than answering.
#include <algorithm>
#include <exception>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "help.h"
#include "output/output.h"
#include "reference.h"
#include "report/paint.h"
#include "spelling.h"

namespace soresolve::tool {
namespace {

constexpr Subcommand kSubcommands[] = {
    {"why", "why a library is not found, or found where it is: every attempt, in ld.so's order", run_why},
    {"ldd", "the list that the loader itself would print, without running anything", run_ldd},
    {"tree", "the dependency tree, each edge labelled with how it was found", run_tree},
    {"check", "will it start? What the loader would say with LD_BIND_NOW=1, and the proof", run_check},
    {"bindings", "which definition each symbol reference binds to", run_bindings},
    {"doctor", "the machine: driver, CUDA runtimes and which to take, cuDNN, frameworks of Python", run_doctor},
    {"gpu", "the GPU code inside: for which chips, as what", run_gpu},
    {"confirm", "loads the CUDA libraries that were resolved and makes them compute, in other processes", run_confirm},
    {"inspect", "a file's dossier by a second reader: compilers, hardening, versions; what a foreign file is",
     run_inspect},
    {"explain", "what an error message, a traceback or a log means, and what is behind it here", run_explain},
    {"symvers", "which symbol versions a library defines, and whether they serve a need", run_symvers},
};

constexpr std::string_view kUsage =
    "Usage: soresolve SUBCOMMAND [OPTIONS] FILE...\n"
    "\n"
    "Explains what the dynamic linker (ld.so) will do with an ELF file here, without running it.\n"
    "FILE is a program, a shared library, or a library name such as libcudart.so.12.\n"
    "\n"
    "Subcommands:\n";

constexpr std::string_view kUsageEnd =
    "\n"
    "Options that shape the analysed world, the same for each subcommand (see soresolve SUBCOMMAND\n"
    "--help): --root DIR, --env K=V, --clean-env, --cwd DIR, --cpu NAME, --secure, --glibc X.Y;\n"
    "output: --json, --color WHEN, -v.\n"
    "\n"
    "Exit status: 0 the answer is good, 1 a problem was found, 2 the question could not be asked,\n"
    "3 soresolve itself failed, or its answer could not be written; confirm adds 4: there is no driver or\n"
    "no GPU to confirm on.\n"
    "\n"
    "Examples:\n"
    "  soresolve why _C.so                       why does this extension module not load?\n"
    "  soresolve why ./prog libcudart.so.12      where does this library come from?\n"
    "  soresolve why libcudnn.so.9               would dlopen find it?\n"
    "  python train.py 2>&1 | soresolve explain  what does this error mean?\n"
    "  soresolve help missing-library            what does this code of a finding mean?\n"
    "  soresolve ldd --root /srv/image /usr/bin/python3\n";

Exit run_help_here(int argc, char** argv);
constexpr Subcommand kHelp = {
    "help", "this; a subcommand's options, the meaning of a finding's code, man pages, completions", run_help_here};

std::string usage() {
  std::string text(kUsage);
  const auto add = [&](const Subcommand& subcommand) {
    text += "  " + std::string(subcommand.name) + std::string(9 - subcommand.name.size(), ' ') +
            std::string(subcommand.summary) + '\n';
  };
  std::for_each(std::begin(kSubcommands), std::end(kSubcommands), add);
  add(kHelp);
  text += kUsageEnd;
  return text;
}

Exit run_help_here(int argc, char** argv) {
  std::vector<Subcommand> subcommands(std::begin(kSubcommands), std::end(kSubcommands));
  subcommands.push_back(kHelp);
  return run_help(argc, argv, {usage(), std::move(subcommands)});
}

/// What somebody may have meant who typed a word that is no subcommand.
std::string advice_for(std::string_view word) {
  if (word.find('/') != std::string_view::npos || word.find(".so") != std::string_view::npos) {
    return "; to ask about a file: soresolve why " + printable(word);
  }
  std::vector<std::string> names = {std::string(kHelp.name)};
  for (const Subcommand& subcommand : kSubcommands) names.emplace_back(subcommand.name);
  return did_you_mean(word, names);
}

const Subcommand* find_subcommand(std::string_view name) {
  const auto found = std::find_if(std::begin(kSubcommands), std::end(kSubcommands),
                                  [&](const Subcommand& subcommand) { return subcommand.name == name; });
  return found == std::end(kSubcommands) ? nullptr : &*found;
}

/// --libraries-of SUBCOMMAND WORDS...
Exit list_libraries(std::span<char* const> words) {
  const Subcommand* asked = find_subcommand(words.empty() ? "" : words.front());
  const Subcommand* ldd = find_subcommand("ldd");
  if (asked == nullptr || ldd == nullptr) return Exit::Usage;
  std::vector<std::string> common = words_in_common(describe(*asked), describe(*ldd), words.subspan(1));
  common.insert(common.begin(), std::string(ldd->name));
  std::vector<char*> arguments;
  for (std::string& word : common) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return ldd->run(static_cast<int>(common.size()), arguments.data());
}

Exit run(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  if (const Subcommand* subcommand = find_subcommand(word)) return subcommand->run(argc - 1, argv + 1);
  if (word == kLibrariesOf) return list_libraries(std::span(argv, argc).subspan(2));
  if (word == "--version" || word == "-V") {
    write_out("soresolve " SORESOLVE_VERSION "\n");
    return Exit::Good;
  }
  if (word == "--help" || word == "-h") {
    write_out(usage());
    return Exit::Good;
  }
  if (word == kHelp.name) return kHelp.run(argc - 1, argv + 1);
  if (word.empty()) {
    write_error(usage());
    return Exit::Usage;
  }
  write_error("soresolve: there is no subcommand '" + printable(word) + "'" + advice_for(word) +
              "\nsoresolve --help lists them\n");
  return Exit::Usage;
}

}  // namespace
}  // namespace soresolve::tool

int main(int argc, char** argv) {
  using namespace soresolve::tool;
  soresolve::output::hold_standard_descriptors();
  Exit status = Exit::Failure;
  try {
    status = run(argc, argv);
  } catch (const std::exception& error) {
    write_error("soresolve: internal error: " + std::string(error.what()) + "\n");
  }
  finish(status);
}
