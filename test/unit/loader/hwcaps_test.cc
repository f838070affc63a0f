// Capability subdirectories, glibc elf/dl-hwcaps.c:_dl_important_hwcaps.
#include "loader/hwcaps.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "loader/cpu.h"
#include "unit/print_list.h"
#include "unit/targets.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;

Names subdirectories(int minor, const ElfTarget& target, std::string_view cpu_name) {
  const Result<Cpu> cpu = cpu_by_name(cpu_name, target);
  REQUIRE(cpu.has_value());
  return capability_subdirectories(rules_for_release({2, minor}, target), *cpu);
}

}  // namespace

TEST_CASE("glibc-hwcaps subdirectories came with 2.33, legacy ones went with 2.37") {
  struct Case {
    std::string why;
    int minor;
    std::string cpu;
    Names want;
  };
  const Names legacy_v1 = {"tls/x86_64/x86_64/", "tls/x86_64/", "tls/x86_64/", "tls/",
                           "x86_64/x86_64/",     "x86_64/",     "x86_64/",     ""};
  const auto after = [](Names first, const Names& rest) {
    first.insert(first.end(), rest.begin(), rest.end());
    return first;
  };
  const Case cases[] = {
      {"2.31: legacy only, whatever the processor", 31, "x86-64-v4", legacy_v1},
      {"2.32: still", 32, "x86-64-v3", legacy_v1},
      {"2.33: both, glibc-hwcaps first", 33, "x86-64-v2", after({"glibc-hwcaps/x86-64-v2/"}, legacy_v1)},
      {"2.36: both, best first", 36, "x86-64-v4",
       after({"glibc-hwcaps/x86-64-v4/", "glibc-hwcaps/x86-64-v3/", "glibc-hwcaps/x86-64-v2/"}, legacy_v1)},
      {"2.36 on the lowest processor", 36, "x86-64", legacy_v1},
      {"2.37: legacy ones are gone", 37, "x86-64-v3", {"glibc-hwcaps/x86-64-v3/", "glibc-hwcaps/x86-64-v2/", ""}},
      {"2.41", 41, "x86-64-v4", {"glibc-hwcaps/x86-64-v4/", "glibc-hwcaps/x86-64-v3/", "glibc-hwcaps/x86-64-v2/", ""}},
      {"2.41 on the lowest processor", 41, "x86-64", {""}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(subdirectories(c.minor, kX86_64, c.cpu) == c.want);
  }
}

TEST_CASE("the legacy power set counts down, with `tls`, then the platform as the highest digits") {
  // What 2.31 and 2.36 were seen to try on an Intel processor with AVX-512.
  Cpu cpu = *cpu_by_name("haswell", kX86_64);
  cpu.legacy_names = {"x86_64", "avx512_1"};
  cpu.hwcaps_usable = 0;
  const Names want = {"tls/haswell/avx512_1/x86_64/",
                      "tls/haswell/avx512_1/",
                      "tls/haswell/x86_64/",
                      "tls/haswell/",
                      "tls/avx512_1/x86_64/",
                      "tls/avx512_1/",
                      "tls/x86_64/",
                      "tls/",
                      "haswell/avx512_1/x86_64/",
                      "haswell/avx512_1/",
                      "haswell/x86_64/",
                      "haswell/",
                      "avx512_1/x86_64/",
                      "avx512_1/",
                      "x86_64/",
                      ""};
  for (const int minor : {31, 36}) {
    CAPTURE(minor);
    CHECK(capability_subdirectories(rules_for_release({2, minor}, kX86_64), cpu) == want);
  }
}

TEST_CASE("a processor without a platform name has no such component") {
  Cpu cpu;
  cpu.platform.clear();
  CHECK(capability_subdirectories(rules_for_release({2, 31}, kX86_64), cpu) == Names{"tls/", ""});
}

TEST_CASE("other machines have names of their own, or none") {
  struct Case {
    std::string why;
    int minor;
    ElfTarget target;
    std::string cpu;
    Names want;
  };
  const Case cases[] = {
      {"AArch64 has none", 41, kAarch64, "aarch64", {""}},
      {"i386 has none", 41, kI386, "i686", {""}},
      {"i386 of 2.36: legacy",
       36,
       kI386,
       "i686",
       {"tls/i686/sse2/", "tls/i686/", "tls/sse2/", "tls/", "i686/sse2/", "i686/", "sse2/", ""}},
      {"power9 of 2.41", 41, kPpc64le, "power9", {"glibc-hwcaps/power9/", ""}},
      {"power10 of 2.41", 41, kPpc64le, "power10", {"glibc-hwcaps/power10/", "glibc-hwcaps/power9/", ""}},
      {"power8 of 2.41", 41, kPpc64le, "power8", {""}},
      {"z15 of 2.41", 41, kS390x, "z15", {"glibc-hwcaps/z15/", "glibc-hwcaps/z14/", "glibc-hwcaps/z13/", ""}},
      {"z17 before 2.42 is a z16",
       41,
       kS390x,
       "z17",
       {"glibc-hwcaps/z16/", "glibc-hwcaps/z15/", "glibc-hwcaps/z14/", "glibc-hwcaps/z13/", ""}},
      {"z17 of 2.42",
       42,
       kS390x,
       "z17",
       {"glibc-hwcaps/z17/", "glibc-hwcaps/z16/", "glibc-hwcaps/z15/", "glibc-hwcaps/z14/", "glibc-hwcaps/z13/", ""}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(subdirectories(c.minor, c.target, c.cpu) == c.want);
  }
}
