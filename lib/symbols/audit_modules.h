// What the loader prints about audit modules that it cannot use, before it loads anything else.
#pragma once
#include <string>
#include <vector>

#include "soresolve/link_map.h"

namespace soresolve {

/// "ERROR: ld.so: object 'NAME' cannot be loaded as audit interface: WHY; ignored.", in the loader's order: LD_AUDIT,
/// DT_AUDIT, DT_DEPAUDIT. Empty for a process with AT_SECURE, which may use fewer files, and for musl.
std::vector<std::string> audit_warnings(const LinkMap& map);

}  // namespace soresolve
