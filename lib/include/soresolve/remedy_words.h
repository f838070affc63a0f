// What each kind of remedy does, in words.
#pragma once
#include "soresolve/finding.h"
#include "soresolve/language.h"

namespace soresolve {

/// One line, for all remedies of the kind: what is changed, and for whom.
Phrase meaning_of(RemedyKind kind);

}  // namespace soresolve
