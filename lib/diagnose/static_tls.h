// Thread-local storage at a fixed place: there from the start, but scarce for what is opened later.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "diagnose/diagnosis_input.h"

namespace soresolve {

/// Bytes of its thread-local storage if it reaches some of it by its place (DF_STATIC_TLS), else 0. libc
/// does, too, but is there from the start: 0.
std::uint64_t static_tls_bytes(const ElfObject& elf);

/// What is opened wants more than the loader keeps for all that is: no plain program can open it ("cannot allocate
/// memory in static TLS block"), one that needs or preloads it starts. nullopt: it has room.
struct StaticTlsNeed {
  std::uint64_t wanted_bytes = 0;
  std::uint64_t kept_bytes = 0;
};
std::optional<StaticTlsNeed> static_tls_beyond_surplus(const LinkMap& map);

/// One StaticTls problem if what is opened, or the closure of the library that is asked about, wants so
/// much of the surplus that it can run out.
std::vector<Problem> find_static_tls(const DiagnosisInput& input);

/// The first of what is opened that dlopen refuses in a process without an executable stack (glibc 2.41 and newer);
/// kNoObject: there is none.
ObjectIndex refused_for_stack(const LinkMap& map);

/// What dlopen refuses so, of a library whose process nobody named, or will refuse, where the loader still takes it: a
/// note, since a program that needs it starts.
std::vector<Problem> find_exec_stack(const DiagnosisInput& input);

/// Is the problem an executable stack that is not given?
bool is_refused_for_stack(const Problem& problem);

/// One sentence for each object that asks for an executable stack or, in the closure of a library,
/// for thread-local storage at a fixed place.
std::vector<Statement> stack_and_tls_notes(const LinkMap& map);

}  // namespace soresolve
