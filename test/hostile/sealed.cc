// Runs a program that may do nothing but read, think and answer.
//
// usage: sealed [--preload LIB] PROGRAM [ARGUMENT…]      as PROGRAM, in this environment
//
// PROGRAM runs under the filter of seal.h from its first instruction on. A dynamic program needs its
// loader to map code: it is started with LIB (seal_from_here.c) preloaded, and sealed from there on.
//
// The judge is told of a call before the kernel looks at it, with all of its arguments, in whichever
// thread it is made (seccomp_unotify(2)). Nobody else runs in the process that is judged, so what it
// reads of its memory is what the kernel will read.
//
// Exit status: that of PROGRAM, 128 and the signal that ended it, 77 when there can be no seal here,
// 99 when PROGRAM called what it must not: the call is on standard error.
#include "hostile/seal.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

namespace soresolve::test {
namespace {

constexpr int kNoSeal = 77;
constexpr int kBroken = 99;
constexpr int kNotYet = -1;
constexpr int kFailed = -2;

/// What the program has come to.
enum class Stage { BeforeExec, InLoader, Sealed };

class Judge {
 public:
  Judge(int listener, Stage after_exec) : listener_(listener), after_exec_(after_exec) {}

  /// Judges until the last process of the program has ended, or has done what it must not: then false.
  bool watch() {
    for (;;) {
      pollfd waiting{listener_, POLLIN, 0};
      if (::poll(&waiting, 1, -1) < 0 && errno != EINTR) return true;
      if ((waiting.revents & POLLIN) != 0) {
        if (!judge_next()) return false;
      } else if ((waiting.revents & POLLHUP) != 0) {
        return true;
      }
    }
  }

 private:
  bool judge_next() {
    seccomp_notif asked{};
    if (::ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) return true;  // it has ended meanwhile
    if (!may_pass(asked)) {
      std::fprintf(stderr, "sealed: stopped at %s with %#llx, %#llx, %#llx\n", name_of_call(asked.data.nr).c_str(),
                   asked.data.args[0], asked.data.args[1], asked.data.args[2]);
      return false;
    }
    seccomp_notif_resp answer{};
    answer.id = asked.id;
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ::ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    return true;
  }

  bool may_pass(const seccomp_notif& asked) {
    if (stage_ == Stage::BeforeExec) {
      if (asked.data.nr != SYS_execve) return false;
      stage_ = after_exec_;
      return true;
    }
    if (stage_ == Stage::InLoader) {
      if (asked.data.nr == SYS_prctl && asked.data.args[0] == kSealedFromHere) {
        stage_ = Stage::Sealed;
        return true;
      }
      if (asked.data.nr == SYS_mmap || asked.data.nr == SYS_mprotect) return true;
    }
    return asked.data.nr == SYS_openat2 && only_reads(asked);
  }

  /// Of openat2, whose flags lie in memory.
  static bool only_reads(const seccomp_notif& asked) {
    open_how how{};
    const iovec here{&how, sizeof how};
    const iovec there{reinterpret_cast<void*>(asked.data.args[2]), sizeof how};
    if (::process_vm_readv(static_cast<pid_t>(asked.pid), &here, 1, &there, 1, 0) != sizeof how) return false;
    constexpr std::uint64_t kHarmless = O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_DIRECTORY | O_PATH;
    return (how.flags & ~kHarmless) == O_RDONLY;
  }

  int listener_;
  Stage stage_ = Stage::BeforeExec;
  Stage after_exec_;
};

/// In the child: seals itself, tells the number of the descriptor on which the judge hears of it, and
/// becomes the program.
[[noreturn]] void become(char** words, std::atomic<int>& listener) {
  CallFilter filter = seal_filter();
  const sock_fprog program = filter.program();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) listener = kFailed;
  const long got = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
  listener = got < 0 ? kFailed : static_cast<int>(got);
  if (got >= 0) ::execve(words[0], words, environ);
  ::_exit(127);
}

int run(char** words, Stage after_exec) {
  void* const shared =
      ::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    std::perror("sealed: mmap");
    return kNoSeal;
  }
  auto& listener = *new (shared) std::atomic<int>(kNotYet);
  // A fork but for the table of descriptors, which both have until the exec: so the listener is the judge's, too.
  const auto child =
      static_cast<pid_t>(::syscall(SYS_clone, CLONE_FILES | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (child < 0) {
    std::perror("sealed: clone");
    return kNoSeal;
  }
  if (child == 0) become(words, listener);
  while (listener == kNotYet && ::waitpid(child, nullptr, WNOHANG) == 0) ::usleep(200);
  if (listener < 0) {
    std::fputs("sealed: seccomp cannot be used here\n", stderr);
    return kNoSeal;
  }
  const bool has_kept_it = Judge(listener, after_exec).watch();
  if (!has_kept_it) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!has_kept_it) return kBroken;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace
}  // namespace soresolve::test

int main(int argc, char** argv) {
  using namespace soresolve::test;
  char** words = argv + 1;
  Stage after_exec = Stage::Sealed;
  if (argc > 2 && std::string_view(*words) == "--preload") {
    ::setenv("LD_PRELOAD", words[1], 1);
    words += 2;
    after_exec = Stage::InLoader;
  }
  if (*words == nullptr) {
    std::fputs("usage: sealed [--preload LIB] PROGRAM [ARGUMENT…]\n", stderr);
    return 2;
  }
  return run(words, after_exec);
}
