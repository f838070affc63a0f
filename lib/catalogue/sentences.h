// Every sentence that reports say, in each language, with named places for its arguments: the tables `sentences` of the
// TOML files beside this one.
#pragma once
#include <string_view>

#include "catalogue/tables.h"

namespace soresolve {

/// nullptr when there is none of that name.
const Sentence* find_sentence(std::string_view name);

}  // namespace soresolve
