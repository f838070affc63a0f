// Thread-local storage at a fixed place: there from the start, but scarce for what is opened later.
#pragma once
#include <cstdint>
#include <vector>

#include "diagnose/diagnosis_input.h"

namespace soresolve {

/// Bytes of its thread-local storage if it reaches some of it by its place (DF_STATIC_TLS), else 0. libc
/// does, too, but is there from the start: 0.
std::uint64_t static_tls_bytes(const ElfObject& elf);

/// One StaticTls problem if what is opened, or the closure of the library that is asked about, wants so
/// much of the surplus that it can run out.
std::vector<Problem> find_static_tls(const DiagnosisInput& input);

/// One sentence for each object that asks for an executable stack or, in the closure of a library,
/// for thread-local storage at a fixed place.
std::vector<Statement> stack_and_tls_notes(const LinkMap& map);

}  // namespace soresolve
