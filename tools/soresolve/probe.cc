// The probe watches over the processes that load libraries; this watches over the probe, which those libraries, running
// as the same user, may stop or kill.
#include "probe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "child_process/child_process.h"
#include "helper_program.h"

namespace soresolve::tool {
namespace {

constexpr std::size_t kMaxAnswer = 64 << 20;
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();  ///< its children have theirs

Unexpected<Error> failure(const std::string& path, const std::string& message) {
  return Unexpected{Error{ErrorCode::Unreadable, path, {}, message}};
}

/// Where a GPU would show.
constexpr const char* kDeviceNodes[] = {"/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-ctrl-gpu", "/dev/nvmap"};

}  // namespace

bool has_gpu_driver() {
  for (const char* path : kDeviceNodes) {
    const int node = ::open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (node >= 0) ::close(node);
    const bool is_nothing = node < 0 && (errno == ENOENT || errno == ENXIO || errno == ENODEV);
    if (!is_nothing) return true;
  }
  return false;
}

Result<std::string> find_probe() {
  return find_helper({"soresolve-confirm", "confirm", "where the headers of CUDA are"});
}

Result<ProbeAnswer> run_probe(const std::string& path, const std::string& plan, double patience_s) {
  child::Orphans orphans;  // what libraries have started, if the probe cannot end it any more
  child::ChildSpec spec;
  spec.program = path;
  spec.arguments = {"soresolve-confirm"};
  spec.environment = child::environment_here();
  spec.input = plan;
  spec.report = child::ReportChannel::StandardOutput;
  spec.has_own_errors = false;
  spec.max_line_bytes = spec.max_report_bytes = kMaxAnswer;
  spec.max_report_lines = kMaxAnswer;
  spec.timeout_s = patience_s;
  spec.memory_mib = kNoLimit;
  spec.resumes = true;  // the libraries that it loads can stop it
  spec.start = {};      // of the terminal's group; it ends what its libraries have started, even where we are killed
  ProbeAnswer answer;
  const child::ChildEnd end =
      child::run_child(spec, [&](std::string_view line) { answer.text.append(line).push_back('\n'); });
  switch (end.kind) {
    case child::ChildEndKind::NotStarted:
      return failure(path, "cannot be started: " + std::string(std::strerror(end.code)));
    case child::ChildEndKind::TimedOut:
    case child::ChildEndKind::OutOfMemory:
      return failure(path, "hung: it was ended, all its processes having had their time (--timeout)");
    case child::ChildEndKind::Signalled: return failure(path, "was killed by signal " + std::to_string(end.code));
    case child::ChildEndKind::Exited: answer.exit_status = end.code;
  }
  return answer;
}

}  // namespace soresolve::tool
