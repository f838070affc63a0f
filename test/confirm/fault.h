// How the false libraries of CUDA misbehave: FALSE_CUDA="FUNCTION=FAULT;FUNCTION=FAULT".
//
// A FAULT is a status to return, or crash, abort, hang, exit, exit:N, eat (memory), print, or for results flip:INDEX:BIT,
// skip (nothing is written) and value:N (a version).
#pragma once
#include <signal.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace false_cuda {

/// The fault of a function; empty: none.
inline std::string fault_of(const std::string& function) {
  const char* all = std::getenv("FALSE_CUDA");
  const std::string faults = ";" + std::string(all == nullptr ? "" : all) + ";";
  const std::string key = ";" + function + "=";
  const std::size_t at = faults.find(key);
  if (at == std::string::npos) return {};
  const std::size_t start = at + key.size();
  return faults.substr(start, faults.find(';', start) - start);
}

inline bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// What happens when the function is called: its status, if it comes back at all.
inline int enter(const char* function) {
  const std::string fault = fault_of(function);
  if (is_number(fault)) return std::atoi(fault.c_str());
  if (fault == "crash") ::raise(SIGSEGV);
  if (fault == "hang") {
    for (;;) ::pause();
  }
  if (fault == "abort") {
    std::fprintf(stderr, "%s: no way to go on\n", function);
    std::abort();
  }
  if (fault == "exit") std::exit(0);
  if (fault.starts_with("exit:")) std::exit(std::atoi(fault.c_str() + 5));
  if (fault == "print") std::fprintf(stderr, "%s says hello\n", function);
  if (fault == "babble") {  // on the probe's own channel
    const char words[] = "no JSON\n{\"end\":\"kernel\",\"status\":\"passed\"}\n[1,2\n{\"begin\":7}\n";
    for (int i = 0; i < 3; ++i) {
      if (::write(3, words, sizeof words - 1) < 0) break;
    }
  }
  while (fault == "eat") {
    constexpr std::size_t kPiece = 64 << 20;
    void* piece = std::malloc(kPiece);
    if (piece != nullptr) std::memset(piece, 1, kPiece);
    ::usleep(1000);
  }
  return 0;
}

/// A version that is lied about.
inline int told(const char* function, int truth) {
  const std::string fault = fault_of(function);
  return fault.starts_with("value:") ? std::atoi(fault.c_str() + 6) : truth;
}

inline bool is_skipped(const char* function) { return fault_of(function) == "skip"; }

/// Turns one bit of one element round.
inline void spoil(const char* function, float* values) {
  const std::string fault = fault_of(function);
  if (!fault.starts_with("flip:")) return;
  const std::size_t index = std::strtoul(fault.c_str() + 5, nullptr, 10);
  const unsigned long bit = std::strtoul(fault.c_str() + fault.rfind(':') + 1, nullptr, 10);
  values[index] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(values[index]) ^ (1U << bit));
}

}  // namespace false_cuda
