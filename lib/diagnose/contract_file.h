// Requirements as a table of a TOML document: contracts and policies have one.
#pragma once
#include <string_view>
#include <vector>

#include "diagnose/toml_document.h"
#include "soresolve/diagnose.h"

namespace soresolve {

/// The table [require] of read_contract(), without what is around it. `path` for errors. Errors: Malformed.
Result<std::vector<Requirement>> read_requirements(const TomlTable& require, std::string_view path);

}  // namespace soresolve
