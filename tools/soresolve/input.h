// "-": standard input in the place of a file, which has a name and can be read from any offset like every other one.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "options.h"
#include "subcommand.h"

namespace soresolve::tool {

/// "/dev/stdin", which is a regular file from now on: what comes through a pipe is read to its end first. Errors:
/// Unreadable; LimitReached for what is too large and for a disk without room.
Result<std::string> path_of_input();

/// What --root - names: a snapshot, which is read as it comes, or the path of anything else, as path_of_input() has it.
struct PlaceOnInput {
  std::unique_ptr<File> snapshot;  ///< nullptr: it is something else
  std::string path;
};
Result<PlaceOnInput> open_input();

/// Each "-" among these files becomes that path. An exit status where it cannot: it is in no root but this machine's.
std::optional<Exit> name_input(const Subcommand& asked, const WorldOptions& options, std::vector<std::string>& files);

/// Of an option that names a file of the user's own: the word, and for "-" that path.
TakeOnce own_file(std::string& target);

}  // namespace soresolve::tool
