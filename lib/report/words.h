// Wording that the reports on versions share.
#pragma once
#include <string>
#include <string_view>

#include "report/paint.h"
#include "soresolve/symbols.h"

namespace soresolve {

/// "PATH (SONAME NAME)".
inline Text title_of(const VersionedLibrary& library) {
  return Text::escaped(library.path) +
         (library.soname.empty() ? " (no SONAME)" : " (SONAME " + Text::escaped(library.soname) + ")");
}

/// How many entries of a long list are shown unless everything is asked for.
inline constexpr std::size_t kListShown = 12;

}  // namespace soresolve
