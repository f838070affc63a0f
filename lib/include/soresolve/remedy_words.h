// What each kind of remedy does, in words.
#pragma once
#include "soresolve/api.h"
#include "soresolve/language.h"
#include "soresolve/problem.h"

namespace soresolve SORESOLVE_API {

/// One line, for all remedies of the kind: what is changed, and for whom.
Phrase meaning_of(RemedyKind kind);

}  // namespace SORESOLVE_API
