// What the witness gives up before it looks at a stranger's file.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace soresolve::witness {

struct Limits {
  std::uint64_t memory_mib = 4096;  ///< address space
  unsigned cpu_s = 60;              ///< time on the processor; then the kernel ends the process
};

/// From here on this process has so much memory and time, writes no core file, and calls nothing of the
/// kernel but what reading open files, computing and answering takes: no open, exec, socket, fork, and no
/// memory that is executable. A call beyond ends it with SIGSYS; opening a file fails. Returns why that
/// could not be had.
std::optional<std::string> confine(const Limits& limits);

}  // namespace soresolve::witness
