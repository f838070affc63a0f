// By callgrind's requests to valgrind. It writes its counts to a new file each time; the line "totals:" has the sum.
#include "hostile/work_meter.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define SORESOLVE_TEST_HAS_CALLGRIND
#endif

namespace soresolve::test {
namespace {

#ifdef SORESOLVE_TEST_HAS_CALLGRIND
int files_written = 0;  ///< callgrind numbers them in one process

std::uint64_t total_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    constexpr std::string_view kTotals = "totals: ";
    if (line.starts_with(kTotals)) return std::strtoull(line.c_str() + kTotals.size(), nullptr, 10);
  }
  std::fprintf(stderr, "%s has no count: is this the file of --callgrind-out-file?\n", path.c_str());
  std::exit(2);
}
#endif

}  // namespace

#ifdef SORESOLVE_TEST_HAS_CALLGRIND
bool can_count_work() { return RUNNING_ON_VALGRIND != 0; }

WorkMeter::WorkMeter(std::string file) : file_(std::move(file)) { CALLGRIND_START_INSTRUMENTATION; }
WorkMeter::~WorkMeter() { CALLGRIND_STOP_INSTRUMENTATION; }

std::uint64_t WorkMeter::count(const std::function<void()>& work) {
  CALLGRIND_ZERO_STATS;
  work();
  CALLGRIND_DUMP_STATS;
  const std::string path = file_ + "." + std::to_string(++files_written);
  const std::uint64_t total = total_of(path);
  std::filesystem::remove(path);
  return total;
}
#else
bool can_count_work() { return false; }
WorkMeter::WorkMeter(std::string file) : file_(std::move(file)) {}
WorkMeter::~WorkMeter() = default;
std::uint64_t WorkMeter::count(const std::function<void()>& work) {
  work();
  return 0;
}
#endif

}  // namespace soresolve::test
