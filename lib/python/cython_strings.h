// The table of strings in a module that Cython 3.2 or later has compiled.
//
// Until 3.1 each string is a literal of its own. Since then all texts of a module are one, without anything between
// them, and an array has their lengths:
//
//   .rodata   "…" or its packed form     __main____name__cliparraycopynumpy.linalg…
//             unsigned int lengths[]      8, 8, 4, 5, 4, 12, …
//
// Since 3.3 the text is packed by a variant of LZSS (Cython/Utility/StringTools.c:__pyx_lzss_decompress) if that makes
// it smaller: a byte of eight flags, then for each a byte as it is, or two or three bytes that point back. Neither the
// place of the text, nor that of the lengths stands anywhere but in code, so both are found by what they have to be:
// every module has the names __main__ and __name__, the text has them, and the lengths put them where they are.
//
// 3.2 has it packed by zlib (numpy 2.4), for the zlib module of Python, with a header and a sum of its own. Without
// zlib in this build such a table is not read.
//
// Not here: bz2 and zstd, which only a macro of the build turns on (CYTHON_COMPRESS_STRINGS).
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace soresolve::python {

/// The strings of the table, in its order, as far as they are texts. `constants`: the bytes of .rodata, from a multiple
/// of 16 on. Empty: it has no such table. Bounded: kMaxCythonBytes of text, and steps in proportion to the constants.
std::vector<std::string> cython_strings(std::string_view constants);

/// As __pyx_lzss_decompress, from the start of `packed`, up to the first byte that is in no UTF-8 text or points to
/// before the start. `steps` is what it may do, in bytes, and is counted down.
std::string unpacked_lzss(std::string_view packed, std::size_t& steps);

/// The text that zlib has packed from the start of `packed` on, if all of it is there and its sum is right; else, and
/// in a build without zlib, nothing. `steps` is counted down by each byte that it reads or writes.
std::string unpacked_zlib(std::string_view packed, std::size_t& steps);

inline constexpr std::size_t kMaxCythonBytes = 1u << 20;
inline constexpr std::size_t kMaxCythonRatio = 64;  ///< of what zlib makes to what it reads; texts have 2 to 5

}  // namespace soresolve::python
