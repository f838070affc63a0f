// Source: seccomp(2), Linux Documentation/userspace-api/seccomp_filter.rst.
#include "confinement.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

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

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#elif defined(__riscv) && __riscv_xlen == 64
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_RISCV64;
#else
#error "the numbers of system calls are known for x86-64, AArch64 and RISC-V: build with -Dwitness=disabled"
#endif

/// What computing, answering and ending takes. Memory is asked for below.
constexpr long kAllowed[] = {
    SYS_read,        SYS_pread64,       SYS_write,     SYS_writev,     SYS_lseek,        SYS_fstat,       SYS_close,
    SYS_brk,         SYS_munmap,        SYS_mremap,    SYS_madvise,    SYS_futex,        SYS_getrandom,   SYS_clock_gettime,
    SYS_gettimeofday, SYS_getpid,       SYS_gettid,    SYS_tgkill,     SYS_rt_sigaction, SYS_rt_sigreturn,
    SYS_rt_sigprocmask, SYS_sigaltstack, SYS_sched_yield, SYS_exit,    SYS_exit_group,   SYS_newfstatat,
};
/// These take rights as their third argument.
constexpr long kMapping[] = {SYS_mmap, SYS_mprotect};
/// A C library may look for a locale or a time zone; it copes without.
constexpr long kAbsent[] = {SYS_openat, SYS_readlinkat,
#ifdef SYS_open
                            SYS_open, SYS_access, SYS_readlink,
#endif
};

class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
    end_with(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
    for (const long call : kAllowed) on(call, SECCOMP_RET_ALLOW);
    for (const long call : kAbsent) on(call, SECCOMP_RET_ERRNO | EACCES);
    for (const long call : kMapping) on_unless_executable(call);
    end_with(SECCOMP_RET_KILL_PROCESS);
  }

  [[nodiscard]] bool install() {
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  void add(int operation, std::uint32_t operand, std::uint8_t if_true, std::uint8_t if_false) {
    code_.push_back({static_cast<std::uint16_t>(operation), if_true, if_false, operand});
  }
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset), 0, 0); }
  void end_with(std::uint32_t verdict) { add(BPF_RET | BPF_K, verdict, 0, 0); }

  void on(long call, std::uint32_t verdict) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1);
    end_with(verdict);
  }

  void on_unless_executable(long call) {
    // The low half of an argument; all machines above are little-endian.
    constexpr std::size_t kRights = offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t);
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 4);
    load(kRights);
    add(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1);
    end_with(SECCOMP_RET_KILL_PROCESS);
    end_with(SECCOMP_RET_ALLOW);
  }

  std::vector<sock_filter> code_;
};

bool limit(int resource, std::uint64_t amount) {
  const rlimit both{amount, amount};
  return ::setrlimit(static_cast<__rlimit_resource>(resource), &both) == 0;
}

std::string failure(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

}  // namespace

std::optional<std::string> confine(const Limits& limits) {
  if (!limit(RLIMIT_CORE, 0) || !limit(RLIMIT_CPU, limits.cpu_s)) return failure("setrlimit");
  if (!kHasShadowMemory && !limit(RLIMIT_AS, limits.memory_mib << 20)) return failure("setrlimit");
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failure("prctl(PR_SET_NO_NEW_PRIVS)");
  if (!Filter().install()) return failure("prctl(PR_SET_SECCOMP)");
  return std::nullopt;
}

}  // namespace soresolve::witness
