// The witness itself: one file as LIEF reads it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "witness/lief_facts.h"

namespace soresolve::witness {

/// "LIEF 0.9.0"
std::string reader_name();

/// What LIEF says of the file whose bytes these are. Whatever LIEF throws is a Refusal.
LiefFacts hear(const std::string& file, const std::vector<std::uint8_t>& bytes);

}  // namespace soresolve::witness
