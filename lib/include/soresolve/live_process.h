// A running process, as far as /proc shows it to this user. Nothing is attached to or stopped.
//
// Source: proc(5); the list of objects is the loader's own (elf/link.h: struct r_debug), read from the
// process's memory where that is allowed, else put together from its mappings.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/file_system.h"
#include "soresolve/process.h"
#include "soresolve/result.h"

namespace soresolve SORESOLVE_API {

/// A file that the process has mapped and that its loader knows.
struct LiveObject {
  std::string path;         ///< as inside the process's root, absolute
  bool is_deleted = false;  ///< the path has been removed or replaced since
};

struct LiveProcess {
  std::string exe;               ///< path inside the process's root
  bool exe_is_deleted = false;
  std::string root;              ///< directory to analyse as its root; empty: this process's own
  Environment environment;       ///< as it was started with: what its loader has seen
  std::string cwd;
  bool secure = false;           ///< AT_SECURE
  std::vector<LiveObject> objects;  ///< without the program, ld.so comes where its list has it
  /// In the order in which they were loaded? Without the loader's list: by address, which tends to it.
  bool is_in_load_order = false;
};

/// Reads /proc/PID. Errors: NotFound (no such process, or it has ended, or /proc is not mounted),
/// Unreadable (another user's), Unsupported (a kernel thread). `proc`: where proc(5) is mounted.
Result<LiveProcess> read_live_process(int pid, const std::string& proc = "/proc");

}  // namespace soresolve
