// What the GNU property note of an x86 file asks of the processor and of the program.
//
// Source: glibc sysdeps/x86/dl-prop.h:_dl_process_property_note, elf/dl-load.c (program headers are
// gone through backwards, and the first note with properties counts); x86-64 psABI "Program Property".
#pragma once
#include <cstdint>

#include "elf/image_reader.h"

namespace soresolve {

struct PropertyNote {
  std::uint32_t isa_needed = 0;  ///< GNU_PROPERTY_X86_ISA_1_NEEDED: 1 baseline, 2 v2, 4 v3, 8 v4
  std::uint32_t needed = 0;      ///< GNU_PROPERTY_1_NEEDED: 1 indirect external access
};

/// Precondition: reader.read_segments() has succeeded. A note that the loader passes over gives zeros.
PropertyNote read_property_note(ImageReader& reader);

}  // namespace soresolve
