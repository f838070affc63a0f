// Every sentence that reports say, in each language, with named places for its arguments.
//
// In a template `{name}` is the value of that argument, and `{name|one|many}` is `one` where the number is 1, else
// `many`. Both languages have the same places. The table is split by who says it; a name stands in it once.
#pragma once
#include <algorithm>
#include <array>
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

/// Rows in the order in which they are read, and their places in the order of their names: sorted by the compiler, so
/// that the start of the command costs nothing for it.
struct SentenceTable {
  std::span<const Sentence> rows;
  std::span<const std::uint16_t> by_name;
};
template <std::size_t N>
consteval std::array<std::uint16_t, N> places_by_name(const Sentence (&rows)[N]) {
  std::array<std::uint16_t, N> places{};
  for (std::uint16_t i = 0; i < N; ++i) places[i] = i;
  std::sort(places.begin(), places.end(),
            [&rows](std::uint16_t a, std::uint16_t b) { return rows[a].name < rows[b].name; });
  return places;
}

/// Of the report of `why`, around the problems (problems.h).
SentenceTable why_sentences();
/// Of candidates and fixes.
SentenceTable remedy_sentences();
/// Of the report of `check`.
SentenceTable check_sentences();
/// Of the checks of `doctor`.
SentenceTable doctor_sentences();
/// Of the frame of `explain`.
SentenceTable explain_sentences();
/// Of the metadata that `inspect` shows.
SentenceTable inspect_sentences();
/// Names of states, such as "no such file".
SentenceTable term_sentences();

/// nullptr when there is none of that name.
const Sentence* find_sentence(std::string_view name);

}  // namespace soresolve
