// A filter of system calls, as the program for the kernel that it is.
//
// Source: seccomp(2), Linux Documentation/userspace-api/seccomp_filter.rst.
#pragma once
#include <linux/filter.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace soresolve {

/// Rules in the order in which they are given; the first one about a call decides. A verdict is a
/// SECCOMP_RET_ value. Of arguments the low 32 bits are looked at: all that the calls in question
/// have there are descriptors, flags and requests.
class CallFilter {
 public:
  /// Calls by another architecture's numbers end the process.
  CallFilter();

  void on(long call, std::uint32_t verdict);
  /// `verdict` when any of `bits` is set in the argument, else `otherwise`.
  void on_bits(long call, unsigned argument, std::uint32_t bits, std::uint32_t verdict, std::uint32_t otherwise);
  /// `verdict` when the argument is one of `values`, else `otherwise`.
  void on_values(long call, unsigned argument, const std::vector<std::uint32_t>& values, std::uint32_t verdict,
                 std::uint32_t otherwise);
  /// What no rule is about. Nothing can be added after it.
  void on_rest(std::uint32_t verdict) { end_with(verdict); }

  /// Borrows from the filter.
  [[nodiscard]] sock_fprog program();

 private:
  void add(int operation, std::uint32_t operand, std::uint8_t if_true = 0, std::uint8_t if_false = 0);
  void load(std::size_t offset);
  void end_with(std::uint32_t verdict);
  /// The rest is passed over, for the next rule, when the call is another one.
  void when(long call, std::size_t length);

  std::vector<sock_filter> code_;
};

}  // namespace soresolve
