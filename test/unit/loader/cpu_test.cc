// Processors by name, and what GLIBC_TUNABLES takes from them.
#include "loader/cpu.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "loader/loader_rules.h"
#include "loader/process.h"

#include "unit/print_list.h"
#include "unit/targets.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

constexpr ElfTarget kRiscv = {ElfClass::Elf64, std::endian::little, 243, 0};

}  // namespace

TEST_CASE("a processor is known by its name, for its own machine only") {
  struct Case {
    std::string name;
    ElfTarget target;
    int level;
    int usable;
    std::string platform;
  };
  const Case cases[] = {
      {"x86-64", kX86_64, 1, 0, "x86_64"},    {"x86-64-v2", kX86_64, 2, 1, "x86_64"},
      {"x86-64-v3", kX86_64, 3, 2, "x86_64"}, {"x86-64-v4", kX86_64, 4, 3, "x86_64"},
      {"haswell", kX86_64, 3, 2, "haswell"},  {"xeon_phi", kX86_64, 3, 2, "xeon_phi"},
      {"i586", kI386, 1, 0, "i586"},          {"i686", kI386, 1, 0, "i686"},
      {"aarch64", kAarch64, 1, 0, "aarch64"}, {"power8", kPpc64le, 1, 0, "power8"},
      {"power9", kPpc64le, 1, 1, "power9"},   {"power10", kPpc64le, 1, 2, "power10"},
      {"z13", kS390x, 1, 1, "z13"},           {"z17", kS390x, 1, 5, "z17"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Result<Cpu> cpu = cpu_by_name(c.name, c.target);
    REQUIRE(cpu.has_value());
    CHECK(cpu->isa_level == c.level);
    CHECK(cpu->hwcaps_usable == c.usable);
    CHECK(cpu->platform == c.platform);
    for (const ElfTarget& other : {kX86_64, kI386, kAarch64, kPpc64le, kS390x}) {
      if (other == c.target) continue;
      CHECK(!cpu_by_name(c.name, other).has_value());
    }
  }
}

TEST_CASE("an unknown processor is a mistake of the caller, who learns the names") {
  const Result<Cpu> cpu = cpu_by_name("x86-64-v5", kX86_64);
  REQUIRE(!cpu.has_value());
  CHECK(cpu.error().code == ErrorCode::Usage);
  for (const std::string name : {"'x86-64-v5'", "x86-64-v4", "power10", "z17"}) {
    CAPTURE(name);
    CHECK(cpu.error().message.find(name) != std::string::npos);
  }
}

TEST_CASE("the lowest processor has no glibc-hwcaps name; RISC-V has no $PLATFORM") {
  for (const ElfTarget& target : {kX86_64, kI386, kAarch64, kPpc64le, kS390x, kRiscv}) {
    CAPTURE(target.machine);
    CHECK(default_cpu(target).hwcaps_usable == 0);
    CHECK(default_cpu(target).isa_level == 1);
    CHECK(default_cpu(target).platform.empty() == (target.machine == kRiscv.machine));
  }
}

TEST_CASE("the platform of an x86 processor has its bit in cache entries") {
  struct Case {
    std::string name;
    ElfTarget target;
    std::uint64_t bit;
  };
  const Case cases[] = {
      {"i586", kI386, std::uint64_t{1} << 48},
      {"i686", kI386, std::uint64_t{1} << 49},
      {"haswell", kX86_64, std::uint64_t{1} << 50},
      {"xeon_phi", kX86_64, std::uint64_t{1} << 51},
      {"x86-64", kX86_64, 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(cpu_by_name(c.name, c.target)->legacy_platform_bit == c.bit);
  }
}

TEST_CASE("this machine is some processor of its own machine, and the lowest of any other") {
  const Cpu foreign = detect_host_cpu(kS390x, "x86_64");
#ifndef __s390x__
  CHECK(foreign.hwcaps_usable == 0);
#endif
#ifdef __x86_64__
  const Cpu own = detect_host_cpu(kX86_64, "x86_64");
  CHECK(own.isa_level >= 1);
  CHECK(own.isa_level <= 4);
  CHECK(own.hwcaps_usable == own.isa_level - 1);
  // The compiler's own test of the processor has to come to the same.
  const int level =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
          ? 4
      : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") ? 3
      : __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt")                              ? 2
                                                                                                          : 1;
  CHECK(own.isa_level == level);
  const bool is_known_platform = own.platform == "x86_64" || own.platform == "haswell" || own.platform == "xeon_phi";
  CHECK(is_known_platform);
#endif
}

namespace {

/// `cpu` after GLIBC_TUNABLES, for a loader of 2.`minor`.
Cpu tuned(Cpu cpu, const std::string& tunables, int minor, std::vector<std::string> behind = {}) {
  Process process;
  process.cpu = std::move(cpu);
  process.environment.add("GLIBC_TUNABLES=" + tunables);
  for (std::string& variable : behind) process.environment.add(std::move(variable));
  apply_tunables(process, rules_for_release({2, minor}, kX86_64));
  return process.cpu;
}

Cpu intel() {
  Cpu cpu = *cpu_by_name("x86-64-v4", kX86_64);
  cpu.platform = "haswell";
  cpu.legacy_names = {"x86_64", "avx512_1"};
  cpu.legacy_bits = 1u << 1 | 1u << 2;
  return cpu;
}

bool has_avx512(const Cpu& cpu) { return cpu.legacy_names.size() == 2 && cpu.legacy_bits == 6; }

const std::string kHwcaps = "glibc.cpu.hwcaps=";

}  // namespace

TEST_CASE("GLIBC_TUNABLES=glibc.cpu.hwcaps takes features, and with them a level") {
  struct Case {
    std::string why;
    std::string tunables;
    int level;
    std::string platform;
  };
  const Case cases[] = {
      {"nothing", "", 4, "haswell"},
      {"another tunable", "glibc.malloc.check=-AVX2", 4, "haswell"},
      {"AVX512F is needed for v4", kHwcaps + "-AVX512F", 3, "haswell"},
      {"so is AVX512VL", kHwcaps + "-AVX512VL", 3, "haswell"},
      {"AVX2 is needed for v3 and haswell", kHwcaps + "-AVX2", 2, "x86_64"},
      {"AVX for v3, not for haswell", kHwcaps + "-AVX", 2, "haswell"},
      {"MOVBE for v3 and haswell", kHwcaps + "-MOVBE", 2, "x86_64"},
      {"SSE4_2 for v2", kHwcaps + "-SSE4_2", 1, "haswell"},
      {"POPCNT for v2 and haswell", kHwcaps + "-POPCNT", 1, "x86_64"},
      {"CMOV for any level", kHwcaps + "-CMOV", 1, "haswell"},
      {"the system's part of AVX", kHwcaps + "-OSXSAVE", 2, "x86_64"},
      {"XSAVE alone is not missed", kHwcaps + "-XSAVE", 4, "haswell"},
      {"nor XSAVEC", kHwcaps + "-XSAVEC", 4, "haswell"},
      {"both are", kHwcaps + "-XSAVEC,-XSAVE", 2, "x86_64"},
      {"the spelling up to 2.31", kHwcaps + "-AVX2_Usable", 4, "haswell"},
      {"a feature without a name here", kHwcaps + "-CMPXCHG16B,-SSE3,-F16C,-LAHF64_SAHF64", 4, "haswell"},
      {"several: the worst counts", kHwcaps + "-AVX512F,-AVX2", 2, "x86_64"},
      {"in another order", kHwcaps + "-SSSE3,-AVX512F", 1, "haswell"},
      {"without the dash it asks for it", kHwcaps + "AVX2", 4, "haswell"},
      {"an unknown feature", kHwcaps + "-NONSENSE", 4, "haswell"},
      {"names are capital letters", kHwcaps + "-avx2", 4, "haswell"},
      {"among other tunables", "glibc.malloc.check=1:" + kHwcaps + "-AVX2:a=b", 2, "x86_64"},
      {"twice: the last counts", kHwcaps + "-AVX2:" + kHwcaps + "-SSSE3", 1, "haswell"},
      {"a longer name", "glibc.cpu.hwcaps_x=-AVX2", 4, "haswell"},
      {"empty elements", "::" + kHwcaps + ",,-AVX2,", 2, "x86_64"},
  };
  for (const Case& c : cases) {
    for (const int minor : {36, 41}) {
      CAPTURE(c.why);
      CAPTURE(minor);
      const Cpu cpu = tuned(intel(), c.tunables, minor);
      // Worked out before tunables are read.
      CHECK(cpu.isa_level == 4);
      CHECK(cpu.hwcaps_usable == c.level - 1);
      CHECK(cpu.platform == c.platform);
    }
  }
}

TEST_CASE("up to 2.31 some features are taken by their usable bit, the others by the processor's") {
  struct Case {
    std::string why;
    std::string features;
    bool has_avx512;
    std::string platform;
  };
  const Case cases[] = {
      {"the processor's bits of these", "-AVX2,-FMA,-AVX512F", true, "haswell"},
      {"the usable ones", "-AVX2_Usable,-FMA_Usable", true, "x86_64"},
      {"one usable, one not", "-AVX512F_Usable,-AVX512CD", false, "haswell"},
      {"the usable bit of AVX512F", "-AVX512F_Usable", false, "haswell"},
      {"the others", "-BMI1,-MOVBE,-POPCNT,-LZCNT", true, "x86_64"},
      {"AVX512DQ has both, one is used", "-AVX512DQ_Usable", true, "haswell"},
      {"which is the processor's", "-AVX512DQ", false, "haswell"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Cpu cpu = tuned(intel(), kHwcaps + c.features, 31);
    CHECK(has_avx512(cpu) == c.has_avx512);
    CHECK(cpu.platform == c.platform);
  }
}

TEST_CASE("what is malformed is passed over up to 2.38, and voids the variable since 2.39") {
  for (const std::string& tunables :
       {kHwcaps + "-AVX2:", kHwcaps + "-AVX2:x", kHwcaps + "-AVX2:a=b=c", "a=b=c:" + kHwcaps + "-AVX2"}) {
    CAPTURE(tunables);
    CHECK(tuned(intel(), tunables, 36).hwcaps_usable == 1);
    CHECK(tuned(intel(), tunables, 41).hwcaps_usable == 3);
  }
}

TEST_CASE("up to 2.38 the loader reads on behind the value") {
  struct Case {
    std::string why;
    std::string tunables;
    std::vector<std::string> behind;
    int usable;
  };
  const Case cases[] = {
      {"the rest of the variable", kHwcaps + "x:y,-AVX2", {}, 1},
      {"the variable behind it", kHwcaps + "x", {"A=,-AVX2"}, 1},
      {"and the one behind that", kHwcaps + "x", {"A=b", "A=b,-AVX2,c"}, 1},
      {"a comma at the end stops it", kHwcaps + "x,", {"A=,-AVX2"}, 3},
      {"so does a colon at the end", kHwcaps + "x:", {"A=,-AVX2"}, 3},
      {"and an empty variable", kHwcaps + "x", {"", "A=,-AVX2"}, 3},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(tuned(intel(), c.tunables, 36, c.behind).hwcaps_usable == c.usable);
    CHECK(tuned(intel(), c.tunables, 41, c.behind).hwcaps_usable == 3);
  }
}

TEST_CASE("glibc.rtld.enable_secure=1 makes a start as one of a set-uid program") {
  struct Case {
    const char* value;
    bool is_secure;
  };
  for (const Case& c : {Case{"1", true}, Case{"0x1", true}, Case{"0", false}, Case{"1x", false}}) {
    CAPTURE(c.value);
    Process process;
    process.environment.add("GLIBC_TUNABLES=" + kHwcaps + "-AVX2:glibc.rtld.enable_secure=" + c.value);
    process.cpu = intel();
    apply_tunables(process, rules_for_release({2, 41}, kX86_64));
    CHECK(process.secure == c.is_secure);
    CHECK(process.secure_by_tunable == c.is_secure);
    CHECK(process.cpu.hwcaps_usable == (c.is_secure ? 3 : 1));
    process.secure = process.secure_by_tunable = false;
    apply_tunables(process, rules_for_release({2, 39}, kX86_64));
    CHECK(!process.secure);
  }
}

TEST_CASE("a Xeon Phi without its own features is a haswell, if it still has those") {
  struct Case {
    std::string why;
    std::string features;
    std::string platform;
  };
  const Case cases[] = {
      {"AVX512CD", "-AVX512CD", "haswell"},  {"AVX512ER", "-AVX512ER", "haswell"},
      {"AVX512PF", "-AVX512PF", "haswell"},  {"a feature of haswell is not asked", "-AVX2", "xeon_phi"},
      {"both", "-AVX512CD,-AVX2", "x86_64"}, {"both, the other way round", "-AVX2,-AVX512CD", "x86_64"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(tuned(*cpu_by_name("xeon_phi", kX86_64), kHwcaps + c.features, 36).platform == c.platform);
  }
}

TEST_CASE("a tunable never raises a level") {
  const Cpu cpu = tuned(*cpu_by_name("x86-64", kX86_64), kHwcaps + "-AVX512F", 41);
  CHECK(cpu.isa_level == 1);
  CHECK(cpu.hwcaps_usable == 0);
}

TEST_CASE("avx512_1 goes with any of the features that it stands for") {
  // glibc 2.36 sysdeps/x86/cpu-features.c:init_cpu_features, after the tunables were read.
  for (const std::string feature : {"AVX512CD", "AVX512BW", "AVX512DQ", "AVX512VL"}) {
    CAPTURE(feature);
    CHECK(!has_avx512(tuned(intel(), kHwcaps + "-" + feature, 36)));
  }
  CHECK(has_avx512(tuned(intel(), kHwcaps + "-AVX512F", 36)));
}
