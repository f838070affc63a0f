// soresolve --help: what there is to ask.
#include "subcommand.h"

namespace soresolve::tool {
namespace {

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

}  // namespace

std::string usage() {
  std::string text(kUsage);
  for (const Subcommand* subcommand : all_subcommands()) {
    text += "  " + std::string(subcommand->name) + std::string(9 - subcommand->name.size(), ' ') +
            std::string(subcommand->summary) + '\n';
  }
  return text.append(kUsageEnd);
}

}  // namespace soresolve::tool
