// Words for a shell.
#pragma once
#include <string>
#include <string_view>

namespace soresolve {

/// `word` so that sh(1) takes it as one word that means itself.
std::string shell_quoted(std::string_view word);

}  // namespace soresolve
