// How a start ends, and what is on standard error then (glibc elf/rtld.c:dl_main).
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "loader/load.h"
#include "loader/process.h"
#include "soresolve/symbols.h"
#include "symbols/startup.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Lines = std::vector<std::string>;

struct Ended {
  StartEnd end = StartEnd::Runs;
  Lines lines;
};

Ended run(MemorySystem& system, BindTime bind_time) {
  system.process.argv0 = "prog";
  const Result<LinkMap> map = system.load();
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  const Result<StartFacts> facts = read_start_facts(*map);
  REQUIRE_MESSAGE(facts.has_value(), facts.error().to_string());
  const Startup start = start_up(*map, *facts, bind_time);
  return {start.end, start.lines};
}

/// As if the name had been cut off with the end of the file, but not its hash.
ElfSpec without_name(ElfSpec spec, const std::string& name) {
  const std::string file = write_elf(spec);
  return spec.patch(file.find(name), std::string(name.size(), '\0'));
}

ElfSpec wants_nameless_version(const ElfSpec& from) {
  ElfSpec spec = from;
  spec.version_needs = {{"liba.so", {{"CUT_OFF"}}}};
  Symbol symbol = undefined("f");
  symbol.version = "CUT_OFF";
  return without_name(spec.refer(symbol), "CUT_OFF");
}

}  // namespace

TEST_CASE("a version without a name is one all the same: its hash says so") {
  const std::string warning = "/lib64/liba.so: no version information available (required by ";
  MemorySystem start;
  start.program(wants_nameless_version(program_needing({"liba.so"}))).elf("/lib64/liba.so", library());
  const Ended ended = run(start, BindTime::AsAsked);
  CHECK(ended.end == StartEnd::Fails);
  CHECK(ended.lines ==
        Lines{"prog: " + warning + "prog)", "prog: symbol lookup error: prog: undefined symbol: f, version "});
  MemorySystem opens;
  opens.process.start = Start::Dlopen;
  opens.elf("/lib64/liba.so", library()).elf("/lib64/libb.so", wants_nameless_version(library_needing({"liba.so"})));
  const Result<LinkMap> map = opens.load("/lib64/libb.so");
  REQUIRE(map.has_value());
  const Result<StartFacts> facts = read_start_facts(*map);
  REQUIRE(facts.has_value());
  const Startup opened = start_up(*map, *facts, BindTime::Now);
  CHECK(opened.lines == Lines{"/lib64/libb.so: undefined symbol: f, version "});
  REQUIRE(opened.undefined.size() == 1);
  CHECK(opened.undefined[0].has_version);
}

TEST_CASE("a program that wants an executable stack does not start where a tunable forbids it") {
  struct Case {
    const char* why;
    int minor;
    StackHeader stack;
    const char* tunables;
    bool starts;
  };
  const Case cases[] = {
      {"since 2.41", 41, StackHeader::Executable, "glibc.rtld.execstack=0", false},
      {"without a header it wants", 41, StackHeader::Absent, "glibc.rtld.execstack=0", false},
      {"it wants none", 41, StackHeader::ReadWrite, "glibc.rtld.execstack=0", true},
      {"permitted at a start", 41, StackHeader::Executable, "glibc.rtld.execstack=1", true},
      {"no number", 41, StackHeader::Executable, "glibc.rtld.nns=1", true},
      {"2.40 has no such tunable", 40, StackHeader::Executable, "glibc.rtld.execstack=0", true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system(c.minor);
    // Before anything is searched.
    ElfSpec spec = c.starts ? program() : program_needing({"gone.so"});
    spec.stack = c.stack;
    system.program(spec).env("GLIBC_TUNABLES=" + std::string(c.tunables));
    const Ended ended = run(system, BindTime::AsAsked);
    CHECK(ended.end == (c.starts ? StartEnd::Runs : StartEnd::Fails));
    CHECK(ended.lines == (c.starts ? Lines{} : Lines{"Fatal glibc error: executable stack is not allowed"}));
  }
}

TEST_CASE("a library without strings ends who asks it for a version") {
  MemorySystem system;
  ElfSpec program = program_needing({"liba.so"});
  program.version_needs = {{"liba.so", {{"V1"}}}};
  ElfSpec bare = library();
  // A dynamic section of zeros.
  const std::string file = write_elf(bare);
  const std::string strtab("\5\0\0\0\0\0\0\0", 8);
  bare.patch(file.rfind(strtab), std::string(8, '\0'));
  system.program(program).elf("/lib64/liba.so", bare);
  CHECK(run(system, BindTime::AsAsked).end == StartEnd::Crashes);
}

TEST_CASE("a start ends with the loader's own words") {
  struct Case {
    const char* why;
    std::function<void(MemorySystem&)> fill;
    StartEnd now;
    StartEnd lazy;
    Lines lines;  ///< with LD_BIND_NOW
  };
  const Case cases[] = {
      {"nothing is wrong",
       [](MemorySystem& s) {
         s.program(program_needing({"liba.so"}).refer(undefined("f")));
         s.elf("/lib64/liba.so", library().define(defined("f")));
       },
       StartEnd::Runs,
       StartEnd::Runs,
       {}},
      {"a library is missing",
       [](MemorySystem& s) { s.program(program_needing({"gone.so"})); },
       StartEnd::Fails,
       StartEnd::Fails,
       {"prog: error while loading shared libraries: gone.so: cannot open shared object file: No such "
        "file or directory"}},
      {"a version is missing: exit status 1, every message",
       [](MemorySystem& s) {
         ElfSpec program = program_needing({"liba.so"});
         program.version_needs = {{"liba.so", {{"V2"}, {"V3", true}}}};
         s.program(program);
         ElfSpec library = test::library();
         library.version_definitions = {{"liba.so"}, {"V1"}};
         s.elf("/lib64/liba.so", library);
       },
       StartEnd::Versions,
       StartEnd::Versions,
       {"prog: /lib64/liba.so: version `V2' not found (required by prog)",
        "prog: /lib64/liba.so: weak version `V3' not found (required by prog)"}},
      {"an undefined variable",
       [](MemorySystem& s) {
         s.program(program_needing({"liba.so"}));
         s.elf("/lib64/liba.so", library().refer(undefined("x")));
       },
       StartEnd::Fails,
       StartEnd::Fails,
       {"prog: symbol lookup error: /lib64/liba.so: undefined symbol: x"}},
      {"an undefined function is met at its first call only",
       [](MemorySystem& s) {
         s.program(program_needing({"liba.so"}));
         s.elf("/lib64/liba.so", library().call(undefined("f")));
       },
       StartEnd::Fails,
       StartEnd::Runs,
       {"prog: symbol lookup error: /lib64/liba.so: undefined symbol: f"}},
      {"unless the library is linked with -z now",
       [](MemorySystem& s) {
         s.program(program_needing({"liba.so"}));
         ElfSpec library = test::library().call(undefined("f"));
         library.flags_1 = kDf1Now;
         s.elf("/lib64/liba.so", library);
       },
       StartEnd::Fails,
       StartEnd::Fails,
       {"prog: symbol lookup error: /lib64/liba.so: undefined symbol: f"}},
      {"LD_BIND_NOW of the environment counts",
       [](MemorySystem& s) {
         s.env("LD_BIND_NOW=1");
         s.program(program_needing({"liba.so"}));
         s.elf("/lib64/liba.so", library().call(undefined("f")));
       },
       StartEnd::Fails,
       StartEnd::Fails,
       {"prog: symbol lookup error: /lib64/liba.so: undefined symbol: f"}},
      {"an empty LD_BIND_NOW does not",
       [](MemorySystem& s) {
         s.env("LD_BIND_NOW=");
         s.program(program_needing({"liba.so"}));
         s.elf("/lib64/liba.so", library().call(undefined("f")));
       },
       StartEnd::Fails,
       StartEnd::Runs,
       {"prog: symbol lookup error: /lib64/liba.so: undefined symbol: f"}},
      {"a copy of another size is a warning",
       [](MemorySystem& s) {
         s.program(program_needing({"liba.so"}).refer(data(defined("d"), 8), kRelocCopy));
         s.elf("/lib64/liba.so", library().define(data(defined("d"), 16)));
       },
       StartEnd::Runs,
       StartEnd::Runs,
       {"prog: Symbol `d' has different size in shared object, consider re-linking"}},
      {"a processor that is too old",
       [](MemorySystem& s) {
         s.program(program_needing({"liba.so"}));
         ElfSpec library = test::library();
         library.isa_needed = 4;
         s.elf("/lib64/liba.so", library);
       },
       StartEnd::Fails,
       StartEnd::Fails,
       {"/lib64/liba.so: CPU ISA level is lower than required"}},
      {"a type of relocation that the loader does not know",
       [](MemorySystem& s) {
         ElfSpec program = program_needing({"liba.so"});
         program.relocations.push_back({0x99, ""});
         s.program(program);
         s.elf("/lib64/liba.so", library());
       },
       StartEnd::Fails,
       StartEnd::Fails,
       {"prog: error while loading shared libraries: unexpected reloc type 0x99"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    c.fill(system);
    const Ended now = run(system, BindTime::Now);
    CHECK(now.end == c.now);
    CHECK(now.lines == c.lines);
    CHECK(run(system, BindTime::AsAsked).end == c.lazy);
  }
}
