// Which process has printed a loader's message, where the file that it names works by itself?
//
// The loader names the file that lacks something, not the process: what that has loaded before decides, and its
// environment. Both leave signs. A path with "/bin/../lib64/" in it was made of an $ORIGIN, so a file in that bin has
// asked for it; a module of the active environment that needs the file is imported; the programs of the file's own
// prefix open it. And a path that the program would not take from here was put before its own by LD_LIBRARY_PATH.
// A process is only named where it fails here as the message says.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "soresolve/answer.h"

namespace soresolve::tool {

/// What the loader's message says.
struct LoadersMessage {
  std::string file;      ///< that lacks something
  std::string provider;  ///< the path of the library that should have it; empty: the message has none
  std::string program;   ///< that was started; empty: the message has none
  std::string word;      ///< the symbol or version that is missing; empty: `problem` says what is wrong
  std::optional<ProblemCode> problem = {};
};

/// Does the answer fail of the same?
bool fails_alike(const Answer& answer, const LoadersMessage& message);

/// A question, and what a command line asks it with.
struct ProcessQuestion {
  std::string file;  ///< or module
  ProcessSettings process;
  CommandText words;  ///< behind "soresolve why "
};

/// A process that fails as the message says, of those that its paths and the files around lead to; nullopt: there is
/// none.
std::optional<ProcessQuestion> find_failed_process(WorldHere& world, const WorldOptions& options,
                                                   const LoadersMessage& message);

/// A program that takes another file from here than the message names, and fails of that one.
struct OtherLibraryPath {
  std::string program;
  std::string there;      ///< the file of the message
  std::string here;       ///< what the program takes from here
  std::string directory;  ///< which LD_LIBRARY_PATH had
  std::string script;     ///< beside the program, that sets it; empty: none is found
};
std::optional<OtherLibraryPath> find_other_path(WorldHere& world, const WorldOptions& options,
                                                const LoadersMessage& message);

/// The folder of Python's packages that a path lies in: "numpy.libs"'s is numpy; empty: in none.
std::string package_in_environment(std::string_view path);

/// The options, with LD_LIBRARY_PATH of that directory alone.
WorldOptions with_library_path(const WorldOptions& options, const std::string& directory);

}  // namespace soresolve::tool
