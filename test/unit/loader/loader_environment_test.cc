// Variables that change a search without naming a directory (glibc elf/rtld.c:process_envvars,
// sysdeps/unix/sysv/linux/dl-librecon.h).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "loader/cpu.h"
#include "loader/load.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;

Names settings_read(MemorySystem& system) {
  const Result<LinkMap> map = system.load();
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  return listing(*map);
}

}  // namespace

TEST_CASE("LD_HWCAP_MASK takes legacy bits only: not tls, not the platform, not glibc-hwcaps") {
  // Bit 1 is x86_64, bit 2 is avx512_1.
  struct Case {
    std::string why;
    std::string mask;
    std::string subdirectory;
    bool found;
  };
  const Case cases[] = {
      {"no mask", "", "avx512_1/x86_64", true},
      {"all bits", "LD_HWCAP_MASK=0xffffffff", "avx512_1/x86_64", true},
      {"one bit", "LD_HWCAP_MASK=2", "x86_64", true},
      {"the other one is gone", "LD_HWCAP_MASK=2", "avx512_1", false},
      {"hexadecimal", "LD_HWCAP_MASK=0x4", "avx512_1", true},
      {"octal", "LD_HWCAP_MASK=04", "avx512_1", true},
      {"no bit", "LD_HWCAP_MASK=0", "x86_64", false},
      {"tls stays", "LD_HWCAP_MASK=0", "tls", true},
      {"the platform stays", "LD_HWCAP_MASK=0", "tls/haswell", true},
      {"glibc-hwcaps stay", "LD_HWCAP_MASK=0", "glibc-hwcaps/x86-64-v2", true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system(36);
    system.process.cpu = *cpu_by_name("haswell", kX86_64);
    system.process.cpu.legacy_names = {"x86_64", "avx512_1"};
    system.process.cpu.legacy_bits = 1u << 1 | 1u << 2;
    if (!c.mask.empty()) system.env(c.mask);
    system.program(program_needing({"libx.so"}).rpath("/D"));
    const std::string path = "/D/" + c.subdirectory + "/libx.so";
    system.elf(path, library());
    CHECK(settings_read(system) == Names{"libx.so => " + (c.found ? path : "not found")});
  }
}

TEST_CASE("the mask holds for legacy cache entries, too, but not under AT_SECURE") {
  const auto find = [](bool is_masked, bool is_secure) {
    MemorySystem system(36);
    system.program(program_needing({"libx.so"})).elf("/C/legacy.so", library()).elf("/C/plain.so", library());
    system.cached("libx.so", "/C/plain.so");
    system.cache.lines.push_back({"libx.so", "/C/legacy.so", kCacheFlagsX86_64, 0, 1u << 1});
    if (is_masked) system.env("LD_HWCAP_MASK=0");
    system.process.secure = is_secure;
    return settings_read(system);
  };
  CHECK(find(false, false) == Names{"libx.so => /C/legacy.so"});
  CHECK(find(true, false) == Names{"libx.so => /C/plain.so"});
  CHECK(find(true, true) == Names{"libx.so => /C/legacy.so"});
}

TEST_CASE("up to 2.35 an ABI note is compared with uname, or LD_ASSUME_KERNEL if that is older") {
  struct Case {
    std::string why;
    int minor;
    std::string os_release;
    std::string assumed;
    bool secure;
    bool found;
  };
  const Case cases[] = {
      {"this kernel is newer", 31, "6.1.0-44-amd64", "", false, true},
      {"this kernel is older", 31, "4.19.0", "", false, false},
      {"it is not known", 31, "", "", false, true},
      {"assumed to be older", 31, "6.1.0", "LD_ASSUME_KERNEL=2.6.32", false, false},
      {"it is never made newer", 31, "4.19.0", "LD_ASSUME_KERNEL=6.1", false, false},
      {"unknown, but assumed", 31, "", "LD_ASSUME_KERNEL=2.6.32", false, false},
      {"nonsense is ignored", 31, "4.19.0", "LD_ASSUME_KERNEL=new", false, false},
      {"two numbers are enough", 31, "6.1.0", "LD_ASSUME_KERNEL=4.19", false, false},
      {"a number may be octal", 31, "6.1.0", "LD_ASSUME_KERNEL=012.1", false, true},
      {"or hexadecimal", 31, "6.1.0", "LD_ASSUME_KERNEL=0x4.1", false, false},
      {"blanks and a sign may stand before it", 31, "6.1.0", "LD_ASSUME_KERNEL= +4.19", false, false},
      {"text behind the first makes it nonsense", 31, "6.1.0", "LD_ASSUME_KERNEL=4.19-x", false, true},
      {"behind the third it does not count", 31, "6.1.0", "LD_ASSUME_KERNEL=4.19.0-x", false, false},
      {"a dot calls for another number", 31, "6.1.0", "LD_ASSUME_KERNEL=4.19.", false, true},
      {"255 is too much", 31, "6.1.0", "LD_ASSUME_KERNEL=4.255", false, true},
      {"AT_SECURE does not ignore it", 31, "6.1.0", "LD_ASSUME_KERNEL=2.6.32", true, false},
      {"2.35 still compares", 35, "4.19.0", "", false, false},
      {"2.36 does not", 36, "4.19.0", "", false, true},
  };
  ElfSpec needs_5_0 = library();
  needs_5_0.abi_tag = AbiTag{0, {5, 0, 0}};
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system(c.minor);
    system.process.os_release = c.os_release;
    system.process.secure = c.secure;
    if (!c.assumed.empty()) system.env(c.assumed);
    system.program(program_needing({"libx.so"}).rpath("/D:/E"));
    system.elf("/D/libx.so", needs_5_0).elf("/E/libx.so", library());
    CHECK(settings_read(system) == Names{c.found ? "libx.so => /D/libx.so" : "libx.so => /E/libx.so"});
  }
}

TEST_CASE("audit modules are not run, but noted") {
  struct Case {
    std::string why;
    std::string env;
    ElfSpec program;
    std::size_t notes;
  };
  const Case cases[] = {
      {"none", "", program(), 0},
      {"LD_AUDIT", "LD_AUDIT=a.so", program(), 1},
      {"empty", "LD_AUDIT=", program(), 0},
      {"DT_AUDIT", "", program().add(StringTag::Audit, "a.so"), 1},
      {"DT_DEPAUDIT", "", program().add(StringTag::DepAudit, "a.so"), 1},
      {"all three", "LD_AUDIT=a.so", program().add(StringTag::Audit, "a.so").add(StringTag::DepAudit, "a.so"), 3},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    system.program(c.program);
    if (!c.env.empty()) system.env(c.env);
    const Result<LinkMap> map = system.load();
    REQUIRE(map.has_value());
    CHECK(map->notes.size() == c.notes);
  }
}
