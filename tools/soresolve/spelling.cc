// Suggests the nearest known word by optimal string alignment distance (Damerau-Levenshtein without repeated edits of
// one part). Words over 64 letters and distances above a third of the length get no suggestion.
#include "spelling.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace soresolve::tool {
namespace {

constexpr std::size_t kMaxLetters = 64;  ///< longer words are no typing errors

/// Optimal string alignment distance.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, last[j] + 1, row[j - 1] + 1});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string closest(std::string_view typed, std::span<const std::string> words) {
  if (typed.size() < 2 || typed.size() > kMaxLetters) return {};
  std::string best;
  std::size_t fewest = std::max<std::size_t>(typed.size() / 3, 1) + 1;
  for (const std::string& word : words) {
    const std::size_t edits = word.starts_with(typed) ? 1 : edits_between(typed, word);
    if (edits >= fewest) continue;
    fewest = edits;
    best = word;
  }
  return best;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> words) {
  const std::string word = closest(typed, words);
  return word.empty() ? std::string() : "; did you mean " + word + "?";
}

}  // namespace soresolve::tool
