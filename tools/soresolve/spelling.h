// "Did you mean": the word that somebody may have had in mind.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace soresolve::tool {

/// The one of `words` that is fewest edits away (a letter more, less, other, or two swapped; a word
/// that begins with `typed` is close, too); empty when none is near: a third of the letters may
/// differ.
std::string closest(std::string_view typed, std::span<const std::string> words);

/// "; did you mean WORD?" or nothing.
std::string did_you_mean(std::string_view typed, std::span<const std::string> words);

}  // namespace soresolve::tool
