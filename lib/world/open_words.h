// How a dlopen call is written in words.
#pragma once
#include <string_view>

#include "soresolve/link_map.h"
#include "soresolve/result.h"

namespace soresolve {

/// Words for how dlopen is called, separated by commas: local, global, deepbind, now, lazy, noload,
/// nodelete, dlmopen. Errors: Usage, for other words and for what contradicts itself.
Result<OpenMode> parse_open_mode(std::string_view words);
/// A dlopen call before the one that is asked about: "FILE" or "WORDS:FILE", where the words are those of
/// parse_open_mode and "caller=FILE". Errors: Usage.
Result<OpenRequest> parse_loaded(std::string_view text);

}  // namespace soresolve
