// One row for each machine: the two flags that its loader takes, and the one that its ldconfig writes. Source: glibc
// 2.36 sysdeps/*/dl-cache.h:_dl_cache_check_flags, _DL_CACHE_DEFAULT_ID; sysdeps/generic/ldconfig.h.
#include "loader/cache_flags.h"

#include "elf/elf_numbers.h"

namespace soresolve {

AcceptedFlags cache_flags_for(const ElfTarget& target) {
  const bool is_64 = target.elf_class == ElfClass::Elf64;
  switch (target.machine) {
    case EM_X86_64: return is_64 ? AcceptedFlags{0x303, 0x303, 0x303} : AcceptedFlags{0x803, 0x803, 0x803};
    case EM_AARCH64: return {0xa03, 0xa03, 0xa03};
    case EM_PPC64: return {0x503, 0x503, 0x503};
    case EM_S390: return is_64 ? AcceptedFlags{0x403, 0x403, 0x403} : AcceptedFlags{1, 3, 3};
    case EM_SPARCV9: return {0x103, 0x103, 0x103};
    case EM_IA_64: return {0x203, 0x203, 0x203};
    case EM_ARM:
      return (target.flags & EF_ARM_ABI_FLOAT_HARD) != 0 ? AcceptedFlags{0x903, 3, 0x903}
                                                         : AcceptedFlags{0xb03, 3, 0xb03};
    case EM_RISCV:
      return (target.flags & EF_RISCV_FLOAT_ABI) == EF_RISCV_FLOAT_ABI_DOUBLE ? AcceptedFlags{0x1003, 0x1003, 0x1003}
                                                                              : AcceptedFlags{0xf03, 0xf03, 0xf03};
    case EM_LOONGARCH: {  // the low bits of e_flags tell the float ABI, 3 is double
      const std::int32_t id = (target.flags & 7) == 3 ? 0x1203 : 0x1103;
      return {id, id, id};
    }
    case EM_MIPS: {
      const bool is_nan2008 = (target.flags & EF_MIPS_NAN2008) != 0;
      const bool is_n32 = (target.flags & EF_MIPS_ABI2) != 0;
      if (is_64) return is_nan2008 ? AcceptedFlags{0xe03, 0xe03, 0xe03} : AcceptedFlags{0x703, 0x703, 0x703};
      if (is_n32) return is_nan2008 ? AcceptedFlags{0xd03, 0xd03, 0xd03} : AcceptedFlags{0x603, 0x603, 0x603};
      if (is_nan2008) return {0xc03, 0xc03, 0xc03};
      return {1, 3, 3};
    }
    default: return {1, 3, 3};
  }
}

}  // namespace soresolve
