// One list, directory by directory: which error ends it, and what the loader remembers
// (glibc elf/dl-load.c:open_path).
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "loader/cpu.h"
#include "loader/load.h"
#include "support/borrowed.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;
using Fill = std::function<void(MemorySystem&)>;

const ElfSpec kNeedsX = program_needing({"libx.so"});

LinkMap recorded(MemorySystem& system) {
  Result<LinkMap> map = system.load(kProgram, {.attempts = Attempts::Record});
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  return std::move(*map);
}

void damaged(MemorySystem& system, Damage damage) {
  system.files().add_file("/B/libx.so", write_damaged(library(), damage));
}

}  // namespace

TEST_CASE("some errors lead to the next directory, others to the next stage") {
  // LD_LIBRARY_PATH is /B:/G, RUNPATH is /N; G and N have the library.
  const std::string next_directory = "libx.so => /G/libx.so";
  const std::string next_stage = "libx.so => /N/libx.so";
  struct Case {
    std::string why;
    Fill fill;
    std::string until_2_38;
    std::string since_2_39;
  };
  const Case cases[] = {
      {"there is no such directory", [](MemorySystem&) {}, next_directory, next_directory},
      {"there is no such file", [](MemorySystem& s) { s.files().add_directory("/B"); }, next_directory, next_directory},
      {"a link to nothing", [](MemorySystem& s) { s.files().add_symlink("/B/libx.so", "no"); }, next_directory,
       next_directory},
      {"another ELF class", [](MemorySystem& s) { damaged(s, Damage::OtherClass); }, next_directory, next_directory},
      {"another machine", [](MemorySystem& s) { damaged(s, Damage::OtherMachine); }, next_directory, next_directory},
      {"a file that may not be read",
       [](MemorySystem& s) { s.files().add_file("/B/libx.so", write_elf(library()), 0); }, next_directory,
       next_directory},
      {"the directory is a file", [](MemorySystem& s) { s.files().add_file("/B", "x"); }, next_directory,
       next_directory},
      {"a link through a file",
       [](MemorySystem& s) {
         s.files().add_file("/B/file", "x");
         s.files().add_symlink("/B/libx.so", "file/libx.so");
       },
       next_stage, next_directory},
      {"a link to itself", [](MemorySystem& s) { s.files().add_symlink("/B/libx.so", "libx.so"); }, next_stage,
       next_stage},
      {"a socket", [](MemorySystem& s) { s.files().add_special("/B/libx.so", FileKind::Socket); }, next_stage,
       next_stage},
  };
  for (const Case& c : cases) {
    for (const int minor : {31, 36, 38, 39, 41}) {
      CAPTURE(c.why);
      CAPTURE(minor);
      MemorySystem system(minor);
      system.program(ElfSpec(kNeedsX).runpath("/N")).env("LD_LIBRARY_PATH=/B:/G");
      system.elf("/G/libx.so", library()).elf("/N/libx.so", library());
      c.fill(system);
      CHECK(listing(recorded(system)) == Names{minor <= 38 ? c.until_2_38 : c.since_2_39});
    }
  }
}

TEST_CASE("a relative element that is a file ends the list up to 2.38") {
  for (const int minor : {36, 38, 39, 41}) {
    CAPTURE(minor);
    MemorySystem system(minor);
    system.process.cwd = "/here";
    system.files().add_file("/here/file", "x");
    system.program(kNeedsX).env("LD_LIBRARY_PATH=file:/G").elf("/G/libx.so", library());
    CHECK(listing(recorded(system)) == Names{minor <= 38 ? "libx.so => not found" : "libx.so => /G/libx.so"});
  }
}

TEST_CASE("a name that is too long ends every list; a directory that is too long is skipped") {
  const std::string name(256, 'n');
  MemorySystem system;
  system.program(program_needing({name})).env("LD_LIBRARY_PATH=/B");
  system.files().add_directory("/B");
  CHECK(messages(recorded(system)) ==
        Names{"prog: error while loading shared libraries: " + name + ": cannot open shared object file: Error 36"});

  MemorySystem other;
  other.program(kNeedsX).env("LD_LIBRARY_PATH=/" + std::string(300, 'd') + ":/G");
  other.elf("/G/libx.so", library());
  CHECK(listing(recorded(other)) == Names{"libx.so => /G/libx.so"});
}

TEST_CASE("the errno that counts is that of the directory itself, after its subdirectories") {
  const std::string v2 = "glibc-hwcaps/x86-64-v2/";
  struct Case {
    std::string why;
    Fill fill;
    Names want;
  };
  const Case cases[] = {
      {"ELOOP in a subdirectory, the file in the directory",
       [&](MemorySystem& s) {
         s.files().add_symlink("/B/" + v2 + "libx.so", "libx.so");
         s.elf("/B/libx.so", library());
       },
       {"libx.so => /B/libx.so"}},
      {"ELOOP in a subdirectory, nothing in the directory",
       [&](MemorySystem& s) { s.files().add_symlink("/B/" + v2 + "libx.so", "libx.so"); },
       {"libx.so => /G/libx.so"}},
      {"another class in a subdirectory",
       [&](MemorySystem& s) {
         s.files().add_file("/B/" + v2 + "libx.so", write_damaged(library(), Damage::OtherClass));
         s.elf("/B/libx.so", library());
       },
       {"libx.so => /B/libx.so"}},
      {"an empty file in a subdirectory is fatal",
       [&](MemorySystem& s) {
         s.files().add_file("/B/" + v2 + "libx.so", "");
         s.elf("/B/libx.so", library());
       },
       {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    system.process.cpu = *cpu_by_name("x86-64-v2", kX86_64);
    system.program(kNeedsX).env("LD_LIBRARY_PATH=/B:/G").elf("/G/libx.so", library());
    c.fill(system);
    const LinkMap map = recorded(system);
    CHECK(listing(map) == c.want);
    if (c.want.empty()) {
      CHECK(messages(map) == Names{"prog: error while loading shared libraries: /B/" + v2 + "libx.so: file too short"});
    }
  }
}

TEST_CASE("a directory that is absent is tried once, then skipped without a word") {
  MemorySystem system(41);
  system.program(program_needing({"liba.so", "libb.so"}).runpath("/none:/D"));
  system.elf("/D/liba.so", library()).elf("/D/libb.so", library());
  const LinkMap map = recorded(system);
  CHECK(attempts(map, 0) == Names{"/none/liba.so: no such directory", "/D/liba.so: loaded"});
  CHECK(attempts(map, 1) == Names{": directory does not exist (already reported above)", "/D/libb.so: loaded"});
  const auto is_printed = [&map](std::size_t need, std::size_t attempt) {
    return map.traces[map.main().needs[need].trace].attempts[attempt].is_printed;
  };
  CHECK(is_printed(0, 0));
  CHECK(!is_printed(1, 0));
  CHECK(is_printed(1, 1));
}

TEST_CASE("what is known of a directory holds for every list that has it") {
  MemorySystem system(41);
  system.env("LD_LIBRARY_PATH=/none");
  system.program(program_needing({"liba.so"}).runpath("/none/:/D"));
  system.elf("/D/liba.so", library());
  CHECK(attempts(recorded(system), 0) == Names{"/none/liba.so: no such directory",
                                               ": directory does not exist (already reported above)",
                                               "/D/liba.so: loaded"});
}

TEST_CASE("an existing directory is tried again; so is a relative one that is absent") {
  MemorySystem system(41);
  system.process.cwd = "/here";
  system.files().add_directory("/E");
  system.program(program_needing({"liba.so", "libb.so"}).runpath("/E:none:/D"));
  system.elf("/D/liba.so", library()).elf("/D/libb.so", library());
  const LinkMap map = recorded(system);
  CHECK(attempts(map, 0) == Names{"/E/liba.so: no such file", "none/liba.so: no such file", "/D/liba.so: loaded"});
  CHECK(attempts(map, 1) == Names{"/E/libb.so: no such file", "none/libb.so: no such file", "/D/libb.so: loaded"});
}

TEST_CASE("each subdirectory has a memory of its own") {
  MemorySystem system(41);
  system.process.cpu = *cpu_by_name("x86-64-v3", kX86_64);
  const std::string v2 = "/D/glibc-hwcaps/x86-64-v2/";
  system.elf(v2 + "liba.so", library()).elf("/D/libb.so", library());
  system.program(program_needing({"liba.so", "libb.so"}).runpath("/D"));
  const LinkMap map = recorded(system);
  CHECK(attempts(map, 0) == Names{"/D/glibc-hwcaps/x86-64-v3/liba.so: no such directory", v2 + "liba.so: loaded"});
  CHECK(attempts(map, 1) == Names{": directory does not exist (already reported above)", v2 + "libb.so: no such file",
                                  "/D/libb.so: loaded"});
}

TEST_CASE("up to 2.37 `/` is lost after its first miss") {
  for (const int minor : {31, 36, 37, 38, 41}) {
    CAPTURE(minor);
    MemorySystem system(minor);
    system.program(program_needing({"liba.so", "libx.so"})).env("LD_LIBRARY_PATH=/");
    system.elf("/lib64/liba.so", library()).elf("/libx.so", library());
    CHECK(listing(recorded(system)) ==
          Names{"liba.so => /lib64/liba.so", minor <= 37 ? "libx.so => not found" : "libx.so => /libx.so"});

    MemorySystem first(minor);
    first.program(kNeedsX).env("LD_LIBRARY_PATH=/").elf("/libx.so", library());
    CHECK(listing(recorded(first)) == Names{"libx.so => /libx.so"});
  }
}

TEST_CASE("a FIFO in the way waits for a writer") {
  MemorySystem system;
  system.program(kNeedsX).env("LD_LIBRARY_PATH=/B:/G").elf("/G/libx.so", library());
  system.files().add_special("/B/libx.so", FileKind::Fifo);
  const LinkMap map = recorded(system);
  REQUIRE(map.failures.size() == 1);
  CHECK(map.failures[0].kind == LoadFailure::Kind::Block);
  CHECK(map.failures[0].object == "/B/libx.so");
  CHECK(map.first_fatal_in_trace() == map.failures.data());
}

TEST_CASE("the message carries the errno of the last call that failed, or none") {
  const std::string start = "prog: error while loading shared libraries: libx.so: ";
  ElfSpec barred = kNeedsX;
  barred.flags_1 = kDf1Pie | kDf1NoDefLib;
  const Fill has_cache = [](MemorySystem& s) { s.cached("other.so", "/C/other.so"); };
  struct Case {
    std::string why;
    ElfSpec program;
    Fill fill;
    std::string want;
  };
  const Case cases[] = {
      {"nothing anywhere", kNeedsX, [](MemorySystem&) {}, "cannot open shared object file: No such file or directory"},
      {"no lists and no default directories, but a cache", barred, has_cache, "cannot open shared object file"},
      {"no cache either: that is what is missing", barred, [](MemorySystem&) {},
       "cannot open shared object file: No such file or directory"},
      {"EACCES was the last", ElfSpec(barred).rpath("/B"),
       [&](MemorySystem& s) {
         has_cache(s);
         s.files().add_file("/B/libx.so", "x", 0);
       },
       "cannot open shared object file: Permission denied"},
      {"EACCES, but default directories follow", ElfSpec(kNeedsX).rpath("/B"),
       [&](MemorySystem& s) {
         has_cache(s);
         s.files().add_file("/B/libx.so", "x", 0);
       },
       "cannot open shared object file: No such file or directory"},
      {"ELOOP has no words", ElfSpec(barred).rpath("/B"),
       [&](MemorySystem& s) {
         has_cache(s);
         s.files().add_symlink("/B/libx.so", "libx.so");
       },
       "cannot open shared object file: Error 40"},
      {"another class was there", ElfSpec(kNeedsX).rpath("/B"), [](MemorySystem& s) { damaged(s, Damage::OtherClass); },
       "wrong ELF class: ELFCLASS32"},
      {"an odd class, too, counts as the other one", ElfSpec(kNeedsX).rpath("/B"),
       [](MemorySystem& s) { damaged(s, Damage::OddClass); }, "wrong ELF class: ELFCLASS32"},
      {"another machine", ElfSpec(kNeedsX).rpath("/B"), [](MemorySystem& s) { damaged(s, Damage::OtherMachine); },
       "cannot open shared object file: No such file or directory"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    system.program(c.program);
    c.fill(system);
    CHECK(messages(recorded(system)) == Names{start + c.want});
  }
}

TEST_CASE("errno is the process's: a request that tries nothing reports the one before") {
  ElfSpec barred = program_needing({"libx.so", "liba.so"});
  barred.flags_1 = kDf1Pie | kDf1NoDefLib;
  ElfSpec lone = library_needing({"liby.so"}).runpath("");
  lone.flags_1 = kDf1NoDefLib;
  MemorySystem system;
  system.cached("liba.so", "/C/liba.so").program(barred.rpath("/B"));
  system.files().add_file("/B/libx.so", "x", 0);
  system.elf("/C/liba.so", lone);
  // DlopenCall liba.so clears the EACCES of libx.so.
  const std::string text = "cannot open shared object file";
  const std::string start = "prog: error while loading shared libraries: ";
  CHECK(messages(recorded(system)) ==
        Names{start + "libx.so: " + text + ": Permission denied", start + "liby.so: " + text});
}

TEST_CASE("another class seen for one request says nothing of the next") {
  MemorySystem system;
  damaged(system, Damage::OtherClass);
  system.program(program_needing({"libx.so", "liby.so"}).rpath("/B"));
  const std::string start = "prog: error while loading shared libraries: ";
  CHECK(messages(recorded(system)) ==
        Names{start + "libx.so: wrong ELF class: ELFCLASS32",
              start + "liby.so: cannot open shared object file: No such file or directory"});
}
