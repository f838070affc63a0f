// Processors: detection, names, and GLIBC_TUNABLES' switches.
//
// Levels: glibc sysdeps/x86/get-isa-level.h. `$PLATFORM` on x86-64: sysdeps/x86/cpu-features.c
// (Intel processors only have one of their own; every other one is what the kernel says).
#include "soresolve/cpu.h"

#include <elf.h>

#include <algorithm>
#include <array>

#include "search/tunables.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#if __has_include(<sys/platform/x86.h>) && !defined(__clang__)  // clang has no _Bool in strict C++
#include <sys/platform/x86.h>
#endif
#endif

namespace soresolve {
namespace {

constexpr std::uint64_t kLegacyX86_64 = 1u << 1;   // HWCAP_X86_64
constexpr std::uint64_t kLegacyAvx512 = 1u << 2;   // HWCAP_X86_AVX512_1
constexpr std::uint64_t kPlatformHaswell = 1ull << 50;
constexpr std::uint64_t kPlatformXeonPhi = 1ull << 51;
constexpr std::uint64_t kPlatformI586 = 1ull << 48;
constexpr std::uint64_t kPlatformI686 = 1ull << 49;

void set_platform(Cpu& cpu, std::string_view platform) {
  cpu.platform = std::string(platform);
  cpu.legacy_platform_bit = platform == "haswell"    ? kPlatformHaswell
                            : platform == "xeon_phi" ? kPlatformXeonPhi
                            : platform == "i586"     ? kPlatformI586
                            : platform == "i686"     ? kPlatformI686
                                                     : 0;
}

Cpu x86_64_cpu(int level) {
  Cpu cpu;
  cpu.name = level == 1 ? "x86-64" : "x86-64-v" + std::to_string(level);
  cpu.isa_level = level;
  cpu.hwcaps_usable = level - 1;
  cpu.legacy_names = {"x86_64"};
  cpu.legacy_bits = kLegacyX86_64;
  set_platform(cpu, "x86_64");
  return cpu;
}

Cpu i386_cpu(std::string_view platform) {
  Cpu cpu;
  cpu.name = std::string(platform);
  cpu.legacy_names = {"sse2"};
  cpu.legacy_bits = 1;
  set_platform(cpu, platform);
  return cpu;
}

Cpu ranked_cpu(std::string_view name, std::string_view platform, int usable) {
  Cpu cpu;
  cpu.name = std::string(name);
  cpu.hwcaps_usable = usable;
  set_platform(cpu, platform);
  return cpu;
}

bool is_x86_64(const ElfTarget& target) { return target.machine == EM_X86_64; }

#if defined(__x86_64__) || defined(__i386__)
/// One answer of the cpuid instruction.
struct CpuidLeaf {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

CpuidLeaf ask_cpuid(unsigned leaf) {
  CpuidLeaf got;
  __cpuid_count(leaf, 0, got.eax, got.ebx, got.ecx, got.edx);
  return got;
}

/// The leaves with the features. glibc >= 2.33 has asked for them before main and keeps the answers,
/// which is worth using: in a virtual machine each cpuid is a trap into the hypervisor, 8 µs on one
/// where a small file takes 900 µs in all.
struct CpuidFeatures {
  CpuidLeaf basic;       // 1
  CpuidLeaf structured;  // 7
  CpuidLeaf extended;    // 0x80000001
};

#ifdef _SYS_PLATFORM_X86_H
CpuidLeaf kept_leaf(unsigned index) {
  const unsigned* words = __x86_get_cpuid_feature_leaf(index)->cpuid_array;
  return {words[0], words[1], words[2], words[3]};
}

CpuidFeatures read_cpuid_features() {
  return {kept_leaf(CPUID_INDEX_1), kept_leaf(CPUID_INDEX_7), kept_leaf(CPUID_INDEX_80000001)};
}
#else
CpuidFeatures read_cpuid_features() {
  CpuidFeatures got;
  const auto last = static_cast<unsigned>(__get_cpuid_max(0, nullptr));
  if (last >= 1) got.basic = ask_cpuid(1);
  if (last >= 7) got.structured = ask_cpuid(7);
  const auto last_extended = static_cast<unsigned>(__get_cpuid_max(0x80000000, nullptr));
  if (last_extended >= 0x80000001) got.extended = ask_cpuid(0x80000001);
  return got;
}
#endif

bool is_intel() {
  const CpuidLeaf vendor = ask_cpuid(0);
  return vendor.ebx == signature_INTEL_ebx && vendor.ecx == signature_INTEL_ecx &&
         vendor.edx == signature_INTEL_edx;
}

/// What the levels need, as far as the operating system lets it be used.
struct X86Features {
  bool v2 = false, v3 = false, v4 = false;
  bool haswell = false;    // the set that makes `$PLATFORM` haswell on Intel's
  bool xeon_phi = false;
  bool avx512_1 = false;   // legacy hwcap
};

X86Features read_x86_features() {
  const CpuidFeatures cpuid = read_cpuid_features();
  const unsigned c1 = cpuid.basic.ecx, b7 = cpuid.structured.ebx, c81 = cpuid.extended.ecx;
  X86Features f;
  std::uint64_t xcr0 = 0;
  if ((c1 & bit_OSXSAVE) != 0) {
    unsigned low = 0, high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    xcr0 = low | std::uint64_t{high} << 32;
  }
  const bool ymm = (xcr0 & 0x6) == 0x6;
  const bool zmm = ymm && (xcr0 & 0xe0) == 0xe0;
  const auto has = [](unsigned word, unsigned bits) { return (word & bits) == bits; };

  f.v2 = has(c1, bit_CMPXCHG16B | bit_POPCNT | bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2) &&
         has(c81, bit_LAHF_LM);
  f.v3 = f.v2 && ymm && has(c1, bit_AVX | bit_F16C | bit_FMA | bit_MOVBE) &&
         has(b7, bit_AVX2 | bit_BMI | bit_BMI2) && has(c81, bit_LZCNT);
  f.v4 = f.v3 && zmm && has(b7, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ |
                                    bit_AVX512VL);
  constexpr unsigned kAvx512Er = 1u << 27, kAvx512Pf = 1u << 26;
  f.haswell = ymm && has(b7, bit_AVX2 | bit_BMI | bit_BMI2) && has(c81, bit_LZCNT) &&
              has(c1, bit_FMA | bit_MOVBE | bit_POPCNT);
  f.xeon_phi = zmm && has(b7, bit_AVX512CD | kAvx512Er | kAvx512Pf);
  f.avx512_1 = zmm && has(b7, bit_AVX512CD | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL) &&
               (b7 & kAvx512Er) == 0;
  return f;
}
#endif

}  // namespace

Cpu default_cpu(const ElfTarget& target) {
  switch (target.machine) {
    case EM_X86_64: return x86_64_cpu(1);
    case EM_386: return i386_cpu("i686");
    case EM_AARCH64: return ranked_cpu("aarch64", "aarch64", 0);
    case EM_PPC64: return ranked_cpu("power8", "power8", 0);
    case EM_S390: return ranked_cpu("z12", "zEC12", 0);
    case EM_ARM: return ranked_cpu("armv7", "v7l", 0);
    default: return ranked_cpu("generic", "", 0);
  }
}

Cpu detect_host_cpu(const ElfTarget& target, [[maybe_unused]] std::string_view at_platform) {
#if defined(__x86_64__) || defined(__i386__)
  if (is_x86_64(target)) {
    const X86Features f = read_x86_features();
    Cpu cpu = x86_64_cpu(f.v4 ? 4 : f.v3 ? 3 : f.v2 ? 2 : 1);
    if ((f.avx512_1 || f.xeon_phi || f.haswell) && is_intel()) {
      if (f.avx512_1) {
        cpu.legacy_names.emplace_back("avx512_1");
        cpu.legacy_bits |= kLegacyAvx512;
      }
      if (f.xeon_phi) {
        set_platform(cpu, "xeon_phi");
      } else if (f.haswell) {
        set_platform(cpu, "haswell");
      }
    }
    cpu.name = "this machine, " + cpu.name;
    return cpu;
  }
#elif defined(__aarch64__) || defined(__powerpc64__) || defined(__s390x__)
  const ElfTarget host = {ElfClass::Elf64, target.byte_order,
#if defined(__aarch64__)
                          EM_AARCH64
#elif defined(__powerpc64__)
                          EM_PPC64
#else
                          EM_S390
#endif
  };
  if (target.machine == host.machine && !at_platform.empty()) {
    Result<Cpu> named = cpu_by_name(at_platform, target);
    Cpu cpu = named ? *named : default_cpu(target);
    set_platform(cpu, at_platform);
    cpu.name = "this machine, " + std::string(at_platform);
    return cpu;
  }
#endif
  return default_cpu(target);
}

Result<Cpu> cpu_by_name(std::string_view name, const ElfTarget& target) {
  if (is_x86_64(target)) {
    if (name == "x86-64" || name == "x86-64-v1") return x86_64_cpu(1);
    if (name == "x86-64-v2") return x86_64_cpu(2);
    if (name == "x86-64-v3") return x86_64_cpu(3);
    if (name == "x86-64-v4") return x86_64_cpu(4);
    if (name == "haswell" || name == "xeon_phi") {
      Cpu cpu = x86_64_cpu(3);
      cpu.name = std::string(name);
      set_platform(cpu, name);
      return cpu;
    }
  }
  if (target.machine == EM_386 && (name == "i586" || name == "i686")) return i386_cpu(name);
  if (target.machine == EM_AARCH64 && name == "aarch64") return default_cpu(target);
  if (target.machine == EM_PPC64) {
    if (name == "power8") return ranked_cpu(name, name, 0);
    if (name == "power9") return ranked_cpu(name, name, 1);
    if (name == "power10" || name == "power11") return ranked_cpu(name, name, 2);
  }
  if (target.machine == EM_S390) {
    constexpr std::array<std::string_view, 5> kNames = {"z13", "z14", "z15", "z16", "z17"};
    const auto at = std::find(kNames.begin(), kNames.end(), name);
    if (at != kNames.end()) {
      return ranked_cpu(name, name, static_cast<int>(at - kNames.begin()) + 1);
    }
  }
  return Unexpected{Error{
      ErrorCode::Usage, {}, {},
      "unknown processor '" + std::string(name) + "' for " + describe(target) +
          "; known are x86-64, x86-64-v2, x86-64-v3, x86-64-v4, haswell, xeon_phi, i586, i686, "
          "aarch64, power8, power9, power10, z13, z14, z15, z16, z17"}};
}

void apply_hwcaps_tunable(Cpu& cpu, std::string_view tunables) {
  constexpr std::string_view kName = "glibc.cpu.hwcaps=";
  // Which level of glibc-hwcaps the loss of a feature costs. The ISA level itself is worked out before
  // tunables are read (sysdeps/x86/cpu-features.c:update_active).
  struct Cost { std::string_view feature; int level_left; };
  constexpr Cost kCosts[] = {
      {"CMPXCHG16B", 1}, {"LAHF64_SAHF64", 1}, {"POPCNT", 1}, {"SSE3", 1}, {"SSSE3", 1},
      {"SSE4_1", 1}, {"SSE4_2", 1}, {"AVX", 2}, {"AVX2", 2}, {"F16C", 2}, {"FMA", 2},
      {"LZCNT", 2}, {"MOVBE", 2}, {"BMI1", 2}, {"BMI2", 2}, {"AVX512F", 3}, {"AVX512BW", 3},
      {"AVX512CD", 3}, {"AVX512DQ", 3}, {"AVX512VL", 3}};
  // What the names of Intel processors stand for.
  constexpr std::string_view kHaswell[] = {"AVX2", "FMA", "BMI1", "BMI2", "LZCNT", "MOVBE",
                                           "POPCNT"};
  constexpr std::string_view kXeonPhi[] = {"AVX512CD", "AVX512ER", "AVX512PF"};
  constexpr std::string_view kAvx512[] = {"AVX512CD", "AVX512BW", "AVX512DQ", "AVX512VL"};
  const auto is_in = [](std::string_view feature, const auto& set) {
    return std::find(std::begin(set), std::end(set), feature) != std::end(set);
  };
  bool is_haswell = true;
  for_each_tunable(tunables, [&](std::string_view entry) {
    if (!entry.starts_with(kName)) return;
    entry.remove_prefix(kName.size());
    while (!entry.empty()) {
      const std::size_t comma = std::min(entry.find(','), entry.size());
      std::string_view feature = entry.substr(0, comma);
      entry.remove_prefix(std::min(comma + 1, entry.size()));
      if (!feature.starts_with('-')) continue;
      feature.remove_prefix(1);
      if (feature.ends_with("_Usable")) feature.remove_suffix(7);
      for (const Cost& cost : kCosts) {
        if (feature != cost.feature) continue;
        cpu.hwcaps_usable = std::min(cpu.hwcaps_usable, cost.level_left - 1);
      }
      if (is_in(feature, kAvx512)) {
        std::erase(cpu.legacy_names, "avx512_1");
        cpu.legacy_bits &= ~kLegacyAvx512;
      }
      if (is_in(feature, kHaswell)) is_haswell = false;
      if (cpu.platform == "xeon_phi" && is_in(feature, kXeonPhi)) set_platform(cpu, "haswell");
      if (cpu.platform == "haswell" && !is_haswell) set_platform(cpu, "x86_64");
    }
  });
}

}  // namespace soresolve
