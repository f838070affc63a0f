// Runs a program that may crash, abort, hang or eat memory, and tells how it ended.
//
// Sources: prctl(2) for PR_SET_PDEATHSIG and PR_SET_CHILD_SUBREAPER, proc(5). Not here: a namespace or a cgroup, which
// not every user may make; whoever runs a stranger's code as himself is safe from mistakes, not from malice.
#pragma once
#include <sys/types.h>

#include "soresolve/statement.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace soresolve::child {

/// Where the child reports, line by line. Descriptor 3 is a socket: nobody in the child can open its other end.
enum class ReportChannel : std::uint8_t { Descriptor3, StandardOutput };

struct ChildSpec {
  std::string program;                   ///< absolute path
  std::vector<std::string> arguments;    ///< argv, its own name first
  std::vector<std::string> environment;  ///< complete
  std::string input;                     ///< what it has on standard input
  int input_descriptor = -1;             ///< an open file that it has there instead; stays the caller's
  ReportChannel report = ReportChannel::Descriptor3;
  std::size_t max_line_bytes = 1 << 20;     ///< a longer line of the report is dropped
  std::size_t max_report_bytes = 16 << 20;  ///< and so is what lies beyond
  std::size_t max_report_lines = 1 << 16;   ///< likewise
  double timeout_s = 60;
  std::uint64_t memory_mib = 16384;  ///< resident; looked at every 20 ms
  /// libcuda makes device nodes in /dev where it may, even if no kernel module is behind them.
  bool may_make_nodes = true;
};

enum class ChildEndKind : std::uint8_t { Exited, Signalled, TimedOut, OutOfMemory, NotStarted };

struct ChildEnd {
  ChildEndKind kind = ChildEndKind::NotStarted;
  int code = 0;      ///< exit status, signal, or errno
  std::string said;  ///< the end of its other output, standard error included; at most 16 KiB
  double wall_ms = 0;
};

/// The file descriptor of ReportChannel::Descriptor3.
inline constexpr int kReportDescriptor = 3;

/// Waits for the end; `on_line` gets each line of the report without its end. Whatever the child has started in its
/// process group ends with it (what has left the group: see Orphans), and so does the child when this process ends.
ChildEnd run_child(const ChildSpec& spec, const std::function<void(std::string_view)>& on_line);

/// From here on, what children leave behind when they end comes to this process, whatever session or group it has gone
/// to. Not ended is what this process had as children before. Where /proc is not mounted nothing can be found.
class Orphans {
 public:
  Orphans();
  ~Orphans() { end(); }
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  /// Ends them all, and what they leave behind in turn. No child that somebody watches may be running.
  void end();

 private:
  std::vector<pid_t> kept_;
};

/// "was killed by signal 11 (Segmentation fault)", "exited with status 3".
Statement describe(const ChildEnd& end, const ChildSpec& spec);

/// The last line that it said, in the words of an appendix to describe(): "; the last that it printed: LINE", or
/// nothing.
Statement last_words(const ChildEnd& end);

}  // namespace soresolve::child
