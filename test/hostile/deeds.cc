// What a sealed program must not do, one deed for each rule; and what it may.
//
// usage: deeds forbidden|allowed      lists their names
//        deeds NAME                   does it; exit status 0 when it came back
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string_view>
#include <thread>

namespace {

// Nowhere: the calls fail where the seal does not stop them.
constexpr const char* kNowhere = "/nowhere/file";

void map(int protection) { ::mmap(nullptr, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

void open_by_openat2(std::uint64_t flags) {
  open_how how{};
  how.flags = flags;
  ::syscall(SYS_openat2, AT_FDCWD, "/dev/null", &how, sizeof how);
}

void write_to(int descriptor) { [[maybe_unused]] const ssize_t done = ::write(descriptor, "", 0); }

void write_vector_to(int descriptor) {
  const iovec nothing{};
  [[maybe_unused]] const ssize_t done = ::writev(descriptor, &nothing, 1);
}

void change_protection() {
  void* const page = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ::mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

void lower_limit() {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

struct Deed {
  const char* name;
  void (*act)();
};

constexpr Deed kForbidden[] = {
    {"execve", [] { ::execl("/bin/true", "true", nullptr); }},
    {"execveat", [] { ::syscall(SYS_execveat, AT_FDCWD, "/bin/true", nullptr, nullptr, 0); }},
    {"fork",
     [] {
       if (::fork() == 0) ::_exit(0);
     }},
    {"vfork",
     [] {
       if (::vfork() == 0) ::_exit(0);
     }},
    {"map-code", [] { map(PROT_READ | PROT_EXEC); }},
    {"make-code", [] { change_protection(); }},
    {"key-code", [] { ::syscall(SYS_pkey_mprotect, nullptr, 0, PROT_EXEC, -1); }},
    {"socket", [] { ::socket(AF_UNIX, SOCK_STREAM, 0); }},
    {"socketpair",
     [] {
       int pair[2];
       ::socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
     }},
    {"open-write", [] { ::open("/dev/null", O_WRONLY); }},
    {"open-both", [] { ::open("/dev/null", O_RDWR); }},
    {"open-truncate", [] { ::open(kNowhere, O_RDONLY | O_TRUNC); }},
    {"open-temporary", [] { ::open("/nowhere", O_TMPFILE | O_RDWR, 0600); }},
    {"openat2-write", [] { open_by_openat2(O_WRONLY); }},
    {"openat2-create", [] { open_by_openat2(O_RDONLY | O_CREAT); }},
    {"create", [] { ::open(kNowhere, O_CREAT, 0600); }},
    {"write-3", [] { write_to(3); }},
    {"write-0", [] { write_to(0); }},
    {"writev-3", [] { write_vector_to(3); }},
    {"pwrite", [] { [[maybe_unused]] const ssize_t done = ::pwrite(1, "", 0, 0); }},
    {"sendfile", [] { ::syscall(SYS_sendfile, 1, 0, nullptr, 0); }},
    {"splice", [] { ::syscall(SYS_splice, 0, nullptr, 1, nullptr, 0, 0); }},
    {"memfd", [] { ::syscall(SYS_memfd_create, "m", 0); }},
    {"rename", [] { ::rename(kNowhere, "/nowhere/other"); }},
    {"unlink", [] { ::unlink(kNowhere); }},
    {"link", [] { [[maybe_unused]] const int done = ::link(kNowhere, "/nowhere/other"); }},
    {"symlink", [] { [[maybe_unused]] const int done = ::symlink("x", kNowhere); }},
    {"mkdir", [] { ::mkdir(kNowhere, 0700); }},
    {"mkfifo", [] { ::mkfifo(kNowhere, 0600); }},
    {"rmdir", [] { ::rmdir(kNowhere); }},
    {"chmod", [] { ::chmod(kNowhere, 0600); }},
    {"chown", [] { [[maybe_unused]] const int done = ::chown(kNowhere, 0, 0); }},
    {"truncate", [] { [[maybe_unused]] const int done = ::truncate(kNowhere, 0); }},
    {"ftruncate", [] { [[maybe_unused]] const int done = ::ftruncate(1, 0); }},
    {"times", [] { ::utimensat(AT_FDCWD, kNowhere, nullptr, 0); }},
    {"attribute", [] { ::syscall(SYS_setxattr, kNowhere, "user.x", "", 0, 0); }},
    {"ioctl",
     [] {
       int waiting = 0;
       ::ioctl(0, FIONREAD, &waiting);
     }},
    {"owner-of-signals", [] { ::fcntl(0, F_SETOWN, ::getpid()); }},
    {"ptrace", [] { ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }},
    {"read-process", [] { ::syscall(SYS_process_vm_readv, 1, nullptr, 0, nullptr, 0, 0); }},
    {"kill", [] { ::kill(::getpid(), 0); }},
    {"kill-thread", [] { ::syscall(SYS_tgkill, ::getpid(), ::getpid(), 0); }},
    {"prctl", [] { ::prctl(PR_SET_NAME, "other", 0, 0, 0); }},
    {"limit", [] { lower_limit(); }},
    {"namespace", [] { ::unshare(CLONE_FILES); }},
    {"chroot", [] { [[maybe_unused]] const int done = ::chroot("/"); }},
    {"chdir", [] { [[maybe_unused]] const int done = ::chdir("/"); }},
    {"io-uring", [] { ::syscall(SYS_io_uring_setup, 1, nullptr); }},
    {"thread-that-forks",
     [] {
       std::thread([] {
         if (::fork() == 0) ::_exit(0);
       }).join();
     }},
};

constexpr Deed kAllowed[] = {
    {"nothing", [] {}},
    {"answer",
     [] {
       write_to(1);
       write_vector_to(2);
     }},
    {"read", [] { ::open("/dev/null", O_RDONLY | O_NONBLOCK | O_CLOEXEC); }},
    {"read-by-openat2", [] { open_by_openat2(O_RDONLY | O_CLOEXEC); }},
    {"thread", [] { std::thread([] { map(PROT_READ | PROT_WRITE); }).join(); }},
    {"terminal", [] { ::isatty(1); }},
};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  for (const Deed& deed : kForbidden) {
    if (word == "forbidden") std::puts(deed.name);
    if (word == deed.name) return deed.act(), 0;
  }
  for (const Deed& deed : kAllowed) {
    if (word == "allowed") std::puts(deed.name);
    if (word == deed.name) return deed.act(), 0;
  }
  return word == "forbidden" || word == "allowed" ? 0 : 2;
}
