// A library that is known by rows only, as a file that can be searched for, judged and bound to, but holds no code.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace soresolve {

struct AssumedLibrary {
  std::uint16_t machine = 0;  ///< e_machine of a 64-bit little-endian one
  std::string soname;
  std::vector<std::string> needs;         ///< libc.so.6 first
  std::string libc_version;               ///< the one version that it requires of needs[0]: "GLIBC_2.7"; empty: none
  std::vector<std::string_view> symbols;  ///< functions, without versions
};

/// An ELF file of that description: ET_DYN, without sections. Format: gABI; LSB Core, "Symbol Versioning".
std::string write_assumed_library(const AssumedLibrary& library);

}  // namespace soresolve
