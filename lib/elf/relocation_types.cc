// One switch for each machine, from the type of a relocation to the lookup that the loader makes for it. Source: glibc
// 2.36 sysdeps/*/dl-machine.h:elf_machine_rela, elf_machine_type_class; numbers: elf.h and the psABIs. Machines without
// a switch: every type but 0 counts as a plain reference to its symbol.
#include "elf/relocation_types.h"

#include "elf/elf_numbers.h"

namespace soresolve {
namespace {

using enum RelocationUse;

RelocationUse x86_64_use(std::uint32_t type) {
  switch (type) {
    case R_X86_64_NONE:
    case R_X86_64_RELATIVE:
    case 38: return None;  // 38: RELATIVE64
    case R_X86_64_IRELATIVE: return Indirect;
    case R_X86_64_JUMP_SLOT: return JumpSlot;
    case R_X86_64_DTPMOD64:
    case R_X86_64_DTPOFF64: return Plt;
    case R_X86_64_TPOFF64: return StaticTls;
    case R_X86_64_TLSDESC: return TlsDesc;
    case R_X86_64_COPY: return Copy;
    case R_X86_64_GLOB_DAT: return Data;
    case R_X86_64_64:
    case R_X86_64_PC32:
    case R_X86_64_32:
    case R_X86_64_SIZE32:
    case R_X86_64_SIZE64: return Plain;
    default: return Unknown;
  }
}

RelocationUse i386_use(std::uint32_t type) {
  switch (type) {
    case R_386_NONE:
    case R_386_RELATIVE: return None;
    case R_386_IRELATIVE: return Indirect;
    case R_386_JMP_SLOT: return JumpSlot;
    case R_386_TLS_DTPMOD32:
    case R_386_TLS_DTPOFF32: return Plt;
    case R_386_TLS_TPOFF32:
    case R_386_TLS_TPOFF: return StaticTls;
    case R_386_TLS_DESC: return TlsDesc;
    case R_386_COPY: return Copy;
    case R_386_GLOB_DAT: return Data;
    case R_386_32:
    case R_386_PC32:
    case R_386_SIZE32: return Plain;
    default: return Unknown;
  }
}

RelocationUse aarch64_use(std::uint32_t type) {
  switch (type) {
    case R_AARCH64_NONE:
    case R_AARCH64_RELATIVE: return None;
    case R_AARCH64_IRELATIVE: return Indirect;
    case R_AARCH64_JUMP_SLOT: return JumpSlot;
    case R_AARCH64_TLS_DTPMOD:
    case R_AARCH64_TLS_DTPREL: return Plt;
    case R_AARCH64_TLS_TPREL: return StaticTls;
    case R_AARCH64_TLSDESC: return TlsDesc;
    case R_AARCH64_COPY: return Copy;
    case R_AARCH64_GLOB_DAT:
    case R_AARCH64_ABS64:
    case R_AARCH64_ABS32: return Plain;
    default: return Unknown;
  }
}

RelocationUse arm_use(std::uint32_t type) {
  switch (type) {
    case R_ARM_NONE:
    case R_ARM_RELATIVE: return None;
    case R_ARM_IRELATIVE: return Indirect;
    case R_ARM_JUMP_SLOT: return JumpSlot;
    case R_ARM_TLS_DTPMOD32:
    case R_ARM_TLS_DTPOFF32:
    case R_ARM_TLS_DESC: return Plt;
    case R_ARM_TLS_TPOFF32: return StaticTls;
    case R_ARM_COPY: return Copy;
    case R_ARM_GLOB_DAT:
    case R_ARM_ABS32:
    case R_ARM_PC24: return Plain;
    default: return Unknown;
  }
}

RelocationUse ppc64_use(std::uint32_t type) {
  constexpr std::uint32_t kLastOfAbi = 117;  // ADDR64_LOCAL, which not every elf.h has
  switch (type) {
    case R_PPC64_NONE:
    case R_PPC64_RELATIVE: return None;
    case R_PPC64_IRELATIVE:
    case R_PPC64_JMP_IREL: return Indirect;
    case R_PPC64_JMP_SLOT: return JumpSlot;
    case R_PPC64_COPY: return Copy;
    case R_PPC64_ADDR24: return Plt;
    case R_PPC64_TPREL64: return StaticTls;
    default:
      // What lies behind the numbers of the ABI is refused; of those inside some are, which is not told here.
      if (type > kLastOfAbi) return Unknown;
      return type >= R_PPC64_DTPMOD64 && type <= R_PPC64_TPREL16_HIGHESTA ? Plt : Plain;
  }
}

RelocationUse s390_use(std::uint32_t type) {
  switch (type) {
    case R_390_NONE:
    case R_390_RELATIVE: return None;
    case R_390_IRELATIVE: return Indirect;
    case R_390_JMP_SLOT: return JumpSlot;
    case R_390_TLS_DTPMOD:
    case R_390_TLS_DTPOFF: return Plt;
    case R_390_TLS_TPOFF: return StaticTls;
    case R_390_COPY: return Copy;
    default: return type <= R_390_IRELATIVE ? Plain : Unknown;
  }
}

RelocationUse riscv_use(std::uint32_t type) {
  switch (type) {
    case R_RISCV_NONE:
    case R_RISCV_RELATIVE: return None;
    case R_RISCV_IRELATIVE: return Indirect;
    case R_RISCV_JUMP_SLOT: return JumpSlot;
    case R_RISCV_TLS_DTPMOD32:
    case R_RISCV_TLS_DTPMOD64:
    case R_RISCV_TLS_DTPREL32:
    case R_RISCV_TLS_DTPREL64: return Plt;
    case R_RISCV_TLS_TPREL32:
    case R_RISCV_TLS_TPREL64: return StaticTls;
    case R_RISCV_COPY: return Copy;
    case R_RISCV_32:
    case R_RISCV_64: return Plain;
    default: return Unknown;
  }
}

}  // namespace

RelocationUse relocation_use(std::uint16_t machine, std::uint32_t type) {
  switch (machine) {
    case EM_X86_64: return x86_64_use(type);
    case EM_386: return i386_use(type);
    case EM_AARCH64: return aarch64_use(type);
    case EM_ARM: return arm_use(type);
    case EM_PPC64: return ppc64_use(type);
    case EM_S390: return s390_use(type);
    case EM_RISCV: return riscv_use(type);
    default: return type == 0 ? None : Plain;
  }
}

}  // namespace soresolve
