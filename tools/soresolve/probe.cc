// The probe watches over the processes that load libraries; this watches over the probe, which those libraries, running
// as the same user, may stop or kill.
#include "probe.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "child_process/child_process.h"
#include "helper_program.h"

extern char** environ;

namespace soresolve::tool {
namespace {

constexpr std::size_t kMaxAnswer = 64 << 20;

Unexpected<Error> failure(const std::string& path, const std::string& message) {
  return Unexpected{Error{ErrorCode::Unreadable, path, {}, message}};
}

/// A file in memory, at its beginning; -1 if there can be none.
int file_of(const std::string& text) {
  const int file = ::memfd_create("plan", MFD_CLOEXEC);
  if (file < 0) return -1;
  if (::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()) || ::lseek(file, 0, SEEK_SET) != 0) {
    ::close(file);
    return -1;
  }
  return file;
}

/// Waits for the probe, which the libraries that it loads can stop or keep from ending.
class Wait {
 public:
  Wait(pid_t pid, int output, std::chrono::duration<double> patience)
      : pid_(pid), output_(output), patience_(patience) {}

  /// Its exit status as of waitpid(2), and its output in text(); nullopt: it was ended, having taken too long.
  std::optional<int> run() {
    int status = 0;
    while (true) {
      const pid_t changed = ::waitpid(pid_, &status, WNOHANG | WUNTRACED);
      // A person's own suspension (SIGTSTP) is no business of ours; nobody else has a reason to stop it.
      if (changed == pid_ && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP) ::kill(pid_, SIGCONT);
      if (changed == pid_ && !WIFSTOPPED(status)) break;
      if (waited_ > patience_) return end();
      wait_for_news();
    }
    read();
    return status;
  }
  [[nodiscard]] std::string& text() { return text_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kStep{50};

  /// Time that this process itself was stopped for does not count.
  void wait_for_news() {
    const Clock::time_point start = Clock::now();
    pollfd watched{output_, POLLIN, 0};
    ::poll(&watched, is_open_ ? 1 : 0, static_cast<int>(kStep.count()));
    if (is_open_ && watched.revents != 0) is_open_ = read();
    waited_ += std::min<std::chrono::duration<double>>(Clock::now() - start, 4 * kStep);
  }

  /// What is there; false at the end.
  bool read() {
    std::array<char, 65536> buffer;
    for (;;) {
      const ssize_t count = ::read(output_, buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return errno == EAGAIN;
      if (count == 0) return false;
      if (text_.size() < kMaxAnswer) text_.append(buffer.data(), static_cast<std::size_t>(count));
    }
  }

  std::nullopt_t end() {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    return std::nullopt;
  }

  pid_t pid_;
  int output_;
  std::chrono::duration<double> patience_;
  std::chrono::duration<double> waited_{0};
  bool is_open_ = true;
  std::string text_;
};

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
  const int input = file_of(plan);
  int output[2] = {-1, -1};
  if (input < 0 || ::pipe2(output, O_CLOEXEC) != 0) {
    if (input >= 0) ::close(input);
    return failure(path, std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  std::string name = "soresolve-confirm";
  std::array<char*, 2> arguments{name.data(), nullptr};
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, path.c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(input);
  ::close(output[1]);
  if (error != 0) {
    ::close(output[0]);
    return failure(path, "cannot be started: " + std::string(std::strerror(error)));
  }
  ::fcntl(output[0], F_SETFL, O_NONBLOCK);
  Wait wait(pid, output[0], std::chrono::duration<double>(patience_s));
  const std::optional<int> status = wait.run();
  ::close(output[0]);
  if (!status) return failure(path, "hung: it was ended, all its processes having had their time (--timeout)");
  if (!WIFEXITED(*status)) return failure(path, "was killed by signal " + std::to_string(WTERMSIG(*status)));
  return ProbeAnswer{std::move(wait.text()), WEXITSTATUS(*status)};
}

}  // namespace soresolve::tool
