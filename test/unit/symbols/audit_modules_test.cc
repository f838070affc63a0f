// Which audit modules the loader says it cannot use (glibc elf/rtld.c:load_audit_module). The rest is in the scenarios
// 80b and 80c, which the real loader judges.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "symbols/audit_modules.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

TEST_CASE("an audit module is opened on its own, and has to define la_version") {
  const std::string loader(kInterp);
  const std::string lacks = "undefined symbol: la_version";
  struct Case {
    const char* why;
    std::string name;
    std::string says;
    ElfSpec program = soresolve::test::program();
    int minor = 36;
    bool is_secure = false;
  };
  const Case cases[] = {
      {"it defines it", "/A/good.so", ""},
      {"a library that it needs defines it", "/A/user.so", ""},
      {"nothing does", "/A/plain.so", lacks},
      {"its library needs a version of ld.so, which the program does not need", "/A/of-libc.so", lacks},
      {"it is in the program's RPATH", "plain.so", lacks, program().rpath("/A")},
      {"the program cannot start", "/A/plain.so", lacks, program_needing({"gone.so"})},
      {"the program has loaded it, too", "/A/plain.so", lacks, program_needing({"/A/good.so", "/A/plain.so"})},
      {"it is nowhere", "plain.so", "cannot open shared object file"},
      {"the program's RUNPATH counts", "plain.so", lacks, program().runpath("/A"), 35},
      {"not before 2.35", "plain.so", "", program().runpath("/A"), 34},
      {"AT_SECURE", "/A/plain.so", "", program(), 36, true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system(c.minor);
    system.process.secure = c.is_secure;
    system.files().add_file(kInterp, write_loader(), 0755);
    system.program(c.program).env("LD_AUDIT=" + c.name).env("LD_PRELOAD=/A/good.so");
    system.elf("/A/good.so", library().define(defined("la_version")))
        .elf("/A/plain.so", library().define(defined("other")));
    system.elf("/A/user.so", library_needing({"/A/good.so"}).define(defined("other")));
    ElfSpec libc = library_needing({loader});
    libc.define(defined("printf")).version_needs = {{loader, {{"GLIBC_2.3", true}}}};
    system.elf("/A/libc.so.6", libc).elf("/A/of-libc.so", library_needing({"/A/libc.so.6"}).define(defined("other")));
    const Result<LinkMap> map = system.load();
    REQUIRE(map.has_value());
    std::vector<std::string> want;
    if (!c.says.empty()) {
      want = {"ERROR: ld.so: object '" + c.name + "' cannot be loaded as audit interface: " + c.says + "; ignored."};
    }
    CHECK(audit_warnings(*map) == want);
  }
}
