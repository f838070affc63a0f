// Packages for a program of another architecture than its system's.
#include "remedies/foreign_architecture.h"

#include <doctest/doctest.h>
#include <elf.h>

#include <memory>
#include <string>
#include <vector>

#include "loader/system.h"
#include "soresolve/command_text.h"
#include "soresolve/file_system.h"
#include "unit/print_list.h"

using namespace soresolve;

TEST_CASE("a 32-bit program on a 64-bit system takes packages of its own architecture") {
  using Lines = std::vector<std::string>;
  struct Case {
    const char* why;
    std::uint16_t machine;
    bool is_64;
    const char* known;  ///< var/lib/dpkg/arch; nullptr: there is none
    CommandText typed;
    Lines commands;
  };
  const Case cases[] = {
      {"apt does not know it yet",
       EM_386,
       false,
       "amd64\n",
       "sudo apt install zlib1g libfoo1",
       {"sudo dpkg --add-architecture i386", "sudo apt update", "sudo apt install zlib1g:i386 libfoo1:i386"}},
      {"apt knows it", EM_386, false, "amd64\ni386\n", "sudo apt install zlib1g", {"sudo apt install zlib1g:i386"}},
      {"the name of another one begins so",
       EM_386,
       false,
       "amd64\ni386x\n",
       "sudo apt install zlib1g",
       {"sudo dpkg --add-architecture i386", "sudo apt update", "sudo apt install zlib1g:i386"}},
      {"its own", EM_X86_64, true, nullptr, "sudo apt install zlib1g", {"sudo apt install zlib1g"}},
      {"rpm marks the others",
       EM_386,
       false,
       nullptr,
       "sudo dnf install 'libz.so.1()(64bit)'",
       {"sudo dnf install libz.so.1"}},
      {"conda has no second architecture", EM_386, false, nullptr, "conda install zlib", {"conda install zlib"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const auto files = std::make_shared<MemoryFileSystem>();
    files->add_file("/lib64/ld-linux-x86-64.so.2", "");
    if (c.known != nullptr) files->add_file("/var/lib/dpkg/arch", c.known);
    System system;
    system.files = files;
    system.loader.target.machine = c.machine;
    system.loader.target.elf_class = c.is_64 ? ElfClass::Elf64 : ElfClass::Elf32;
    std::vector<Remedy> remedies(1);
    remedies.front().kind = RemedyKind::Install;
    remedies.front().commands = {c.typed};
    ask_for_architecture(system, remedies);
    CHECK(texts_of(remedies.front().commands) == c.commands);
  }
}
