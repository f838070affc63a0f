// What the loader does with a relocation type of a machine, as far as symbols are concerned.
//
// Source: glibc sysdeps/*/dl-machine.h: elf_machine_type_class, elf_machine_rela, and the psABIs for
// the numbers. Types that a machine's loader does not know are fatal; they are told for x86-64, i386,
// AArch64, ARM and RISC-V, whose lists are kept here whole, and for the numbers behind those of PowerPC64 and S/390.
#pragma once
#include <cstdint>

namespace soresolve {

enum class RelocationUse : std::uint8_t {
  None,       ///< nothing to do, or relative to the load bias only
  Indirect,   ///< IRELATIVE: a resolver of the object itself; done after all others
  Plain,      ///< looked up; an undefined symbol with a value serves as well
  Data,       ///< Plain, of a slot that up to 2.35 may refer to protected data (GLOB_DAT on x86)
  Plt,        ///< looked up among definitions only: PLT slots and thread-local variables
  JumpSlot,   ///< Plt, and left for the first call when binding is lazy
  TlsDesc,    ///< Plt; up to 2.33 left for the first use when binding is lazy (x86)
  StaticTls,  ///< Plt, of a variable whose place has to be fixed (initial-exec)
  Copy,       ///< looked up everywhere but in the program
  Unknown,    ///< the loader refuses the object
};

RelocationUse relocation_use(std::uint16_t machine, std::uint32_t type);

}  // namespace soresolve
