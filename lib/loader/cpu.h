// The processor, as far as the loader's search depends on it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "soresolve/elf.h"
#include "soresolve/result.h"

namespace soresolve {

/// A processor's part in glibc-hwcaps names, legacy subdirectories and `$PLATFORM`.
struct Cpu {
  std::string name;      ///< how it was chosen, for the report: "x86-64-v3", "this machine"
  std::string platform;  ///< value of `$PLATFORM`; empty when the token has no value
  /// x86-64: 1 … 4 for the micro-architecture level. Elsewhere the rank below decides.
  int isa_level = 1;
  /// Number of built-in glibc-hwcaps names that are usable, counted from the worst.
  int hwcaps_usable = 0;
  /// Legacy subdirectory names in ascending bit order, without platform and `tls` ("x86_64",
  /// "avx512_1"), with the mask of their bits in cache entries.
  std::vector<std::string> legacy_names;
  std::uint64_t legacy_bits = 0;
  std::uint64_t legacy_platform_bit = 0;
};

/// The processor this process runs on, for a loader of `target`. `at_platform` is AT_PLATFORM of
/// getauxval(3). A target of another machine than the host gets default_cpu().
Cpu detect_host_cpu(const ElfTarget& target, std::string_view at_platform);

/// A processor as the loaders for each of the targets that run on it see it.
struct Processors {
  std::vector<std::pair<ElfTarget, Cpu>> known;
  /// The lowest one for a target that is not among them.
  [[nodiscard]] Cpu of(const ElfTarget& target) const;
};
/// This machine's. `at_platform` as above.
Processors read_processors(std::string_view at_platform);

/// The lowest processor of a machine.
Cpu default_cpu(const ElfTarget& target);

/// A processor by name: x86-64, x86-64-v2 … v4, haswell, xeon_phi; power8 … power10; z13 … z17;
/// aarch64, i586, i686. Fails with Usage and the names that are known.
Result<Cpu> cpu_by_name(std::string_view name, const ElfTarget& target);

}  // namespace soresolve
