// Which relocations look symbols up, and how (psABIs; glibc sysdeps/*/dl-machine.h).
#include <doctest/doctest.h>
#include <elf.h>

#include "elf/relocation_types.h"

using namespace soresolve;
using enum RelocationUse;

TEST_CASE("a relocation's class decides what its symbol may bind to") {
  struct Case {
    const char* why;
    std::uint16_t machine;
    std::uint32_t type;
    RelocationUse want;
  };
  const Case cases[] = {
      {"relative to the load bias only", EM_X86_64, R_X86_64_RELATIVE, None},
      {"nothing", EM_X86_64, R_X86_64_NONE, None},
      {"a resolver of its own", EM_X86_64, R_X86_64_IRELATIVE, Indirect},
      {"an address", EM_X86_64, R_X86_64_64, Plain},
      {"a slot of the GOT", EM_X86_64, R_X86_64_GLOB_DAT, Data},
      {"a slot of the PLT", EM_X86_64, R_X86_64_JUMP_SLOT, JumpSlot},
      {"thread-local variables bind to definitions only", EM_X86_64, R_X86_64_TPOFF64, StaticTls},
      {"a descriptor may wait", EM_X86_64, R_X86_64_TLSDESC, TlsDesc},
      {"a copy passes over the program", EM_X86_64, R_X86_64_COPY, Copy},
      {"only linkers know it", EM_X86_64, R_X86_64_GOTPCREL, Unknown},
      {"a number that nobody has", EM_X86_64, 200, Unknown},
      {"i386 has its own numbers", EM_386, R_386_JMP_SLOT, JumpSlot},
      {"and its own slots", EM_386, R_386_GLOB_DAT, Data},
      {"AArch64 never copies protected data", EM_AARCH64, R_AARCH64_GLOB_DAT, Plain},
      {"AArch64 relative", EM_AARCH64, R_AARCH64_RELATIVE, None},
      {"AArch64 copy", EM_AARCH64, R_AARCH64_COPY, Copy},
      {"S/390 refuses what is behind its numbers", EM_S390, 99, Unknown},
      {"and PowerPC64 what is behind its own", EM_PPC64, 200, Unknown},
      {"ARM knows few types", EM_ARM, 99, Unknown},
      {"one of them is an address", EM_ARM, R_ARM_ABS32, Plain},
      {"RISC-V knows few types", EM_RISCV, 99, Unknown},
      {"of them a word", EM_RISCV, R_RISCV_64, Plain},
      {"of machines without a list no type is refused", EM_SPARCV9, 200, Plain},
      {"RISC-V", EM_RISCV, R_RISCV_JUMP_SLOT, JumpSlot},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(relocation_use(c.machine, c.type) == c.want);
  }
}
