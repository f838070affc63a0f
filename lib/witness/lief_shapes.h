// What differs between the releases of LIEF that can be had: 0.9.0, which Debian 12 has, and 0.14 and
// later. All else is used in the form that they share.
//
// Where the one returns a reference and throws, the others return a pointer that may be null; numbers
// have become scoped enumerations with the file's own value in them. Overloads, `requires` and the headers
// that there are tell the shapes apart: LIEF_VERSION is a string in all releases, which no #if can read.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <LIEF/version.h>
#include <LIEF/ELF.hpp>
#include <LIEF/MachO.hpp>
#include <LIEF/PE.hpp>

namespace soresolve::witness {

/// Of a member that is a reference (0.9) or a pointer (0.14).
template <class T>
const T* pointer_to(const T& object) {
  return &object;
}
template <class T>
const T* pointer_to(const T* object) {
  return object;
}

/// How the number of dynamic symbols is told. Left to itself LIEF 0.9 takes the relocations' number if the
/// others are 3000 higher or more (DELTA_NB_SYMBOLS), and loses half of a libgtk-3. The values are LIEF's.
enum class SymbolCount : int { BySections = 1, ByHashTable = 2 };

#if __has_include(<LIEF/ELF/ParserConfig.hpp>)
inline std::unique_ptr<LIEF::ELF::Binary> parse(const std::vector<std::uint8_t>& bytes, SymbolCount count) {
  LIEF::ELF::ParserConfig config;
  config.count_mtd = static_cast<decltype(config.count_mtd)>(count);
  return LIEF::ELF::Parser::parse(bytes, config);
}
#else
inline std::unique_ptr<LIEF::ELF::Binary> parse(const std::vector<std::uint8_t>& bytes, SymbolCount count) {
  return LIEF::ELF::Parser::parse(bytes, "", static_cast<LIEF::ELF::DYNSYM_COUNT_METHODS>(count));
}
#endif

/// NT_* as it stands in the file. Later releases have a number of their own in type().
template <class Note>
std::uint32_t note_type(const Note& note) {
  if constexpr (requires { note.original_type(); }) {
    return note.original_type();
  } else {
    return static_cast<std::uint32_t>(note.type());
  }
}

/// DT_* as it stands in the file. Later releases set high bits for tags that mean something on one
/// machine only; none of those is looked at here.
inline std::uint64_t dynamic_tag(const LIEF::ELF::DynamicEntry& entry) {
  return static_cast<std::uint64_t>(entry.tag());
}

/// "0.9.0": without the commit that stands behind it.
inline std::string lief_release() {
  const std::string version = LIEF_VERSION;
  return version.substr(0, version.find('-'));
}

}  // namespace soresolve::witness
