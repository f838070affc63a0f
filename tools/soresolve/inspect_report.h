// The metadata of one file, as a page and as JSON.
#pragma once
#include <string>

#include "soresolve/document.h"
#include "witness/lief_facts.h"

namespace soresolve::tool {

/// The witness has read the file: its facts have no refusal. First line: what the file is. Borrows the
/// facts.
Document inspect_document(const witness::LiefFacts& lief_facts, Detail detail);
std::string inspect_json(const witness::LiefFacts& lief_facts);

}  // namespace soresolve::tool
