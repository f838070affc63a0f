// The system calls that analysing a file takes, and none besides.
//
// What only reads, waits or asks for memory passes in the kernel. Everything else is put before a
// judge, who lets the start of the program pass and ends it at any other.
#pragma once
#include <linux/seccomp.h>

#include <optional>
#include <string>

#include "call_filter/call_filter.h"

namespace soresolve::test {

/// The filter of a sealed program; its verdict on what is not allowed is SECCOMP_RET_USER_NOTIF.
CallFilter seal_filter();

/// A call of a sealed process, in words: "execve (59)".
std::string name_of_call(long call);

/// First argument of the prctl(2) by which a dynamic program says that its loader has mapped all of it.
inline constexpr unsigned kSealedFromHere = 0x5ea1ed;

}  // namespace soresolve::test
