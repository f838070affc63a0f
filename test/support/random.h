// Random numbers that are the same on every machine for one seed (splitmix64).
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace soresolve::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t value = state_;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
  }
  /// 0 … count-1.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  /// first … last.
  std::size_t between(std::size_t first, std::size_t last) { return first + below(last - first + 1); }
  bool chance(unsigned percent) { return below(100) < percent; }

  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[below(list.size())];
  }
  std::string pick(std::initializer_list<const char*> list) { return list.begin()[below(list.size())]; }

 private:
  std::uint64_t state_;
};

}  // namespace soresolve::test
