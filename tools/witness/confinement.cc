// Limits and seccomp filter of the second reader: no open, no exec, no socket, no executable mapping; memory and CPU
// time by setrlimit(2). Source: seccomp(2), prctl(2). Under AddressSanitizer the address space is not limited.
#include "confinement.h"

#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "call_filter/call_filter.h"

#if defined(__SANITIZE_ADDRESS__)
#define SORESOLVE_HAS_SHADOW_MEMORY
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SORESOLVE_HAS_SHADOW_MEMORY
#endif
#endif

namespace soresolve::witness {
namespace {

#ifdef SORESOLVE_HAS_SHADOW_MEMORY
constexpr bool kHasShadowMemory = true;  // of AddressSanitizer: terabytes of address space
#else
constexpr bool kHasShadowMemory = false;
#endif

/// What computing, answering and ending takes. Memory is asked for below.
constexpr long kAllowed[] = {
    SYS_read,         SYS_pread64,       SYS_write,          SYS_writev,      SYS_lseek,       SYS_fstat,
    SYS_close,        SYS_brk,           SYS_munmap,         SYS_mremap,      SYS_madvise,     SYS_futex,
    SYS_getrandom,    SYS_clock_gettime, SYS_gettimeofday,   SYS_getpid,      SYS_gettid,      SYS_tgkill,
    SYS_rt_sigaction, SYS_rt_sigreturn,  SYS_rt_sigprocmask, SYS_sigaltstack, SYS_sched_yield, SYS_exit,
    SYS_exit_group,   SYS_newfstatat,
    SYS_ppoll,  // a reader of the answer may be slow
#ifdef SYS_poll
    SYS_poll,
#endif
};
/// These take rights as their third argument.
constexpr long kMapping[] = {SYS_mmap, SYS_mprotect};
/// A C library may look for a locale or a time zone; it copes without.
constexpr long kAbsent[] = {
    SYS_openat, SYS_readlinkat,
#ifdef SYS_open
    SYS_open,   SYS_access,     SYS_readlink,
#endif
};

CallFilter filter_of_calls() {
  CallFilter filter;
  for (const long call : kAllowed) filter.on(call, SECCOMP_RET_ALLOW);
  for (const long call : kAbsent) filter.on(call, SECCOMP_RET_ERRNO | EACCES);
  for (const long call : kMapping) filter.on_bits(call, 2, PROT_EXEC, SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW);
  filter.on_rest(SECCOMP_RET_KILL_PROCESS);
  return filter;
}

bool install(CallFilter filter) {
  const sock_fprog program = filter.program();
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// A limit that is there already and is smaller stays.
bool limit(int resource, std::uint64_t amount) {
  const auto which = static_cast<__rlimit_resource>(resource);
  rlimit both{};
  if (::getrlimit(which, &both) != 0) return false;
  both.rlim_max = std::min<rlim_t>(both.rlim_max, amount);
  both.rlim_cur = std::min<rlim_t>(both.rlim_cur, both.rlim_max);
  return ::setrlimit(which, &both) == 0;
}

std::string failure(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

}  // namespace

std::optional<std::string> confine(const Limits& limits) {
  if (!limit(RLIMIT_CORE, 0) || !limit(RLIMIT_CPU, limits.cpu_s)) return failure("setrlimit");
  if (!kHasShadowMemory && !limit(RLIMIT_AS, limits.memory_mib << 20)) return failure("setrlimit");
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failure("prctl(PR_SET_NO_NEW_PRIVS)");
  if (!install(filter_of_calls())) return failure("prctl(PR_SET_SECCOMP)");
  return std::nullopt;
}

}  // namespace soresolve::witness
