// The metadata of one file, as a page and as JSON.
#pragma once
#include <string>

#include "soresolve/document.h"
#include "witness/testimony.h"

namespace soresolve::tool {

/// The witness has read the file: testimony has no refusal. First line: what the file is. Borrows the testimony.
Document inspect_document(const witness::Testimony& testimony, Detail detail);
std::string inspect_json(const witness::Testimony& testimony);

}  // namespace soresolve::tool
