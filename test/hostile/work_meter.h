// How many instructions a piece of the program takes: a measure of time that no other work on the machine changes.
//
// Counted by valgrind's callgrind, in all code of the process, libc's too, and by nothing else: what the kernel does
// is not in it. The program has to be started as
//   valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file=FILE PROGRAM
// Valgrind is slow (some fifty times), so that what is counted is small; counts of one program and one input are equal
// to a few instructions.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace soresolve::test {

/// Whether instructions can be counted here: under valgrind, by a program that was built with its header.
bool can_count_work();
/// What follows until it ends is run slowly, and can be counted. One at a time.
class WorkMeter {
 public:
  /// `file`: the same as in valgrind's --callgrind-out-file. Counts are left in FILE.1, FILE.2, … and removed.
  explicit WorkMeter(std::string file);
  ~WorkMeter();
  WorkMeter(const WorkMeter&) = delete;
  WorkMeter& operator=(const WorkMeter&) = delete;

  /// The instructions of `work`; ends the program when the count cannot be read.
  std::uint64_t count(const std::function<void()>& work);

 private:
  std::string file_;
};

}  // namespace soresolve::test
