// What a walk does, as lines of a log: attempts of a search, requests, dlopen calls. Cold, so that nothing of them is
// inlined into the walk.
#pragma once
#include <string_view>

#include "soresolve/link_map.h"
#include "soresolve/log.h"

namespace soresolve {

/// A line of LogLevel::Trace for each attempt that was made for `name`. `log` may be null.
[[gnu::cold]] void log_attempts(Log* log, std::string_view name, const SearchTrace& trace);
/// A line of LogLevel::Debug: where the name was found, or why it was not. Likewise.
[[gnu::cold]] void log_found(Log* log, std::string_view name, std::string_view needer, std::string_view found);
/// A line of LogLevel::Trace on what a request came to. Likewise.
[[gnu::cold]] void log_request(Log* log, std::string_view name, std::string_view needer, HowFound how);
/// A line of LogLevel::Trace on a dlopen call that is made now. Likewise.
[[gnu::cold]] void log_dlopen_call(Log* log, const OpenRequest& dlopen_call);

}  // namespace soresolve
