// Runs a program that may crash, abort, hang or eat memory, and tells how it ended.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace soresolve::confirm {

struct ChildSpec {
  std::string program;                   ///< absolute path
  std::vector<std::string> arguments;    ///< argv, its own name first
  std::vector<std::string> environment;  ///< complete
  std::string input;                     ///< what it has on standard input
  double timeout_s = 60;
  std::uint64_t memory_mib = 16384;      ///< resident; looked at every 20 ms
  /// libcuda makes device nodes in /dev where it may, even if no kernel module is behind them.
  bool may_make_nodes = true;
};

enum class ChildEndKind : std::uint8_t { Exited, Signalled, TimedOut, OutOfMemory, NotStarted };

struct ChildEnd {
  ChildEndKind kind = ChildEndKind::NotStarted;
  int code = 0;          ///< exit status, signal, or errno
  std::string said;      ///< the end of its standard output and error, at most 16 KiB
  double wall_ms = 0;
};

/// The file descriptor on which the child reports, line by line.
inline constexpr int kReportDescriptor = 3;
/// A longer line, and lines beyond so many bytes in all, are dropped.
inline constexpr std::size_t kMaxReportLine = 1 << 20;
inline constexpr std::size_t kMaxReport = 16 << 20;

/// Waits for the end; `on_line` gets each line of the report without its end. Whatever the child has
/// started in its process group ends with it, and so does the child when this process ends.
ChildEnd run_child(const ChildSpec& spec, const std::function<void(std::string_view)>& on_line);

/// "was killed by signal 11 (Segmentation fault)", "exited with status 3".
std::string describe(const ChildEnd& end, const ChildSpec& spec);

}  // namespace soresolve::confirm
