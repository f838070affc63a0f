// What the JSON documents share: their heads, and how they are written down.
#pragma once
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "soresolve/dlopens.h"
#include "soresolve/finding.h"
#include "soresolve/link_map.h"
#include "soresolve/process.h"
#include "soresolve/system.h"

namespace soresolve {

using Json = nlohmann::ordered_json;

/// schema, command, file, world.
Json document_head(const char* command, const System& system, const Process& process,
                   std::string_view file);

/// null for kNoObject.
Json index_or_null(ObjectIndex index);

/// What is opened once the program runs, in that order: file, scope, caller, first new object.
Json openings_json(const LinkMap& map);

/// A list of what is opened later.
Json dlopens_json(const Dlopens& dlopens);

Json finding_json(const Finding& finding);

/// Names in ELF files need not be UTF-8; what is not is replaced, and what a terminal would obey is escaped.
std::string dump(const Json& json);

}  // namespace soresolve
