// What the relocations of a process hold: musl has no LD_DEBUG, so its memory is read.
#pragma once
#include <string>
#include <vector>

namespace soresolve::test {

/// One relocation of an object that has been relocated, with those objects that it can have been bound to: one, unless
/// two give the same number.
struct HeldReference {
  std::string referrer;
  std::string symbol;
  std::vector<std::string> providers;
};

/// Reads the loader's list and each object's tables from the memory of a process that has stopped, and takes apart what
/// R_X86_64_64, GLOB_DAT, JUMP_SLOT, DTPMOD64 and TPOFF64 have written. Left out: what is bound to nothing, and COPY,
/// which leaves bytes behind. Empty where the program has no DT_DEBUG, or never ran.
std::vector<HeldReference> read_held_references(int pid);

}  // namespace soresolve::test
