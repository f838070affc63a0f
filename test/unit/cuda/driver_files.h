// What the tests of drivers share: the rows that are compiled in, and the note of a cuda-compat package.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "cuda/contracts.h"
#include "soresolve/cuda.h"

namespace soresolve::test {

inline const CudaContracts& contracts() { return built_in_contracts().cuda; }
inline DottedVersion v(std::string_view text) { return parse_dotted(text).value_or(DottedVersion{}); }

/// Four bytes, little-endian.
inline std::string little(std::uint32_t number) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
  return bytes;
}

/// .note.cuda-compat: Nhdr {namesz 19, descsz, type 1}, its name padded to 20, the text.
inline std::string note(const std::string& text) {
  return little(19) + little(static_cast<std::uint32_t>(text.size())) + little(1) +
         std::string("NVIDIA Corporation\0\0", 20) + text;
}

}  // namespace soresolve::test
