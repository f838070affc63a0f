// write(2) to the end or to an error, and the check of close(2): an answer that is not written is exit status 3, a
// closed pipe ends as SIGPIPE does. Closed standard descriptors are held with O_PATH, so that no file gets their
// numbers.
#include "output.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

namespace soresolve::output {
namespace {

constexpr int kFailure = 3;

[[noreturn]] void end_of_broken_pipe() {
  std::signal(SIGPIPE, SIG_DFL);
  sigset_t pipe_signal;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  sigprocmask(SIG_UNBLOCK, &pipe_signal, nullptr);
  std::raise(SIGPIPE);
  _exit(128 + SIGPIPE);  // the first process of a container outlives the signal
}

}  // namespace

void hold_standard_descriptors() {
  // Always the lowest number that is free; O_PATH, so that reading and writing fail as they did.
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) < 0) static_cast<void>(::open("/", O_PATH | O_CLOEXEC));
  }
}

void outlive_file_size_limit() {
  struct sigaction current = {};
  if (::sigaction(SIGXFSZ, nullptr, &current) != 0 || current.sa_handler != SIG_DFL) return;
  current.sa_handler = [](int) {};  // execve(2) makes it SIG_DFL again, and would keep SIG_IGN
  current.sa_flags = SA_RESTART;
  ::sigaction(SIGXFSZ, &current, nullptr);
}

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd waited{descriptor, POLLOUT, 0};
      if (::poll(&waited, 1, -1) < 0 && errno != EINTR) return errno;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int close_standard_output() {
  if (::close(STDOUT_FILENO) == 0 || errno == EBADF || errno == EINTR) return 0;
  return errno;
}

void end_unwritten(std::string_view program, int error) {
  if (error == EPIPE) end_of_broken_pipe();
  const std::string text = std::string(program) + ": cannot write the answer: " + std::strerror(error) + "\n";
  static_cast<void>(write_all(STDERR_FILENO, text));
  _exit(kFailure);
}

}  // namespace soresolve::output
