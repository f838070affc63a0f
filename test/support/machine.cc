// One row for each machine. Instructions: in front of each row, as exit, return, resolver. MIPS has 64 << 8 | REL32 as
// its one relocation of a word (elf.h); what others do by GLOB_DAT it does by its GOT.
#include "support/machine.h"

#include <algorithm>

namespace soresolve::test {
namespace {

constexpr Machine kMachines[] = {
    // xor edi,edi; mov eax,231; syscall; hlt. ret. lea 1(%rip),%rax; ret; ret
    {"amd64",
     "x86_64-linux-gnu",
     kEmX86_64,
     Bits::Elf64,
     Endian::Little,
     0,
     "/lib64/ld-linux-x86-64.so.2",
     "",
     "",
     0x303,
     true,
     {1, 5, 6, 7, 8, 16, 18, 99},
     {std::string_view("\x31\xff\xb8\xe7\x00\x00\x00\x0f\x05\xf4", 10), std::string_view("\xc3", 1),
      std::string_view("\x48\x8d\x05\x01\x00\x00\x00\xc3\xc3", 9)}},
    // xor ebx,ebx; mov eax,252; int 0x80; hlt. ret. call .; pop eax; add 5,eax; ret; ret
    {"i386",
     "i386-linux-gnu",
     kEm386,
     Bits::Elf32,
     Endian::Little,
     0,
     "/lib/ld-linux.so.2",
     "",
     "",
     0x3,
     false,
     {1, 5, 6, 7, 8, 35, 14, 99},
     {std::string_view("\x31\xdb\xb8\xfc\x00\x00\x00\xcd\x80\xf4", 10), std::string_view("\xc3", 1),
      std::string_view("\xe8\x00\x00\x00\x00\x58\x83\xc0\x05\xc3\xc3", 11)}},
    // mov x0,0; mov x8,94; svc 0. ret. adr x0,.+8; ret; ret
    {"arm64",
     "aarch64-linux-gnu",
     kEmAarch64,
     Bits::Elf64,
     Endian::Little,
     0,
     "/lib/ld-linux-aarch64.so.1",
     "qemu-aarch64-static",
     "",
     0xa03,
     true,
     {257, 1024, 1025, 1026, 1027, 1028, 1030, 99},
     {std::string_view("\x00\x00\x80\xd2\xc8\x0b\x80\xd2\x01\x00\x00\xd4", 12), std::string_view("\xc0\x03\x5f\xd6", 4),
      std::string_view("\x40\x00\x00\x10\xc0\x03\x5f\xd6\xc0\x03\x5f\xd6", 12)}},
    // mov r0,0; mov r7,248; svc 0. bx lr. add r0,pc,0; bx lr; bx lr
    {"armhf",
     "arm-linux-gnueabihf",
     kEmArm,
     Bits::Elf32,
     Endian::Little,
     0x05000400,
     "/lib/ld-linux-armhf.so.3",
     "qemu-arm-static",
     "",
     0x903,
     false,
     {2, 20, 21, 22, 23, 17, 19, 99},
     {std::string_view("\x00\x00\xa0\xe3\xf8\x70\xa0\xe3\x00\x00\x00\xef", 12), std::string_view("\x1e\xff\x2f\xe1", 4),
      std::string_view("\x00\x00\x8f\xe2\x1e\xff\x2f\xe1\x1e\xff\x2f\xe1", 12)}},
    // li r3,0; li r0,234; sc. blr. addi r3,r12,8; blr; blr
    {"ppc64el",
     "powerpc64le-linux-gnu",
     kEmPpc64,
     Bits::Elf64,
     Endian::Little,
     2,
     "/lib64/ld64.so.2",
     "qemu-ppc64le-static",
     "power10",
     0x503,
     true,
     {38, 19, 20, 21, 22, 68, 73, 200},
     {std::string_view("\x00\x00\x60\x38\xea\x00\x00\x38\x02\x00\x00\x44", 12), std::string_view("\x20\x00\x80\x4e", 4),
      std::string_view("\x08\x00\x6c\x38\x20\x00\x80\x4e\x20\x00\x80\x4e", 12)}},
    // lghi r2,0; lghi r1,248; svc 0. br r14. larl r2,.+8; br r14; br r14
    {"s390x",
     "s390x-linux-gnu",
     kEmS390,
     Bits::Elf64,
     Endian::Big,
     0,
     "/lib/ld64.so.1",
     "qemu-s390x-static",
     "",
     0x403,
     true,
     {22, 9, 10, 11, 12, 54, 56, 99},
     {std::string_view("\xa7\x29\x00\x00\xa7\x19\x00\xf8\x0a\x00", 10), std::string_view("\x07\xfe", 2),
      std::string_view("\xc0\x20\x00\x00\x00\x04\x07\xfe\x07\xfe", 10)}},
    // li a0,0; li a7,94; ecall. ret. auipc a0,0; addi a0,a0,12; ret; ret
    {"riscv64",
     "riscv64-linux-gnu",
     kEmRiscv,
     Bits::Elf64,
     Endian::Little,
     5,
     "/lib/ld-linux-riscv64-lp64d.so.1",
     "qemu-riscv64-static",
     "",
     0x1003,
     true,
     {2, 4, 2, 5, 3, 7, 11, 99},
     {std::string_view("\x13\x05\x00\x00\x93\x08\xe0\x05\x73\x00\x00\x00", 12), std::string_view("\x67\x80\x00\x00", 4),
      std::string_view("\x17\x05\x00\x00\x13\x05\xc5\x00\x67\x80\x00\x00\x67\x80\x00\x00", 16)}},
    // move a0,0; li v0,5205; syscall. jr ra; nop. (there are no indirect functions)
    {"mips64el",
     "mips64el-linux-gnuabi64",
     kEmMips,
     Bits::Elf64,
     Endian::Little,
     0x80000007,
     "/lib64/ld.so.1",
     "qemu-mips64el-static",
     "",
     0x703,
     false,
     {4611, 126, 4611, 127, 4611, 40, 48, 99},
     {std::string_view("\x2d\x20\x00\x00\x55\x14\x02\x24\x0c\x00\x00\x00", 12),
      std::string_view("\x08\x00\xe0\x03\x00\x00\x00\x00", 8), std::string_view()},
     true},
};

}  // namespace

std::span<const Machine> known_machines() { return kMachines; }
const Machine& x86_64_machine() { return kMachines[0]; }

const Machine* find_machine(std::string_view name) {
  const auto found = std::find_if(std::begin(kMachines), std::end(kMachines),
                                  [&](const Machine& machine) { return machine.name == name; });
  return found == std::end(kMachines) ? nullptr : found;
}

const Machine& machine_of(const ElfSpec& spec) {
  const auto found = std::find_if(std::begin(kMachines), std::end(kMachines), [&](const Machine& machine) {
    return machine.number == spec.machine && machine.bits == spec.bits && machine.endian == spec.endian;
  });
  return found == std::end(kMachines) ? x86_64_machine() : *found;
}

}  // namespace soresolve::test
