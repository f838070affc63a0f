// What each code of a finding means, in words.
#pragma once
#include <span>
#include <string_view>

#include "soresolve/api.h"
#include "soresolve/finding.h"
#include "soresolve/language.h"

namespace soresolve SORESOLVE_API {

struct FindingWords {
  FindingKind kind = FindingKind::Note;
  Phrase meaning;  ///< one line
  Phrase about;    ///< a paragraph: when it happens, why it matters, what to do
};

/// Of each kind, in the order in which they are listed.
std::span<const FindingWords> all_finding_words();

/// By code_of(kind); nullptr when there is no such code.
const FindingWords* find_finding_words(std::string_view code);

}  // namespace SORESOLVE_API
