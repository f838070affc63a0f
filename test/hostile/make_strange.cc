// Adds to a root directory files and directories whose names, and the names in them, are not fit to print.
//
// usage: make_strange ROOT      ROOT is what make_tree has made
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "support/fatbin_writer.h"
#include "support/file_tree.h"

namespace soresolve::test {
namespace {

/// Sets a terminal's title, clears it, overwrites the line; a byte that is no UTF-8, a C1 control, a
/// reversal of the direction of writing, a space of no width; and a line of its own that is a good answer.
const std::string kStrange = "\x1b]0;t\x07\x1b[2J\r\x7f\xff\xc2\x9b\xe2\x80\xae\xe2\x80\x8b\nok";
/// The same as a string of JSON, as far as it can be one.
const std::string kInJson = R"(\u001b]0;t\u0007\u001b[2J\r\u007f\u009b\u202e\u200b\nok)";
/// The same without what ends a name in ld.so.preload.
const std::string kInList = "\x1b]0;t\x07\x1b[2J\x7f\xff\xc2\x9b\xe2\x80\xae\xe2\x80\x8b";

const std::string kNode = "V" + kStrange;
const std::string kLibrary = "lib" + kStrange + ".so";

ElfSpec strange_library() {
  ElfSpec spec = library().soname(kLibrary).needed("libc.so.6");
  spec.version_definitions = {{kLibrary}, {kNode}, {kNode + "2", 1, {}, {kNode}}};
  spec.define(defined("sym" + kStrange, kNode)).define(defined("other", kNode + "2"));
  return spec.dlopens(R"([{"feature":")" + kInJson + R"(","description":")" + kInJson + R"(","soname":["lib)" +
                      kInJson + R"(.so"]}])");
}

/// Wants `library`, and a version and symbols of it.
ElfSpec user_of(const std::string& library, const std::string& version) {
  ElfSpec spec = program().needed(library).runpath("/strange/dir" + kStrange + ":$" + kStrange + ":rel" + kStrange);
  spec.version_needs = {{library, {{version}}}};
  return spec.refer(undefined("sym" + kStrange, version)).refer(weak(undefined("weak" + kStrange)));
}

std::vector<TreeNode> programs() {
  ElfSpec unresolved_symbol = user_of(kLibrary, kNode);
  unresolved_symbol.refer(undefined("lost" + kStrange, kNode)).call(undefined("later" + kStrange));
  ElfSpec other_loader = program().needed("libc.so.6");
  other_loader.interp = "/lib64/ld" + kStrange;
  const std::string at = "/strange/bin" + kStrange + "/";
  return {
      elf_file("/strange/dir" + kStrange + "/" + kLibrary, strange_library()),
      elf_file(at + "starts" + kStrange, user_of(kLibrary, kNode)),
      elf_file(at + "lost_symbol" + kStrange, unresolved_symbol),
      elf_file(at + "lost_version" + kStrange, user_of(kLibrary, "W" + kStrange)),
      elf_file(at + "lost_library" + kStrange, user_of("libgone" + kStrange + ".so", kNode)),
      elf_file(at + "lost_path" + kStrange, program().needed("/gone/" + kLibrary)),
      elf_file(at + "other_loader" + kStrange, other_loader),
      elf_file(at + "broken" + kStrange, program().needed("libbroken" + kStrange).rpath("$ORIGIN")),
      text_file(at + "libbroken" + kStrange, "This is a text of more than sixty-four bytes, and no ELF file.\n"),
      damaged_file(at + "short" + kStrange, strange_library(), Damage::HeaderOnly),
      text_file(at + "gpu" + kStrange, container_of({{.arch = 80, .payload_bytes = 512}})),
  };
}

/// What `doctor` finds, and what all commands read.
std::vector<TreeNode> system_files() {
  const std::string site = "/opt/env" + kStrange + "/lib/python3.11/site-packages/";
  ElfSpec runtime = library().soname("libcudart.so.12");
  return {
      text_file("/etc/ld.so.preload", "/gone" + kInList + ".so\n"),
      text_file("/etc/ld.so.conf", "include /etc/ld.so.conf.d/*\n/lib" + kStrange + "\n"),
      text_file("/etc/ld.so.conf.d/" + kStrange, "/usr/local/" + kInList + "\n"),
      text_file("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535" + kStrange + "\n"),
      elf_file("/usr/local/cuda" + kStrange + "/lib64/libcudart.so.12." + kStrange, runtime),
      text_file("/usr/local/cuda" + kStrange + "/bin/nvcc", ""),
      text_file("/usr/local/cuda" + kStrange + "/version.json", R"({"cuda":{"version":"12.4)" + kInJson + "\"}}"),
      elf_file(site + "nvidia/" + kStrange + "/lib/libcudart.so.12", runtime),
      elf_file(site + "torch/lib/libtorch_cuda.so", library().soname("libtorch_cuda.so").needed(kLibrary)),
      text_file(site + "torch/version.py", "cuda = '12.1" + kStrange + "'\ngit = '" + kStrange + "'\n"),
      text_file(site + "torch-2.1.0+cu121" + kStrange + ".dist-info/METADATA",
                "Name: torch\nVersion: 2.1" + kInList + "\n"),
  };
}

}  // namespace
}  // namespace soresolve::test

int main(int argc, char** argv) {
  using namespace soresolve::test;
  const int root = argc == 2 ? ::open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
  if (root < 0) {
    std::fputs("usage: make_strange ROOT\n", stderr);
    return 2;
  }
  write_tree(root, programs());
  write_tree(root, system_files());
  ::close(root);
  return 0;
}
