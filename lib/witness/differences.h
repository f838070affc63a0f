// Do the loader's view of a file and the facts of the second reader agree?
#pragma once
#include "soresolve/elf.h"
#include "soresolve/symbols.h"
#include "witness/lief_facts.h"
#include "witness/second_reading.h"

namespace soresolve::witness {

/// Compares DT_NEEDED, DT_SONAME, DT_RPATH, DT_RUNPATH, the version records and the dynamic symbols with
/// their versions: each list entry by entry, in file order. A refusal of the witness, or facts of
/// another format, is a difference. Cannot fail.
SecondReading compare_readings(const ElfObject& elf, const VersionedLibrary& library, const LiefFacts& lief_facts);

}  // namespace soresolve::witness
