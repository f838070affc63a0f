// All that is wrong with a start, beyond what the loader stops at.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "loader/load.h"
#include "soresolve/report.h"
#include "symbols/nearest_versions.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;

ElfSpec provider() {
  ElfSpec spec = library().soname("libv.so.1");
  spec.version_definitions = {{"libv.so.1"}, {"V_1"}, {"V_3"}, {"V_10"}};
  return spec.define(defined("f", "V_1"));
}

ElfSpec needer(const std::string& version) {
  ElfSpec spec = program_needing({"libv.so.1"});
  spec.version_needs = {{"libv.so.1", {{version}}}};
  return spec;
}

}  // namespace

TEST_CASE("the nearest versions are those of one family, around the place of the missing one") {
  const std::vector<std::string_view> defined = {"GLIBC_2.2.5", "GLIBC_2.35",        "GLIBC_2.4",
                                                 "GLIBC_2.36",  "GLIBC_ABI_DT_RELR", "GLIBC_PRIVATE"};
  struct Case {
    const char* why;
    std::string wanted;
    Names want;
  };
  const Case cases[] = {
      {"newer than all: the newest first", "GLIBC_2.38", {"GLIBC_2.36", "GLIBC_2.35"}},
      {"numbers count, not digits", "GLIBC_2.10", {"GLIBC_2.4", "GLIBC_2.35", "GLIBC_2.2.5", "GLIBC_2.36"}},
      {"older than all", "GLIBC_2.0", {"GLIBC_2.2.5", "GLIBC_2.4"}},
      {"another family: the first ones", "CXXABI_1.3", {"GLIBC_2.2.5", "GLIBC_2.35", "GLIBC_2.4", "GLIBC_2.36"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(NearestVersions(defined).to(c.wanted) == c.want);
  }
  CHECK(NearestVersions(std::vector<std::string_view>{}).to("V_1").empty());
}

TEST_CASE("the first line is the loader's, the proof tells what else is wrong") {
  struct Case {
    const char* why;
    std::function<void(MemorySystem&)> fill;
    std::string line;
    Names proof;
  };
  const Case cases[] = {
      {"all is well",
       [](MemorySystem& s) {
         s.program(needer("V_1").call(undefined("f", "V_1")));
         s.elf("/lib64/libv.so.1", provider());
       },
       "ok",
       {"1 requirement checked, all met", "1 reference bound"}},
      {"of two PT_GNU_STACK the last one counts",
       [](MemorySystem& s) {
         ElfSpec spec = program();
         spec.stack = StackHeader::ReadWriteThenExecutable;
         s.program(spec);
       },
       "ok",
       {"/bin/prog requires an executable stack (PT_GNU_STACK): the process gets one"}},
      {"the version is missing; its symbol, too",
       [](MemorySystem& s) {
         s.program(needer("V_2").call(undefined("f", "V_2")));
         s.elf("/lib64/libv.so.1", provider());
       },
       "/bin/prog: /lib64/libv.so.1: version `V_2' not found (required by /bin/prog)",
       {"libv.so.1 defines V_1, V_3, V_10", "it does not define V_2, which /bin/prog requires"}},
      {"the version is there, the symbol is not",
       [](MemorySystem& s) {
         s.program(needer("V_1").call(undefined("g", "V_1")));
         s.elf("/lib64/libv.so.1", provider());
       },
       "/bin/prog: symbol lookup error: /bin/prog: undefined symbol: g, version V_1",
       {"/lib64/libv.so.1 is found, but it does not define g@V_1", "without LD_BIND_NOW it starts"}},
      {"the version and the name are there, but not together",
       [](MemorySystem& s) {
         s.program(needer("V_3").call(undefined("f", "V_3")));
         s.elf("/lib64/libv.so.1", provider());
       },
       "/bin/prog: symbol lookup error: /bin/prog: undefined symbol: f, version V_3",
       {"f@V_3", "libv.so.1 has it in version V_1"}},
      {"a reference of -z now",
       [](MemorySystem& s) {
         ElfSpec spec = needer("V_1").call(undefined("g", "V_1"));
         spec.bind_now = true;
         s.program(spec);
         s.elf("/lib64/libv.so.1", provider());
       },
       "/bin/prog: symbol lookup error: /bin/prog: undefined symbol: g, version V_1",
       {"the same without LD_BIND_NOW: /bin/prog is linked with -z now"}},
      {"the second is data, so that binding later ends with another one",
       [](MemorySystem& s) {
         s.program(program_needing({"liba.so"}).refer(data(undefined("d"))));
         s.elf("/lib64/liba.so", library().call(undefined("f")));
       },
       "/bin/prog: symbol lookup error: /lib64/liba.so: undefined symbol: f",
       {"without LD_BIND_NOW it still ends, with\n                /bin/prog: symbol lookup error: "
        "/bin/prog: undefined symbol: d\n"}},
      {"a missing library takes its symbols with it",
       [](MemorySystem& s) { s.program(needer("V_1").call(undefined("f", "V_1"))); },
       "/bin/prog: error while loading shared libraries: libv.so.1: cannot open shared object file: No such file "
       "or directory",
       {"libv.so.1 is not found: none of the places", "needed by   prog"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem memory;
    c.fill(memory);
    memory.process.argv0 = "/bin/prog";
    LoadOptions options;
    options.on_fatal = OnFatal::Continue;
    Result<LinkMap> map = memory.load(kProgram, options);
    REQUIRE(map.has_value());
    const Result<Answer> answer = Answer::of_walk(Resolution(std::move(*map), std::string(kProgram)));
    REQUIRE(answer.has_value());
    REQUIRE(!answer->unreadable());
    CHECK(check_line(*answer) == c.line);
    const std::string text = to_text(view(*answer, {.as = View::As::Check}));
    CAPTURE(text);
    for (const std::string& part : c.proof) {
      CAPTURE(part);
      CHECK(text.find(part) != std::string::npos);
    }
  }
}
