// Runs a command as if nobody stood between it and whoever started it, and keeps the end of its standard error.
//
// The command stays in this process group and session: the terminal's own signals (^C, ^Z, a new size) reach it as they
// would, and it may read from the terminal. Signals that are sent to this process alone are passed on. Only standard
// error goes through here, by a pipe, or by a terminal of its own where it was one; standard input and output are the
// command's own. What differs: its process id and its parent, and where both outputs go to one place, their order there
// can change.
// Sources: signal(7), pty(7), credentials(7), "Implementing a Shell" in glibc's manual for stops.
#pragma once
#include <functional>
#include <string>

namespace soresolve::tool {

struct CommandEnd {
  int status = 0;      ///< as waitpid(2) reports it
  std::string errors;  ///< the last of its standard error, at most 256 KiB
};

/// `command` is a list of pointers that ends with nullptr, its first word the program, searched for in PATH. One that
/// cannot be started ends with status 127 or 126 and a message on standard error, as in a shell. Where standard error
/// is closed there is nothing to keep and nowhere to answer: the command then takes the place of this process. What the
/// command leaves running keeps a standard error that works, and is not waited for.
CommandEnd run_unchanged(char* const* command);

/// Runs `work` in a process of its own, for at most `seconds`: nothing that happens to it changes how this one ends.
void run_apart(unsigned seconds, const std::function<void()>& work);

/// Ends this process as the command ended: with its exit status, or of its signal.
[[noreturn]] void end_like(int status);

}  // namespace soresolve::tool
