// The filter lets reading, waiting and memory pass, and hands every other call to a supervisor by
// SECCOMP_RET_USER_NOTIF (seccomp_unotify(2)).
#include "hostile/seal.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <termios.h>

#include <cerrno>
#include <utility>
#include <vector>

namespace soresolve::test {
namespace {

/// Nothing that these do outlives the process, or is seen outside.
constexpr long kHarmless[] = {
    // reading of files
    SYS_read,
    SYS_pread64,
    SYS_readv,
    SYS_preadv,
    SYS_lseek,
    SYS_close,
    SYS_getdents64,
    SYS_readlinkat,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_fstatfs,
    SYS_statfs,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_fadvise64,
    SYS_getcwd,
    SYS_fgetxattr,
    // memory, but for the rights of a mapping
    SYS_brk,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    // threads, and the end
    SYS_futex,
    SYS_set_robust_list,
    SYS_set_tid_address,
    SYS_rseq,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_gettid,
    SYS_getpid,
    SYS_exit,
    SYS_exit_group,
    SYS_restart_syscall,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    // what kind of machine, user and time this is
    SYS_uname,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getgroups,
    SYS_sysinfo,
    SYS_clock_gettime,
    SYS_gettimeofday,
    SYS_getrandom,
    // signals that come in
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
#ifdef __x86_64__
    SYS_arch_prctl,
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_getdents,
    SYS_time,
#endif
};

/// Any of these makes more of an open(2) than reading. O_DIRECTORY is part of O_TMPFILE.
constexpr std::uint32_t kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);

}  // namespace

CallFilter seal_filter() {
  constexpr std::uint32_t kPass = SECCOMP_RET_ALLOW;
  constexpr std::uint32_t kJudge = SECCOMP_RET_USER_NOTIF;
  CallFilter filter;
  for (const long call : kHarmless) filter.on(call, kPass);
  filter.on_bits(SYS_openat, 2, kWriting, kJudge, kPass);
#ifdef SYS_open
  filter.on_bits(SYS_open, 1, kWriting, kJudge, kPass);
#endif
  for (const long call : {SYS_mmap, SYS_mprotect}) filter.on_bits(call, 2, PROT_EXEC, kJudge, kPass);
  for (const long call : {SYS_write, SYS_writev}) filter.on_values(call, 0, {1, 2}, kPass, kJudge);
  filter.on_values(SYS_ioctl, 1, {TCGETS, TIOCGWINSZ}, kPass, kJudge);
  filter.on_values(SYS_prctl, 0, {PR_GET_NO_NEW_PRIVS}, kPass, kJudge);
  filter.on_values(SYS_fcntl, 1, {F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC}, kPass, kJudge);
  filter.on_bits(SYS_prlimit64, 2, 0xffffffff, kJudge, kPass);  // a new limit
  filter.on_bits(SYS_clone, 0, CLONE_THREAD, kPass, kJudge);
  filter.on(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);  // its flags lie in memory; glibc goes on with clone
  filter.on_rest(kJudge);
  return filter;
}

std::string name_of_call(long call) {
  static const std::pair<long, const char*> kNames[] = {
      {SYS_execve, "execve"},
      {SYS_clone, "clone"},
      {SYS_mmap, "mmap"},
      {SYS_mprotect, "mprotect"},
      {SYS_socket, "socket"},
      {SYS_openat, "openat"},
      {SYS_openat2, "openat2"},
      {SYS_write, "write"},
      {SYS_writev, "writev"},
      {SYS_pwrite64, "pwrite"},
      {SYS_ioctl, "ioctl"},
      {SYS_fcntl, "fcntl"},
      {SYS_kill, "kill"},
      {SYS_tgkill, "tgkill"},
      {SYS_prctl, "prctl"},
      {SYS_prlimit64, "prlimit"},
      {SYS_ptrace, "ptrace"},
      {SYS_unlinkat, "unlinkat"},
      {SYS_sched_setaffinity, "sched_setaffinity"},
  };
  for (const auto& [number, name] : kNames) {
    if (number == call) return std::string(name) + " (" + std::to_string(call) + ")";
  }
  return std::to_string(call);
}

}  // namespace soresolve::test
