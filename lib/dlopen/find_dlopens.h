// Finds what a process opens later, and how each of it ends.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "soresolve/dlopens.h"
#include "soresolve/link_map.h"
#include "soresolve/result.h"
#include "soresolve/symbols.h"

namespace soresolve {

/// Has an import of Python been made, so that what packages open while they are imported is opened already?
enum class AfterImport : std::uint8_t { No, Yes };

/// Looks through the file that is asked about, what it needs, and what they open in turn. A library is searched as
/// dlopen does it for its opener, then its own needs as in a process of its own; what the map has loaded counts for
/// both. Bounded: nothing that is opened in the third degree, no more than kMaxDlopens in all.
Dlopens find_dlopens(const LinkMap& map, DlopenLevel level, AfterImport after = AfterImport::No);

/// Looks at versions and symbols of all that `dlopens` has found: opens it, one after the other, in the
/// process of `map`, and fills in how each fails.
/// Nothing is looked at where that process itself does not come so far. An error says why symbols could
/// not be read. `bound`: what bind_symbols() made of the map, if that is known: it is not read again.
std::optional<Error> check_dlopens(const LinkMap& map, Dlopens& dlopens, const Bindings* bound = nullptr);

/// The first library without which what opens it cannot work, and that will not be opened; nullptr if
/// there is none. Names among constants count for nothing here.
const Dlopen* first_missing_dlopen(const Dlopens& dlopens);

inline constexpr std::size_t kMaxDlopens = 512;

/// Functions of glibc that unwind the stack with libgcc_s.so.1, which they open, and end the process where they cannot:
/// "libgcc_s.so.1 must be installed for pthread_exit to work". Source: nptl/pthread_exit.c, nptl/pthread_cancel.c; up
/// to 2.33 sysdeps/nptl/unwind-forcedunwind.c. backtrace(3) opens it, too, and gives no frames without it.
inline constexpr std::array<std::string_view, 3> kUnwindingFunctions = {"pthread_cancel", "pthread_exit", "thrd_exit"};

}  // namespace soresolve
