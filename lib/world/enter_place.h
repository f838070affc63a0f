// A root that is a snapshot, and what is recorded of a machine and a process.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "place/snapshot.h"
#include "soresolve/result.h"
#include "soresolve/world.h"

namespace soresolve {

/// How a World opens `root`: `place_options`, with who asks and for which Python.
PlaceOptions place_options_of(const WorldSettings& settings);

/// Where `root` is the file of a snapshot: its files, and what it says of the machine, in the place of those of the
/// host; `root` becomes the one that the snapshot was made of. Nothing happens where `root` is a
/// directory, or `files` are set. Errors: those of read_snapshot().
std::optional<Error> enter_place(WorldSettings& settings);

/// The same of a snapshot that is open, as one that comes through a pipe. `name`: of the file, for errors.
std::optional<Error> enter_snapshot(WorldSettings& settings, std::unique_ptr<File> file, const std::string& name);

/// Does it come into a recorded environment: what the loader, Python and CUDA read, and nothing that may be secret?
bool is_recorded_variable(std::string_view entry);

/// What counts about this machine and process, to be recorded with `settings` (root, cwd, user as they are read).
MachineFacts machine_facts(const WorldSettings& settings);

}  // namespace soresolve
