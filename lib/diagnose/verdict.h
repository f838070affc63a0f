// What the verdict is made of, for those who also say why.
#pragma once
#include "soresolve/diagnose.h"

namespace soresolve {

/// Does the process that loads this library count, of which nothing is known?
bool has_unknown_process(const LinkMap& map);

/// Is it the first undefined symbol that ends the start?
bool ends_in_symbol(const Check& check);

/// What there is instead of a missing C++ symbol.
Statement near_miss_words(const NearSymbol& near);

/// "cudaMalloc", "cudaMalloc and 3 further symbols": the first of `count`.
Statement symbols_in_short(const std::string& first, std::size_t count);

/// "depends on its process: what loads it has to define PyDict_New and 65 further symbols".
Statement left_to_process(const Check& check);

}  // namespace soresolve
