// Runs a program as on a kernel that lacks some calls, or in a container that forbids them.
//
// usage: other_kernel LACK PROGRAM ARGUMENTS...
//
// LACK is `old` (ENOSYS for openat2, clone3, close_range, statx and others; EINVAL for filters by prctl),
// `forbidden` (EPERM for the same, and for namespaces), or `no-memfd`. Source: seccomp(2).
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "call_filter/call_filter.h"

namespace {

using soresolve::CallFilter;

constexpr int kNoFilter = 77;

CallFilter filter_of(std::string_view lack) {
  const std::uint32_t error = SECCOMP_RET_ERRNO | (lack == "forbidden" ? EPERM : ENOSYS);
  CallFilter filter;
  if (lack == "no-memfd") {
    filter.on(SYS_memfd_create, error);
  } else {
    for (const long call : {SYS_openat2, SYS_clone3, SYS_close_range, SYS_seccomp, SYS_statx, SYS_pidfd_open})
      filter.on(call, error);
    filter.on_values(SYS_prctl, 0, {PR_SET_SECCOMP, PR_SET_CHILD_SUBREAPER}, SECCOMP_RET_ERRNO | EINVAL,
                     SECCOMP_RET_ALLOW);
    for (const long call : {SYS_unshare, SYS_setns, SYS_process_vm_readv}) filter.on(call, error);
  }
  filter.on_rest(SECCOMP_RET_ALLOW);
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  CallFilter filter = filter_of(argv[1]);
  const sock_fprog program = filter.program();
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    std::perror("no filter");
    return kNoFilter;
  }
  ::execv(argv[2], argv + 2);
  std::perror(argv[2]);
  return 1;
}
