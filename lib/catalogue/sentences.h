// Every sentence that reports say, in each language, with named places for its arguments.
//
// In a template `{name}` is the value of that argument, and `{name|one|many}` is `one` where the number is 1, else
// `many`. Both languages have the same places. The table is split by who says it; a name stands in it once.
#pragma once
#include <span>
#include <string_view>

#include "soresolve/catalogue.h"

namespace soresolve {

struct Sentence {
  std::string_view name;
  Phrase text;
};

/// Of problems: what is wrong, and the evidence for it.
std::span<const Sentence> problem_sentences();
/// Of CUDA's rules.
std::span<const Sentence> cuda_sentences();

/// Of the report of `why`, around the problems.
std::span<const Sentence> why_sentences();
/// Of candidates and fixes.
std::span<const Sentence> remedy_sentences();
/// Of the report of `check`.
std::span<const Sentence> check_sentences();
/// Of the checks of `doctor`.
std::span<const Sentence> doctor_sentences();
/// Names of states, such as "no such file".
std::span<const Sentence> term_sentences();

/// nullptr when there is none of that name.
const Sentence* find_sentence(std::string_view name);

}  // namespace soresolve
