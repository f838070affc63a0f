// Every sentence that reports say, in each language, with named places for its arguments.
//
// In a template `{name}` is the value of that argument, and `{name|one|many}` is `one` where the number is 1, else
// `many`. Both languages have the same places. The table is split by who says it; a name stands in it once.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "soresolve/catalogue.h"

namespace soresolve {

struct Sentence {
  std::string_view name;
  Phrase text;
};

/// FNV-1a.
constexpr std::uint32_t hash_of_name(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

/// Rows in the order in which they are read, and a hash table of their names that the compiler fills, so that the start
/// of the command costs nothing for it. A slot has the number of its row, from 1; 0: none. A row is in the first slot
/// from its hash on that was free; there are twice as many slots as rows, and their number is a power of two.
struct SentenceTable {
  std::span<const Sentence> rows;
  std::span<const std::uint16_t> slots;
};
template <std::size_t N>
consteval auto places_by_name(const Sentence (&rows)[N]) {
  std::array<std::uint16_t, std::bit_ceil(2 * N)> slots{};
  for (std::size_t row = 0; row < N; ++row) {
    std::size_t at = hash_of_name(rows[row].name);
    while (slots[at % slots.size()] != 0) ++at;
    slots[at % slots.size()] = static_cast<std::uint16_t>(row + 1);
  }
  return slots;
}

/// Of the report of `why`, around the problems (problems.h).
SentenceTable why_sentences();
/// Of the process that a file is judged in.
SentenceTable process_sentences();
/// Of a driver that a host brings in.
SentenceTable driver_sentences();
/// Of candidates and fixes.
SentenceTable remedy_sentences();
/// Of the report of `check`.
SentenceTable check_sentences();
/// Of an import of Python.
SentenceTable import_sentences();
/// Of the checks of `doctor`.
SentenceTable doctor_sentences();
/// Of the frame of `explain`.
SentenceTable explain_sentences();
/// Of `confirm` and its probe.
SentenceTable confirm_sentences();
/// Of the metadata that `inspect` shows.
SentenceTable inspect_sentences();
/// Of the reports of `tree` and `bindings`.
SentenceTable bindings_sentences();
/// Of the report of `gpu`, and of the proofs of releases and stubs.
SentenceTable gpu_sentences();
/// Of the report of `symvers`.
SentenceTable symvers_sentences();
/// Of the report of `scan`.
SentenceTable scan_sentences();
SentenceTable bundle_sentences();
/// Of the report of `who`.
SentenceTable layers_sentences();
SentenceTable who_sentences();
/// Of the report of `diff`.
SentenceTable diff_sentences();
/// Names of states, such as "no such file".
SentenceTable term_sentences();

/// nullptr when there is none of that name.
const Sentence* find_sentence(std::string_view name);

}  // namespace soresolve
