// The metadata of one file, as text and as JSON.
#pragma once
#include <string>

#include "soresolve/report.h"
#include "witness/testimony.h"

namespace soresolve::tool {

/// The witness has read the file: testimony has no refusal. First line: what the file is.
Text inspect_text(const witness::Testimony& testimony, Colour colour, Detail detail);
std::string inspect_json(const witness::Testimony& testimony);

}  // namespace soresolve::tool
