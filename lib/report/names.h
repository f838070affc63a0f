// Names and words that several pages write alike: of objects, of search steps, of the attempts of one search.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "loader/process.h"
#include "soresolve/document.h"
#include "soresolve/link_map.h"
#include "soresolve/statement.h"

namespace soresolve {

/// The object's path, or the program's name.
Statement name_of_object(const LinkMap& map, ObjectIndex object);

/// How an object was found: "RUNPATH of _C.so", "LD_LIBRARY_PATH", "ld.so.cache".
Statement step_words(const LinkMap& map, SearchStep step, ObjectIndex owner);

/// Lines of the loader's own, each as it is.
void add_loaders_lines(Page& page, std::string_view text);

/// Bytes for people: "1.2 MiB".
std::string size_text(std::uint64_t bytes);

/// How many entries of a long list are shown unless everything is asked for.
inline constexpr std::size_t kListShown = 12;

/// What came of it, and what the loader does then.
Statement outcome_words(const Attempt& attempt);

/// Of attempts that are about no path, such as a cache without an entry; empty for all others.
Statement words_without_path(const LinkMap& map, const NeedRef& request, const Attempt& attempt);

/// Why a stage made no attempt.
Statement why_no_attempt(const LinkMap& map, const NeedRef& request, SearchStep step);

}  // namespace soresolve
