// Statements in words: what is to be said becomes text here, and nowhere else. The sentences are those of
// lib/catalogue/*_sentences.cc; a value stands in its place as it is.
#pragma once
#include <string>

#include "soresolve/api.h"
#include "soresolve/language.h"
#include "soresolve/statement.h"

namespace soresolve SORESOLVE_API {

/// In this language; empty for an empty statement. Values stand in it as they are: escape the whole for a terminal.
std::string sentence(const Statement& statement, Language language);

}  // namespace SORESOLVE_API
