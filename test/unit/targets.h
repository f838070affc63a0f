// The machines that tests search for. e_machine: gABI, chapter 4.
#pragma once
#include <bit>

#include "soresolve/elf.h"

namespace soresolve::test {

inline constexpr ElfTarget kX86_64 = {ElfClass::Elf64, std::endian::little, 62, 0};
inline constexpr ElfTarget kI386 = {ElfClass::Elf32, std::endian::little, 3, 0};
inline constexpr ElfTarget kAarch64 = {ElfClass::Elf64, std::endian::little, 183, 0};
inline constexpr ElfTarget kPpc64le = {ElfClass::Elf64, std::endian::little, 21, 0};
inline constexpr ElfTarget kS390x = {ElfClass::Elf64, std::endian::big, 22, 0};

}  // namespace soresolve::test
