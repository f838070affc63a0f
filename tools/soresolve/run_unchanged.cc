// A process, execvp(3), and a loop that copies standard error until the command has ended.
//
// Traps: a signal of the terminal comes to the whole process group, so it must not be passed on a second time
// (si_code SI_KERNEL tells); a grandchild may keep standard error open for days; a terminal without OPOST, or "\n"
// becomes "\r\n" twice.
#include "run_unchanged.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "child_process/child_process.h"
#include "output/output.h"

namespace soresolve::tool {
namespace {

constexpr std::size_t kKeptBytes = 256 << 10;
constexpr std::size_t kCopiedAtOnceBytes = 64 << 10;
constexpr int kNotFound = 127;       ///< a shell's exit status for a command that is not there
constexpr int kNotExecutable = 126;  ///< and for one that cannot be started
constexpr int kPassedOn[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP};

// A handler can be handed nothing else.
std::atomic<pid_t> receiver = 0;     ///< of signals; 0: nobody
std::atomic<int> own_terminal = -1;  ///< the end that is read of the terminal that the command writes errors to

void copy_window_size() {
  winsize size{};
  if (own_terminal >= 0 && ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0) ::ioctl(own_terminal, TIOCSWINSZ, &size);
}

void pass_on(int signal, siginfo_t* info, void*) {
  const int error = errno;
  const pid_t process = receiver;
  const bool is_new_size = signal == SIGWINCH && own_terminal >= 0;
  if (is_new_size) copy_window_size();
  // Of the terminal's signals only a new size is told again: the command may have looked before it was copied.
  const bool is_of_terminal = info->si_code == SI_KERNEL;
  if (process > 0 && (is_new_size || !is_of_terminal)) ::kill(process, signal);
  errno = error;
}

void note_child(int) {}

/// The dispositions and the mask that this process was started with, which are the command's.
class Signals {
 public:
  Signals() {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child, &mask_);
    waiting_mask_ = mask_;
    sigdelset(&waiting_mask_, SIGCHLD);
    for (std::size_t i = 0; i < std::size(kPassedOn); ++i) {
      ::sigaction(kPassedOn[i], nullptr, &passed_on_[i]);
      if (passed_on_[i].sa_handler == SIG_IGN) continue;  // as nohup(1) wants it
      struct sigaction action {};
      action.sa_sigaction = pass_on;
      action.sa_flags = SA_SIGINFO | SA_RESTART;
      ::sigaction(kPassedOn[i], &action, nullptr);
    }
    struct sigaction noted {};
    noted.sa_handler = note_child;
    ::sigaction(SIGCHLD, &noted, &child_);
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;  // a write that fails says so by itself
    ::sigaction(SIGPIPE, &ignored, &pipe_);
  }

  /// For a process that was forked off while all signals were blocked.
  void restore() const {
    for (std::size_t i = 0; i < std::size(kPassedOn); ++i) ::sigaction(kPassedOn[i], &passed_on_[i], nullptr);
    ::sigaction(SIGCHLD, &child_, nullptr);
    ::sigaction(SIGPIPE, &pipe_, nullptr);
    ::sigprocmask(SIG_SETMASK, &mask_, nullptr);
  }

  /// While it waits, and only then, this process learns of its child.
  [[nodiscard]] const sigset_t& waiting_mask() const { return waiting_mask_; }

 private:
  std::array<struct sigaction, std::size(kPassedOn)> passed_on_{};
  struct sigaction child_ {};
  struct sigaction pipe_ {};
  sigset_t mask_{};
  sigset_t waiting_mask_{};
};

/// Those of this process; made at the first command.
const Signals& signals() {
  static const Signals all;
  return all;
}

/// `work` in a process that has the signals of whoever started this one, and gets those that are passed on. Whoever
/// kills this process means that one.
pid_t start_receiver(std::vector<std::pair<int, int>> files, const std::function<void()>& work) {
  const Signals& its = signals();
  return child::start(
      {.files = std::move(files), .ends_with_us = true, .has_blocked_signals = true, .receiver = &receiver}, [&] {
        its.restore();
        work();
      });
}

[[noreturn]] void execute(char* const* command) {
  ::execvp(command[0], command);
  const int error = errno;
  const std::string_view name = command[0];
  std::string_view reason = std::strerror(error);
  if (error == ENOENT && name.find('/') == std::string_view::npos) {
    reason = "command not found";
  } else if (error == ENOENT && ::access(command[0], F_OK) == 0) {
    reason = "cannot execute: required file not found";  // its interpreter
  }
  const std::string text = "soresolve: " + std::string(name) + ": " + std::string(reason) + "\n";
  static_cast<void>(output::write_all(STDERR_FILENO, text));
  _exit(error == ENOENT ? kNotFound : kNotExecutable);
}

/// What the command writes its errors to, and what is read of it.
struct Channel {
  int read_end = -1;
  int write_end = -1;
};

Channel open_pipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  return {ends[0], ends[1]};
}

/// A terminal that changes no byte, as large and as coloured as the real one.
Channel open_terminal() {
  Channel channel;
  channel.read_end = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (channel.read_end < 0 || ::unlockpt(channel.read_end) != 0) return channel;
  channel.write_end = ::ioctl(channel.read_end, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios modes{};
  if (channel.write_end < 0 || ::tcgetattr(STDERR_FILENO, &modes) != 0) return channel;
  modes.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  ::tcsetattr(channel.write_end, TCSANOW, &modes);
  own_terminal = channel.read_end;
  copy_window_size();
  return channel;
}

Channel open_channel() {
  const int flags = ::fcntl(STDERR_FILENO, F_GETFL);
  const bool can_write = flags >= 0 && (flags & O_PATH) == 0 && (flags & O_ACCMODE) != O_RDONLY;
  if (!can_write) return {};
  return ::isatty(STDERR_FILENO) == 1 ? open_terminal() : open_pipe();
}

/// Copies what comes to standard error, and keeps the last of it.
class Errors {
 public:
  explicit Errors(int read_end) : read_end_(read_end) { buffer_.resize(kCopiedAtOnceBytes); }

  [[nodiscard]] bool is_open() const { return read_end_ >= 0; }
  [[nodiscard]] int read_end() const { return read_end_; }

  /// Copies once; waits if nothing is there and the descriptor waits. False: there was nothing.
  bool copy() {
    const ssize_t count = ::read(read_end_, buffer_.data(), buffer_.size());
    if (count < 0 && errno == EINTR) return true;
    if (count < 0 && errno == EAGAIN) return false;
    if (count <= 0) return close();  // a terminal ends with EIO
    const std::string_view bytes(buffer_.data(), static_cast<std::size_t>(count));
    keep(bytes);
    // Nobody reads: so it shall be for the command. Of all else (a full disk) it may not care.
    if (output::write_all(STDERR_FILENO, bytes) == EPIPE) return close();
    return true;
  }

  /// What the command has written before its end, and not what others go on to write.
  void copy_rest() {
    constexpr int kMostCopies = 32;
    if (!is_open()) return;
    ::fcntl(read_end_, F_SETFL, ::fcntl(read_end_, F_GETFL) | O_NONBLOCK);
    for (int i = 0; i < kMostCopies && is_open() && copy(); ++i) continue;
    ::fcntl(read_end_, F_SETFL, ::fcntl(read_end_, F_GETFL) & ~O_NONBLOCK);
  }

  bool close() {
    own_terminal = -1;
    ::close(read_end_);
    read_end_ = -1;
    return false;
  }

  std::string take() {
    shorten();
    return std::move(kept_);
  }

 private:
  void keep(std::string_view bytes) {
    kept_ += bytes;
    if (kept_.size() > 2 * kKeptBytes) shorten();
  }
  void shorten() {
    if (kept_.size() > kKeptBytes) kept_.erase(0, kept_.size() - kKeptBytes);
  }

  int read_end_;
  std::string buffer_;
  std::string kept_;
};

/// The command was stopped by ^Z: a shell waits until this process stops as well, and lets both go on together.
void stop_as_well(pid_t command) {
  const int terminal = ::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) return;  // no shell, no job
  ::close(terminal);
  ::raise(SIGSTOP);
  copy_window_size();
  siginfo_t goes_on{};
  ::waitid(P_PID, static_cast<id_t>(command), &goes_on, WCONTINUED | WNOHANG);
  if (goes_on.si_pid == 0) ::kill(command, SIGCONT);
}

/// Its status if the command has ended. Follows it when it stops.
bool has_ended(pid_t command, int& status) {
  siginfo_t change{};
  const auto id = static_cast<id_t>(command);
  if (::waitid(P_PID, id, &change, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) != 0 || change.si_pid == 0) return false;
  if (change.si_code != CLD_STOPPED) {
    receiver = 0;  // before its number can be another process's
    ::waitpid(command, &status, 0);
    return true;
  }
  ::waitid(P_PID, id, &change, WSTOPPED | WNOHANG);
  const int stop = change.si_status;
  if (stop == SIGTSTP || stop == SIGTTIN || stop == SIGTTOU) stop_as_well(command);
  return false;
}

int copy_until_end(pid_t command, Errors& errors) {
  int status = 0;
  while (!has_ended(command, status)) {
    pollfd waited{errors.read_end(), POLLIN, 0};  // a descriptor of -1 is passed over
    if (::ppoll(&waited, 1, nullptr, &signals().waiting_mask()) > 0) errors.copy();
  }
  return status;
}

/// What the command leaves running may go on to write: a process stays that copies it, and holds nothing else open.
void leave_copying(Errors& errors) {
  if (!errors.is_open()) return;
  child::start({.has_blocked_signals = true}, [&] {
    ::close(STDIN_FILENO);
    ::close(STDOUT_FILENO);
    while (errors.is_open()) errors.copy();
  });
  errors.close();
}

}  // namespace

CommandEnd run_unchanged(char* const* command) {
  const Channel channel = open_channel();
  if (channel.write_end < 0) execute(command);
  const pid_t process = start_receiver({{channel.write_end, STDERR_FILENO}}, [&] { execute(command); });
  if (process < 0) {
    signals().restore();
    execute(command);
  }
  ::close(channel.write_end);
  Errors errors(channel.read_end);
  const int status = copy_until_end(process, errors);
  errors.copy_rest();
  leave_copying(errors);
  return {status, errors.take()};
}

void run_apart(unsigned seconds, const std::function<void()>& work) {
  const pid_t process = start_receiver({}, [&] {
    ::alarm(seconds);
    work();
  });
  if (process < 0) return;
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  receiver = 0;
}

void end_like(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    ::prctl(PR_SET_DUMPABLE, 0);  // the core is the command's
    std::signal(signal, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal);
    ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
    std::raise(signal);
    _exit(128 + signal);  // the first process of a container outlives the signal
  }
  _exit(WEXITSTATUS(status));
}

}  // namespace soresolve::tool
