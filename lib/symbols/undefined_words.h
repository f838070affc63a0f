// What the loader says of a reference that nothing serves (glibc elf/dl-lookup.c:_dl_lookup_symbol_x).
//
// A version is named where one is required, with the name that it has: where the names have been cut off with
// the file's last page but the hashes are there still, that is an empty one.
#pragma once
#include <string>
#include <string_view>

#include "soresolve/symbols.h"

namespace soresolve {

/// For SymbolBinding::has_version and the like.
enum class Versioned : bool { No, Yes };

inline std::string undefined_words(std::string_view symbol, Versioned versioned, std::string_view version) {
  std::string words = "undefined symbol: " + std::string(symbol);
  if (versioned == Versioned::Yes) words.append(", version ").append(version);
  return words;
}
inline std::string undefined_words(const UndefinedSymbol& symbol) {
  return undefined_words(symbol.name, Versioned{symbol.has_version}, symbol.version);
}

}  // namespace soresolve
