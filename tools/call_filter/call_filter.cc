// Builds a seccomp program: a wrong architecture ends the process, then one test for each call. Source: seccomp(2).
// Only the low half of an argument is compared, which is all that the flags and numbers tested here have.
#include "call_filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>

namespace soresolve {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#elif defined(__riscv) && __riscv_xlen == 64
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_RISCV64;
#else
#error "the numbers of system calls are known for x86-64, AArch64 and RISC-V: build with -Dwitness=disabled"
#endif

// All machines above are little-endian.
constexpr std::size_t low_half_of(unsigned argument) {
  return offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t);
}

}  // namespace

CallFilter::CallFilter() {
  load(offsetof(seccomp_data, arch));
  add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
  end_with(SECCOMP_RET_KILL_PROCESS);
  load(offsetof(seccomp_data, nr));
}

void CallFilter::on(long call, std::uint32_t verdict) {
  when(call, 1);
  end_with(verdict);
}

void CallFilter::on_bits(long call, unsigned argument, std::uint32_t bits, std::uint32_t verdict,
                         std::uint32_t otherwise) {
  when(call, 4);
  load(low_half_of(argument));
  add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
  end_with(verdict);
  end_with(otherwise);
}

void CallFilter::on_values(long call, unsigned argument, const std::vector<std::uint32_t>& values,
                           std::uint32_t verdict, std::uint32_t otherwise) {
  when(call, 2 + 2 * values.size());
  load(low_half_of(argument));
  for (const std::uint32_t value : values) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    end_with(verdict);
  }
  end_with(otherwise);
}

sock_fprog CallFilter::program() { return {static_cast<unsigned short>(code_.size()), code_.data()}; }

void CallFilter::add(int operation, std::uint32_t operand, std::uint8_t if_true, std::uint8_t if_false) {
  code_.push_back({static_cast<std::uint16_t>(operation), if_true, if_false, operand});
}

void CallFilter::load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }

void CallFilter::end_with(std::uint32_t verdict) { add(BPF_RET | BPF_K, verdict); }

void CallFilter::when(long call, std::size_t length) {
  add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, static_cast<std::uint8_t>(length));
}

}  // namespace soresolve
