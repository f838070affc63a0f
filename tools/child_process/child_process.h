// Starts processes, and runs a program that may crash, abort, hang or eat memory until it has ended.
//
// Every process that soresolve starts is made by start(): the children of `confirm` that load libraries, the second
// reader, the supervisor of `confirm`, the command of `run`. They differ in the data of StartOptions and ChildSpec.
// Sources: prctl(2) for PR_SET_PDEATHSIG and PR_SET_CHILD_SUBREAPER, proc(5). Not here: a namespace or a cgroup, which
// not every user may make; whoever runs a stranger's code as himself is safe from mistakes, not from malice.
#pragma once
#include <sys/types.h>

#include "soresolve/statement.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace soresolve::child {

/// How a new process differs from this one before it begins its work.
struct StartOptions {
  std::vector<std::pair<int, int>> files;  ///< an open file here, its descriptor there; copied in this order
  bool has_own_group = false;              ///< what it has started can be killed as one
  bool ends_with_us = false;               ///< is killed when this process ends
  bool may_dump_core = true;
  /// libcuda makes device nodes in /dev where it may, even if no kernel module is behind them.
  bool may_make_nodes = true;
  bool has_blocked_signals = false;        ///< all of them, until its work sets a mask
  std::atomic<pid_t>* receiver = nullptr;  ///< gets its number before this process handles a signal; in it: 0
};

/// Runs `work` in a new process, which ends with status 0 where `work` returns. `work` has to be safe after fork(2).
/// The number of the process; -1: see errno.
pid_t start(const StartOptions& options, const std::function<void()>& work);

/// The variables that this process has now.
std::vector<std::string> environment_here();

/// Where the child reports, line by line. Descriptor 3 is a socket: nobody in the child can open its other end.
enum class ReportChannel : std::uint8_t { Descriptor3, StandardOutput };

struct ChildSpec {
  std::string program;                   ///< a path
  std::vector<std::string> arguments;    ///< argv, its own name first
  std::vector<std::string> environment;  ///< complete
  std::string input;                     ///< what it has on standard input
  int input_descriptor = -1;             ///< an open file that it has there instead; stays the caller's
  ReportChannel report = ReportChannel::Descriptor3;
  bool has_own_errors = true;            ///< kept for ChildEnd::said; else its standard error is that of this process
  std::size_t max_line_bytes = 1 << 20;  ///< a longer line of the report is dropped
  std::size_t max_report_bytes = 16 << 20;  ///< and so is what lies beyond
  std::size_t max_report_lines = 1 << 16;   ///< likewise
  double timeout_s = 60;                    ///< without the time for which this process was stopped
  std::uint64_t memory_mib = 16384;         ///< resident; looked at every 20 ms
  bool resumes = false;                     ///< SIGSTOP, which another process of the user can send, does not keep it
  StartOptions start = {.has_own_group = true, .ends_with_us = true, .may_dump_core = false};
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

/// Waits for the end; `on_line` gets each line of the report without its end. Whatever the child has started in its own
/// process group ends with it (what has left the group: see Orphans).
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
