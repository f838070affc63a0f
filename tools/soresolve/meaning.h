// What somebody means whose FILE is none that a loader takes: `why numpy` is about an import, `check image.tar` about
// an image, `check libs/` about a tree, and `why "libx.so.1: cannot open shared object file"` about a message.
//
// The answer is given, and one line on standard error says to which command, so that it can be typed the next time.
// Only what is unambiguous is followed: a file of that name always comes first.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "subcommand.h"

namespace soresolve::tool {

/// Call before the files are looked at. `options` and `files` become what is meant; an exit status where another
/// subcommand has answered, or where nothing can be meant. `typed`: the words behind the subcommand's name.
std::optional<Exit> follow_meaning(const Subcommand& asked, WorldOptions& options, std::vector<std::string>& files,
                                   std::span<char* const> typed);

/// Answers by `other`, with `first` and those of the words typed behind `asked` that `other` has, too; `reason` says
/// why, and is told with the command.
Exit hand_on(const Subcommand& asked, const Subcommand& other, std::vector<std::string> first,
             std::span<char* const> typed, const Text& reason);

}  // namespace soresolve::tool
