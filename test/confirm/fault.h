// How the false libraries of CUDA misbehave: FALSE_CUDA="FUNCTION=FAULT;FUNCTION=FAULT".
//
// A FAULT is a status to return (2@7: from the seventh call on), or crash, abort, hang, exit, exit:N, eat (memory),
// print, or for results flip:INDEX:BIT, skip (nothing is written) and value:N (a version). Of malice: babble, forge,
// deep, flood, stop, stop parent, stop all, escape. The function "constructor" is what runs when libcuda.so.1 is
// loaded.
#pragma once
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
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
  std::string fault = fault_of(function);
  if (const std::size_t at = fault.find('@'); at != std::string::npos) {
    static std::map<std::string, int> calls;
    if (++calls[function] < std::atoi(fault.c_str() + at + 1)) return 0;
    fault.resize(at);
  }
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
  if (fault == "forge") {  // all that a good run reports, and a good end
    for (const char* step : {"load", "driver", "runtime", "kernel"}) {
      const std::string line =
          "{\"begin\":\"" + std::string(step) + "\"}\n{\"end\":\"" + step +
          "\",\"status\":\"passed\",\"cause\":\"\",\"summary\":\"good\",\"seen\":{},\"usage\":false,\"ms\":1}\n";
      if (::write(3, line.data(), line.size()) < 0) break;
    }
    const char last[] = "{\"finished\":true}\n";
    _exit(::write(3, last, sizeof last - 1) < 0 ? 1 : 0);
  }
  if (fault == "deep") {  // a line that is a good end but for its depth
    const std::string line = "{\"end\":\"load\",\"status\":\"passed\",\"seen\":" + std::string(400000, '[') +
                             std::string(400000, ']') + "}\n";
    for (std::size_t done = 0; done < line.size();) {
      const ssize_t count = ::write(3, line.data() + done, line.size() - done);
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
  }
  if (fault == "flood") {  // lines without anything, as fast as they are taken
    const std::string lines(65536, '\n');
    while (::write(3, lines.data(), lines.size()) > 0) {
    }
    for (;;) ::pause();
  }
  if (fault == "stop") ::raise(SIGSTOP);
  if (fault == "stop parent" || fault == "stop all") {
    for (int i = 0; i < 3 || fault == "stop all"; ++i) {
      ::kill(::getppid(), SIGSTOP);
      ::usleep(1000);
    }
  }
  if (fault == "escape" && ::fork() == 0) {  // a process of its own session, whose parent ends, and its child
    ::setsid();
    if (::fork() != 0) _exit(0);
    ::prctl(PR_SET_NAME, "escaped");
    if (::fork() == 0) ::setsid();
    const std::string name = std::to_string(::getpid()) + "\n";
    const int list = ::open(std::getenv("FALSE_PIDS"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (list < 0 || ::write(list, name.data(), name.size()) < 0) _exit(1);
    ::sleep(1000);
    _exit(0);
  }
  // Both have given their names before anything else is done.
  for (int names = 0; fault == "escape" && names < 2; ::usleep(1000)) {
    names = 0;
    std::FILE* list = std::fopen(std::getenv("FALSE_PIDS"), "re");
    for (int letter = 0; list != nullptr && (letter = std::fgetc(list)) != EOF;) names += letter == '\n' ? 1 : 0;
    if (list != nullptr) std::fclose(list);
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
inline int reported(const char* function, int truth) {
  const std::string fault = fault_of(function);
  return fault.starts_with("value:") ? std::atoi(fault.c_str() + 6) : truth;
}

/// What the driver does without any fault, by what is set: its own switches, and few addresses.
inline bool is_switched_on(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && std::strcmp(value, "1") == 0;
}

/// cuInit's answer, and that of the runtime that asks for it.
inline int initial_status() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr && std::strcmp(visible, "0") != 0) return 100;
  rlimit addresses{};
  ::getrlimit(RLIMIT_AS, &addresses);
  return addresses.rlim_cur < (1U << 30) ? 2 : 0;
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
