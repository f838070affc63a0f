// Processors: detection, names, and GLIBC_TUNABLES' switches.
//
// Levels: glibc sysdeps/x86/get-isa-level.h. `$PLATFORM` on x86-64: sysdeps/x86/cpu-features.c
// (Intel processors only have one of their own; every other one is what the kernel says).
#include "loader/cpu.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "loader/loader_rules.h"
#include "loader/process.h"
#include "loader/tunables.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#if __has_include(<sys/platform/x86.h>) && !defined(__clang__)  // clang has no _Bool in strict C++
#include <sys/platform/x86.h>
#endif
#endif

namespace soresolve {
namespace {

constexpr std::uint64_t kLegacyX86_64 = 1u << 1;  // HWCAP_X86_64
constexpr std::uint64_t kLegacyAvx512 = 1u << 2;  // HWCAP_X86_AVX512_1
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
  return vendor.ebx == signature_INTEL_ebx && vendor.ecx == signature_INTEL_ecx && vendor.edx == signature_INTEL_edx;
}

/// What the levels need, as far as the operating system lets it be used.
struct X86Features {
  bool v2 = false, v3 = false, v4 = false;
  bool haswell = false;  // the set that makes `$PLATFORM` haswell on Intel's
  bool xeon_phi = false;
  bool avx512_1 = false;  // legacy hwcap
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

  f.v2 = has(c1, bit_CMPXCHG16B | bit_POPCNT | bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2) && has(c81, bit_LAHF_LM);
  f.v3 = f.v2 && ymm && has(c1, bit_AVX | bit_F16C | bit_FMA | bit_MOVBE) && has(b7, bit_AVX2 | bit_BMI | bit_BMI2) &&
         has(c81, bit_LZCNT);
  f.v4 = f.v3 && zmm && has(b7, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL);
  constexpr unsigned kAvx512Er = 1u << 27, kAvx512Pf = 1u << 26;
  f.haswell =
      ymm && has(b7, bit_AVX2 | bit_BMI | bit_BMI2) && has(c81, bit_LZCNT) && has(c1, bit_FMA | bit_MOVBE | bit_POPCNT);
  f.xeon_phi = zmm && has(b7, bit_AVX512CD | kAvx512Er | kAvx512Pf);
  f.avx512_1 = zmm && has(b7, bit_AVX512CD | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL) && (b7 & kAvx512Er) == 0;
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
    // CPUID is slow where a hypervisor answers it.
    static const X86Features f = read_x86_features();
    static const bool is_intels = is_intel();
    Cpu cpu = x86_64_cpu(f.v4 ? 4 : f.v3 ? 3 : f.v2 ? 2 : 1);
    if ((f.avx512_1 || f.xeon_phi || f.haswell) && is_intels) {
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
  const ElfTarget host = {
    ElfClass::Elf64,
    target.byte_order,
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

Cpu Processors::of(const ElfTarget& target) const {
  for (const auto& [known_target, cpu] : known) {
    if (known_target.machine == target.machine && known_target.elf_class == target.elf_class &&
        known_target.byte_order == target.byte_order) {
      return cpu;
    }
  }
  return default_cpu(target);
}

Processors read_processors(std::string_view at_platform) {
  Processors processors;
  for (const std::uint16_t machine : {EM_X86_64, EM_386, EM_AARCH64, EM_ARM, EM_PPC64, EM_S390, EM_RISCV}) {
    for (const ElfClass elf_class : {ElfClass::Elf64, ElfClass::Elf32}) {
      for (const std::endian order : {std::endian::little, std::endian::big}) {
        const ElfTarget target = {elf_class, order, machine, 0};
        Cpu cpu = detect_host_cpu(target, at_platform);
        if (cpu.name != default_cpu(target).name) processors.known.emplace_back(target, std::move(cpu));
      }
    }
  }
  return processors;
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
  return Unexpected{Error{ErrorCode::Usage,
                          {},
                          {},
                          "unknown processor '" + std::string(name) + "' for " + describe(target) +
                              "; known are x86-64, x86-64-v2, x86-64-v3, x86-64-v4, haswell, xeon_phi, i586, i686, "
                              "aarch64, power8, power9, power10, z13, z14, z15, z16, z17"}};
}

namespace {

/// Features that glibc-hwcaps, legacy subdirectories and `$PLATFORM` depend on.
enum X86Feature : std::uint32_t {
  kV1 = 1u << 0,  // CMOV, CX8, SSE2: without one of them there is no level at all
  kV2 = 1u << 1,  // of x86-64-v2, and of nothing else
  kV3 = 1u << 2,  // of x86-64-v3
  kV4 = 1u << 3,  // of x86-64-v4
  kHaswellSet = 1u << 4,
  kAvx512Set = 1u << 5,  // of avx512_1
  kPhiSet = 1u << 6,     // of xeon_phi
  kXsave = 1u << 7,      // both of XSAVE and XSAVEC have to go
  kXsavec = 1u << 8,
  kOsxsave = 1u << 9,
  kI686 = 1u << 10,
  kSse2 = 1u << 11,
};

struct FeatureName {
  std::string_view name;
  std::uint32_t parts;  ///< of X86Feature
};

/// The names that set_hwcaps knows from 2.32 on: CMPXCHG16B, LAHF64_SAHF64, SSE3 and F16C are none.
constexpr FeatureName kFeatures[] = {
    {"AVX", kV3},
    {"CX8", kV1},
    {"FMA", kV3 | kHaswellSet},
    {"AVX2", kV3 | kHaswellSet},
    {"BMI1", kV3 | kHaswellSet},
    {"BMI2", kV3 | kHaswellSet},
    {"CMOV", kV1},
    {"I686", kI686},
    {"SSE2", kV1 | kSse2},
    {"LZCNT", kV3 | kHaswellSet},
    {"MOVBE", kV3 | kHaswellSet},
    {"SSSE3", kV2},
    {"XSAVE", kXsave},
    {"POPCNT", kV2 | kHaswellSet},
    {"SSE4_1", kV2},
    {"SSE4_2", kV2},
    {"XSAVEC", kXsavec},
    {"AVX512F", kV4},
    {"OSXSAVE", kOsxsave},
    {"AVX512CD", kV4 | kAvx512Set | kPhiSet},
    {"AVX512BW", kV4 | kAvx512Set},
    {"AVX512DQ", kV4 | kAvx512Set},
    {"AVX512ER", kPhiSet},
    {"AVX512PF", kPhiSet},
    {"AVX512VL", kV4 | kAvx512Set},
};

/// Up to 2.31, which has no levels: a feature that needs the system's help is looked at by its usable
/// bit, all others by the processor's.
constexpr FeatureName kOldFeatures[] = {
    {"AVX2_Usable", kHaswellSet},
    {"FMA_Usable", kHaswellSet},
    {"BMI1", kHaswellSet},
    {"BMI2", kHaswellSet},
    {"I686", kI686},
    {"SSE2", kSse2},
    {"LZCNT", kHaswellSet},
    {"MOVBE", kHaswellSet},
    {"POPCNT", kHaswellSet},
    {"AVX512F_Usable", kAvx512Set | kPhiSet},
    {"AVX512CD", kAvx512Set | kPhiSet},
    {"AVX512BW", kAvx512Set},
    {"AVX512DQ", kAvx512Set},
    {"AVX512ER", kPhiSet},
    {"AVX512PF", kPhiSet},
    {"AVX512VL", kAvx512Set},
};

std::uint32_t taken_parts(const LoaderRules& rules, const Tunables& tunables) {
  std::uint32_t taken = 0;
  const auto take = [&taken](std::string_view name, const auto& features) {
    for (const FeatureName& feature : features) {
      if (feature.name == name) taken |= feature.parts;
    }
  };
  for (const std::string_view element : tunables.hwcaps_elements()) {
    if (!element.starts_with('-')) continue;
    rules.x86_usable_bits ? take(element.substr(1), kOldFeatures) : take(element.substr(1), kFeatures);
  }
  // Without a way to save their state nothing of AVX is left.
  const bool is_saved = (taken & kOsxsave) == 0 && (taken & (kXsave | kXsavec)) != (kXsave | kXsavec);
  if (rules.x86_needs_xsave && !is_saved) taken |= kV3 | kV4 | kHaswellSet | kAvx512Set | kPhiSet;
  return taken;
}

void take_parts(Cpu& cpu, std::uint32_t taken) {
  const int level = (taken & (kV1 | kV2)) != 0 ? 1 : (taken & kV3) != 0 ? 2 : (taken & kV4) != 0 ? 3 : 4;
  // The ISA level itself is worked out before tunables are read (cpu-features.c:update_active).
  cpu.hwcaps_usable = std::min(cpu.hwcaps_usable, level - 1);
  if ((taken & kAvx512Set) != 0) {
    std::erase(cpu.legacy_names, "avx512_1");
    cpu.legacy_bits &= ~kLegacyAvx512;
  }
  if (cpu.platform == "xeon_phi" && (taken & kPhiSet) != 0) set_platform(cpu, "haswell");
  if (cpu.platform == "haswell" && (taken & kHaswellSet) != 0) set_platform(cpu, "x86_64");
}

/// Of 32-bit processors: one legacy name, and two platforms.
void take_i386_parts(Cpu& cpu, std::uint32_t taken) {
  if ((taken & kSse2) != 0) {
    std::erase(cpu.legacy_names, "sse2");
    cpu.legacy_bits &= ~std::uint64_t{1};
  }
  if (cpu.platform == "i686" && (taken & kI686) != 0) set_platform(cpu, "i586");
}

}  // namespace

void apply_tunables(Process& process, const LoaderRules& rules) {
  const Tunables tunables(rules, process);
  if (is_x86_64(rules.target)) take_parts(process.cpu, taken_parts(rules, tunables));
  if (rules.target.machine == EM_386) take_i386_parts(process.cpu, taken_parts(rules, tunables));
  if (!tunables.asks_for_secure()) return;
  process.secure_by_tunable |= !process.secure;
  process.secure = true;
}

}  // namespace soresolve
