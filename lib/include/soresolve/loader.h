// Walks the dependencies of a file as ld.so does, without running anything.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "soresolve/limits.h"
#include "soresolve/link_map.h"
#include "soresolve/process.h"
#include "soresolve/result.h"
#include "soresolve/system.h"

namespace soresolve {

/// Receives trace lines at debug level; the library formats nothing unless one is set.
class TraceLog {
 public:
  virtual ~TraceLog() = default;
  virtual void line(std::string_view text) = 0;
};

/// Keep the attempts of every request, or only the result. Without them a walk allocates nothing
/// per attempt.
enum class Attempts : std::uint8_t { Forget, Record };

/// Once a candidate has ended the start-up: stop there as the loader does, or put a placeholder in
/// its place and go on, to find everything that is wrong.
enum class OnFatal : std::uint8_t { Stop, GoOn };

struct LoadOptions {
  Attempts attempts = Attempts::Forget;
  OnFatal on_fatal = OnFatal::Stop;
  TraceLog* log = nullptr;  ///< borrowed for the duration of the call
};

/// Does what the loader of `system` does for `file` in `process`, in trace mode: a library that is
/// not found leaves a placeholder and a LoadFailure, so that all of them are seen. The walk up to
/// the first failure is that of a normal start-up.
///
/// `file`: the program or library as the user names it (Start::Kernel, Start::Argument), or a
/// library name to open from a program without tags (Start::Dlopen).
/// Errors: `file` itself cannot be read, or a limit is hit. What is wrong with its dependencies is
/// part of the answer.
Result<LinkMap> load(const System& system, const Process& process, std::string_view file,
                     const LoadOptions& options = {});

/// What the search for `name` would come to if `needer` asked for it now and nothing that is loaded
/// counted: fresh directories, no match by name or inode. Tells an edge that stands on its own from
/// one that needs the load order. Does not descend into dependencies.
struct LoneSearch {
  Outcome outcome = Outcome::NoSuchFile;
  std::string path;       ///< of the file found; empty otherwise
  SearchTrace trace;
};
/// With `past_first`, goes on after the first hit as if it were not there, so that the trace shows
/// every further file of that name in reach.
enum class PastFirst : std::uint8_t { Stop, GoOn };
LoneSearch search_alone(const System& system, const Process& process, const LinkMap& map,
                        ObjectIndex needer, std::string_view name, PastFirst past_first);

}  // namespace soresolve
