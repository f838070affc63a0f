// Processors by name, and what GLIBC_TUNABLES takes from them.
#include "soresolve/cpu.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "unit/print_list.h"

using namespace soresolve;

namespace {

constexpr ElfTarget kX86_64 = {ElfClass::Elf64, ByteOrder::Little, 62, 0};
constexpr ElfTarget kI386 = {ElfClass::Elf32, ByteOrder::Little, 3, 0};
constexpr ElfTarget kAarch64 = {ElfClass::Elf64, ByteOrder::Little, 183, 0};
constexpr ElfTarget kPpc64le = {ElfClass::Elf64, ByteOrder::Little, 21, 0};
constexpr ElfTarget kS390x = {ElfClass::Elf64, ByteOrder::Big, 22, 0};
constexpr ElfTarget kRiscv = {ElfClass::Elf64, ByteOrder::Little, 243, 0};

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
      {"x86-64",    kX86_64,  1, 0, "x86_64"},
      {"x86-64-v2", kX86_64,  2, 1, "x86_64"},
      {"x86-64-v3", kX86_64,  3, 2, "x86_64"},
      {"x86-64-v4", kX86_64,  4, 3, "x86_64"},
      {"haswell",   kX86_64,  3, 2, "haswell"},
      {"xeon_phi",  kX86_64,  3, 2, "xeon_phi"},
      {"i586",      kI386,    1, 0, "i586"},
      {"i686",      kI386,    1, 0, "i686"},
      {"aarch64",   kAarch64, 1, 0, "aarch64"},
      {"power8",    kPpc64le, 1, 0, "power8"},
      {"power9",    kPpc64le, 1, 1, "power9"},
      {"power10",   kPpc64le, 1, 2, "power10"},
      {"z13",       kS390x,   1, 1, "z13"},
      {"z17",       kS390x,   1, 5, "z17"},
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
  struct Case { std::string name; ElfTarget target; std::uint64_t bit; };
  const Case cases[] = {
      {"i586",     kI386,   std::uint64_t{1} << 48},
      {"i686",     kI386,   std::uint64_t{1} << 49},
      {"haswell",  kX86_64, std::uint64_t{1} << 50},
      {"xeon_phi", kX86_64, std::uint64_t{1} << 51},
      {"x86-64",   kX86_64, 0},
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
  const int level = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512cd") &&
                            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
                        ? 4
                    : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                            __builtin_cpu_supports("fma")
                        ? 3
                    : __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt") ? 2
                                                                                           : 1;
  CHECK(own.isa_level == level);
  const bool is_known_platform =
      own.platform == "x86_64" || own.platform == "haswell" || own.platform == "xeon_phi";
  CHECK(is_known_platform);
#endif
}

TEST_CASE("GLIBC_TUNABLES=glibc.cpu.hwcaps takes features, and with them a level") {
  struct Case { std::string why; std::string tunables; int level; std::string platform; };
  const Case cases[] = {
      {"nothing",                         "",                                    4, "haswell"},
      {"another tunable",                 "glibc.malloc.check=-AVX2",            4, "haswell"},
      {"AVX512F is needed for v4",        "glibc.cpu.hwcaps=-AVX512F",           3, "haswell"},
      {"so is AVX512VL",                  "glibc.cpu.hwcaps=-AVX512VL",          3, "haswell"},
      {"AVX2 is needed for v3 and haswell", "glibc.cpu.hwcaps=-AVX2",            2, "x86_64"},
      {"AVX for v3, not for haswell",     "glibc.cpu.hwcaps=-AVX",               2, "haswell"},
      {"MOVBE for v3 and haswell",        "glibc.cpu.hwcaps=-MOVBE",             2, "x86_64"},
      {"SSE4_2 for v2",                   "glibc.cpu.hwcaps=-SSE4_2",            1, "haswell"},
      {"POPCNT for v2 and haswell",       "glibc.cpu.hwcaps=-POPCNT",            1, "x86_64"},
      {"the spelling up to 2.32",         "glibc.cpu.hwcaps=-AVX2_Usable",       2, "x86_64"},
      {"several: the worst counts",       "glibc.cpu.hwcaps=-AVX512F,-AVX2",     2, "x86_64"},
      {"in another order",                "glibc.cpu.hwcaps=-SSE3,-AVX512F",     1, "haswell"},
      {"without the dash it asks for it", "glibc.cpu.hwcaps=AVX2",               4, "haswell"},
      {"an unknown feature",              "glibc.cpu.hwcaps=-NONSENSE",          4, "haswell"},
      {"names are capital letters",       "glibc.cpu.hwcaps=-avx2",              4, "haswell"},
      {"among other tunables",            "glibc.malloc.check=1:glibc.cpu.hwcaps=-AVX2:a=b",
                                                                                 2, "x86_64"},
      {"twice",                           "glibc.cpu.hwcaps=-AVX512F:glibc.cpu.hwcaps=-SSE3",
                                                                                 1, "haswell"},
      {"a longer name",                   "glibc.cpu.hwcaps_x=-AVX2",            4, "haswell"},
      {"empty elements",                  "::glibc.cpu.hwcaps=,,-AVX2,",         2, "x86_64"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    Cpu cpu = *cpu_by_name("x86-64-v4", kX86_64);
    cpu.platform = "haswell";
    apply_hwcaps_tunable(cpu, c.tunables);
    // Worked out before tunables are read.
    CHECK(cpu.isa_level == 4);
    CHECK(cpu.hwcaps_usable == c.level - 1);
    CHECK(cpu.platform == c.platform);
  }
}

TEST_CASE("a Xeon Phi without its own features is a haswell, if it still has those") {
  struct Case { std::string why; std::string features; std::string platform; };
  const Case cases[] = {
      {"AVX512CD",                        "-AVX512CD",        "haswell"},
      {"AVX512ER",                        "-AVX512ER",        "haswell"},
      {"AVX512PF",                        "-AVX512PF",        "haswell"},
      {"a feature of haswell is not asked", "-AVX2",          "xeon_phi"},
      {"both",                            "-AVX512CD,-AVX2",  "x86_64"},
      {"both, the other way round",       "-AVX2,-AVX512CD",  "x86_64"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    Cpu cpu = *cpu_by_name("xeon_phi", kX86_64);
    apply_hwcaps_tunable(cpu, "glibc.cpu.hwcaps=" + c.features);
    CHECK(cpu.platform == c.platform);
  }
}

TEST_CASE("a tunable never raises a level") {
  Cpu cpu = *cpu_by_name("x86-64", kX86_64);
  apply_hwcaps_tunable(cpu, "glibc.cpu.hwcaps=-AVX512F");
  CHECK(cpu.isa_level == 1);
  CHECK(cpu.hwcaps_usable == 0);
}

TEST_CASE("avx512_1 goes with any of the features that it stands for") {
  // glibc 2.36 sysdeps/x86/cpu-features.c:init_cpu_features, after the tunables were read.
  for (const std::string feature : {"AVX512CD", "AVX512BW", "AVX512DQ", "AVX512VL"}) {
    CAPTURE(feature);
    Cpu cpu = *cpu_by_name("x86-64-v4", kX86_64);
    cpu.legacy_names = {"x86_64", "avx512_1"};
    cpu.legacy_bits = 1u << 1 | 1u << 2;
    apply_hwcaps_tunable(cpu, "glibc.cpu.hwcaps=-" + feature);
    CHECK(cpu.legacy_names == std::vector<std::string>{"x86_64"});
    CHECK(cpu.legacy_bits == 1u << 1);
  }
}
