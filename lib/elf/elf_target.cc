// Names of machines and classes for people, as readelf and ld.so(8) use them. Numbers: gABI "ELF Header" and elf.h; a
// machine without a name here is shown by its number.
#include "elf/elf_numbers.h"
#include "soresolve/elf.h"

namespace soresolve {
namespace {

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64: return "x86-64";
    case EM_386: return "i386";
    case EM_AARCH64: return "AArch64";
    case EM_ARM: return "ARM";
    case EM_PPC64: return "PowerPC64";
    case EM_PPC: return "PowerPC";
    case EM_S390: return "S/390";
    case EM_RISCV: return "RISC-V";
    case EM_MIPS: return "MIPS";
    case EM_SPARC: return "SPARC";
    case EM_SPARCV9: return "SPARC V9";
    case EM_IA_64: return "IA-64";
    case EM_LOONGARCH: return "LoongArch";
    case EM_CUDA: return "NVIDIA CUDA";
    default: return "machine " + std::to_string(machine);
  }
}

bool is_usually_big(std::uint16_t machine) {
  return machine == EM_S390 || machine == EM_SPARC || machine == EM_SPARCV9 || machine == EM_PPC;
}

}  // namespace

std::string describe(const ElfTarget& target) {
  std::string text = target.elf_class == ElfClass::Elf64 ? "64-bit " : "32-bit ";
  const bool is_big = target.byte_order == std::endian::big;
  if (is_big && !is_usually_big(target.machine)) text += "big-endian ";
  if (!is_big && is_usually_big(target.machine)) text += "little-endian ";
  return text + machine_name(target.machine);
}

}  // namespace soresolve
