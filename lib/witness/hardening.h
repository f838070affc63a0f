// How well a file is armed against its own errors, as far as it can be seen from outside.
//
// Source: the switches of GCC and binutils that put these marks there: -z relro, -z now, -pie,
// -z noexecstack, -fstack-protector, -D_FORTIFY_SOURCE, -fcf-protection, -mbranch-protection.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "witness/lief_facts.h"

namespace soresolve::witness {

enum class Relro : std::uint8_t {
  None,
  Partial,  ///< PT_GNU_RELRO, but the slots of lazy binding stay writable
  Full,     ///< with BIND_NOW
};
enum class Placement : std::uint8_t {
  Fixed,  ///< ET_EXEC: its addresses are known beforehand
  Pie,
  Library,
  Other,  ///< objects and core files are not loaded
};
enum class StackMark : std::uint8_t { NotExecutable, Executable, Missing };
enum class StackGuard : std::uint8_t {
  Present,  ///< it refers to __stack_chk_fail
  Absent,
  Unknown,  ///< no symbols are left to tell
};

struct Hardening {
  Relro relro = Relro::None;
  bool is_bind_now = false;  ///< DT_BIND_NOW, DF_BIND_NOW or DF_1_NOW
  Placement placement = Placement::Other;
  StackMark stack = StackMark::Missing;
  StackGuard guard = StackGuard::Unknown;
  std::vector<std::string> fortified;  ///< checked functions that it calls or has: "__memcpy_chk"
  /// What all of its code is marked for: "IBT", "SHSTK" (x86), "BTI", "PAC", "GCS" (AArch64).
  std::vector<std::string> branch_protection;
};

Hardening judge_hardening(const ElfFacts& elf);

}  // namespace soresolve::witness
