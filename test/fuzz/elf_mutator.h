// Changes an ELF file by its fields.
#pragma once
#include <cstdint>
#include <span>

namespace soresolve::test {

/// Changes one to three fields in three of four cases; false where `input` stays as it is: in the fourth, and where
/// there is no file with fields.
bool mutate_elf(std::span<std::uint8_t> input, std::uint64_t seed);

}  // namespace soresolve::test
