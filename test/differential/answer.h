// What a loader says about one tree, in a form in which two answers can be compared.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace soresolve::test {

/// Addresses are removed, and so are the lines of the vDSO.
struct LoaderAnswer {
  std::vector<std::string> trace;           ///< lines of LD_TRACE_LOADED_OBJECTS
  std::vector<std::string> attempts;        ///< paths of "trying file=", in order
  std::vector<std::string> trace_messages;  ///< what tracing says on stderr
  std::string trace_end;                    ///< "exit 0", "exit 127", "signal", "blocks" (waits), "spins"
  /// Filters that lead in a circle: the loader maps files until its stack or the memory is used up,
  /// which can take long. It ends with "signal" or is stopped, after any number of attempts.
  bool is_endless = false;
  bool has_left_out = false;                ///< more attempts than the library keeps
  std::vector<std::string> start_messages;  ///< what a normal (lazy) start says on stderr
  std::string start_end;
  std::vector<std::string> relocations;   ///< what a start relocates, in order
  std::vector<std::string> now_messages;  ///< the same with LD_BIND_NOW=1
  std::string now_end;
  /// "REFERRER\tSYMBOL\tVERSION or -\tPROVIDER" with LD_BIND_NOW=1, in order, each line once.
  /// Empty with AT_SECURE.
  std::vector<std::string> bindings;
  /// "REFERRER\tSYMBOL\t" that a later dlopen may bind: musl's calls without a definition, with RTLD_LAZY.
  std::vector<std::string> left_open;
};

/// One part in which two answers differ.
struct Difference {
  std::string part;  ///< "trace", "attempts", …
  std::vector<std::string> real;
  std::vector<std::string> ours;
};

/// How it never ends, by the library's words for why.
inline std::string endless_end(std::string_view reason) {
  return reason.ends_with("looks it up again and again") ? "spins" : "blocks";
}

std::vector<Difference> compare(LoaderAnswer real, LoaderAnswer ours);

/// The difference for people: the lines that differ, marked, with some around them.
std::string describe(const Difference& difference);

}  // namespace soresolve::test
