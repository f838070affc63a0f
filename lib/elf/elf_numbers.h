// elf.h, with the numbers that musl's or an older glibc's does not have. Source: gABI, and the psABIs of the machines.
#pragma once
#include <elf.h>

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif
#ifndef ELFOSABI_ARM_AEABI
#define ELFOSABI_ARM_AEABI 64
#endif
#ifndef EF_RISCV_FLOAT_ABI
#define EF_RISCV_FLOAT_ABI 6
#endif
#ifndef EF_RISCV_FLOAT_ABI_DOUBLE
#define EF_RISCV_FLOAT_ABI_DOUBLE 4
#endif
#ifndef R_AARCH64_IRELATIVE
#define R_AARCH64_IRELATIVE 1032
#endif
#ifndef R_390_IRELATIVE
#define R_390_IRELATIVE 61
#endif
#ifndef R_RISCV_IRELATIVE
#define R_RISCV_IRELATIVE 58
#endif
