// Versions of wheels, and whether one is what a requirement asks for.
//
// Source: PyPA "Version specifiers" (PEP 440). Pre-releases count as any other version, as `pip check` has it. Not
// here: "===", which compares texts of whoever made them.
#pragma once
#include <optional>
#include <string_view>

namespace soresolve {

/// Does the version meet one clause of a requirement: ">=1.2", "==10.*", "~=1.4.2"? nullopt: one of both is not of the
/// form of PEP 440, or the sign is none of those that are compared.
std::optional<bool> meets_clause(std::string_view version, std::string_view clause);

}  // namespace soresolve
