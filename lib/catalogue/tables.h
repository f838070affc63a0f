// The tables that lib/make_tables.py makes of the TOML files of this folder: what is said, in each language, and which
// texts of others are known.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "soresolve/catalogue.h"

namespace soresolve {

/// In a template `{name}` is the value of that argument, and `{name|one|many}` is `one` where the number is 1, else
/// `many`. Both languages have the same places.
struct Sentence {
  std::string_view name;
  Phrase text;
};

/// Rows, and a hash table of their names: FNV-1a, open addressing, a power of two of slots. A slot has the number of
/// its row, from 1; 0: none.
struct SentenceTable {
  std::span<const Sentence> rows;
  std::span<const std::uint16_t> slots;
};
SentenceTable sentence_table();

/// A text of glibc's loader as dlerror(3) gives it in another locale.
struct Translation {
  std::string_view english;
  std::string_view text;
};
/// A language each.
std::span<const std::span<const Translation>> translation_tables();

}  // namespace soresolve
