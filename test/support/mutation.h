// Damage by chance, the same for the same seed.
#pragma once
#include <cstddef>
#include <string>

#include "support/random.h"

namespace soresolve::test {

/// Changes one to four things in `input`: a number becomes an odd one, a bit is turned, a part is copied over
/// another, the end is cut off or grows.
void mutate(std::string& input, Random& random);

/// Writes one number that parsers trip over at an aligned place in `first` … `last` (exclusive).
void overwrite_number(std::string& input, std::size_t first, std::size_t last, Random& random);

}  // namespace soresolve::test
