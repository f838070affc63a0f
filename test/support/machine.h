// The machines that tests write ELF files for and have a real loader of: numbers, relocations and a few instructions.
//
// Sources: gABI, the psABIs, elf.h; Debian's names and places. Numbers are written down a second time on purpose: lib/
// must not be its own judge.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "support/elf_writer.h"

namespace soresolve::test {

/// Relocations by what they do; 0: the machine has none.
struct RelocationNumbers {
  std::uint32_t absolute = 0;
  std::uint32_t copy = 0;
  std::uint32_t glob_dat = 0;
  std::uint32_t jump_slot = 0;
  std::uint32_t relative = 0;
  std::uint32_t tls_module = 0;
  std::uint32_t tls_offset = 0;  ///< initial-exec: from the thread pointer
  std::uint32_t unknown = 0;     ///< one that the loader refuses
};

/// Instructions. A resolver returns the address of a function that returns.
struct MachineCode {
  std::string_view exit;  ///< exit_group(0)
  std::string_view ret;
  std::string_view resolver;
};

struct Machine {
  std::string_view name;     ///< as Debian calls it: "arm64"
  std::string_view triplet;  ///< its directory below /lib
  std::uint16_t number = 0;  ///< e_machine
  Bits bits = Bits::Elf64;
  Endian endian = Endian::Little;
  std::uint32_t flags = 0;  ///< e_flags
  std::string_view interp;
  std::string_view emulator;        ///< its qemu; empty: the kernel of x86-64 runs it
  std::string_view processor = {};  ///< `-cpu` of the emulator; empty: its default
  std::int32_t cache_flags = 0;
  bool has_addends = true;  ///< relocations are DT_RELA
  RelocationNumbers relocations;
  MachineCode code;
  bool binds_by_got = false;  ///< what is bound is in no relocation; lib/ leaves that out
};

/// x86-64 first.
std::span<const Machine> known_machines();
const Machine& x86_64_machine();
/// By Debian's name; null: unknown.
const Machine* find_machine(std::string_view name);
/// The one that a file is for; x86-64 where none is known.
const Machine& machine_of(const ElfSpec& spec);

}  // namespace soresolve::test
