// The same work for each of a row of things, on several threads. Where so many cannot be made (RLIMIT_NPROC, a
// cgroup's pids.max, no memory for a stack), fewer do it: that changes the time, not the answer.
#pragma once
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace soresolve {

/// Calls work(thread, index) for each index below `count`, ascending per thread; thread is below
/// `jobs`. Everything runs on the calling thread when jobs is 1. Returns when all is done.
template <class Work>
void for_each_index(std::size_t count, unsigned jobs, Work work) {
  if (jobs <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) work(0u, i);
    return;
  }
  std::atomic<std::size_t> next = 0;
  const auto run = [&](unsigned thread) {
    for (std::size_t i = next++; i < count; i = next++) work(thread, i);
  };
  std::vector<std::thread> threads;
  threads.reserve(jobs - 1);
  try {
    for (unsigned thread = 1; thread < jobs; ++thread) threads.emplace_back(run, thread);
  } catch (const std::system_error&) {  // those that run are enough
  }
  run(0);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace soresolve
