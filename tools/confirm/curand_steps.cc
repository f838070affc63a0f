// cuRAND: its version, and 65,536 uniform numbers: mean and variance within six standard errors, the same for the same
// seed. Source: cuRAND manual, Philox generator. It is no test of randomness.
#include <curand.h>

#include <cmath>
#include <cstring>

#include "library_steps.h"

namespace soresolve::confirm {
namespace {

constexpr std::size_t kDraws = 1 << 16;
constexpr unsigned long long kSeed = 20;

/// 0 if the memory for them is not to be had.
GpuAddress generate(Library& curand, GpuMemory& memory) {
  const GpuAddress numbers = memory.poisoned(kDraws);
  if (memory.has_failed()) return 0;
  curandGenerator_t generator = nullptr;
  curand.call<decltype(curandCreateGenerator)>("curandCreateGenerator", &generator, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curand.call<decltype(curandSetPseudoRandomGeneratorSeed)>("curandSetPseudoRandomGeneratorSeed", generator, kSeed);
  curand.call<decltype(curandGenerateUniform)>("curandGenerateUniform", generator, pointer_to<float>(numbers), kDraws);
  return numbers;
}

/// What is wrong with numbers that are to be uniform in (0, 1]; empty: nothing that shows.
Statement fault_of(const std::vector<float>& numbers) {
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double value = static_cast<double>(numbers[i]);
    if (!(value > 0 && value <= 1)) return say("number-not-in-range", {{"place", i}, {"value", std::to_string(value)}});
    sum += value;
    squares += value * value;
  }
  const double count = static_cast<double>(numbers.size());
  const double mean = sum / count;
  const double variance = squares / count - mean * mean;
  // Six standard errors: sqrt(1 / 12 n) of the mean, sqrt(1 / 180 n) of the variance.
  if (std::abs(mean - 0.5) > 6 / std::sqrt(12 * count)) return say("mean-is", {{"value", std::to_string(mean)}});
  if (std::abs(variance - 1.0 / 12) > 6 / std::sqrt(180 * count))
    return say("variance-is", {{"value", std::to_string(variance)}});
  return {};
}

}  // namespace

Outcome compute_curand_numbers(Computation& run) {
  auto& [session, curand, memory] = run;
  const GpuAddress first = generate(curand, memory);
  const GpuAddress second = generate(curand, memory);
  if (run.has_failed()) return {};
  run.wait();
  const std::vector<float> numbers = memory.download(first, kDraws);
  const std::vector<float> again = memory.download(second, kDraws);
  if (run.has_failed()) return {};
  const Statement fault = fault_of(numbers);
  if (!fault.empty()) return failed(say("not-uniform", {{"fault", fault}}));
  if (std::memcmp(numbers.data(), again.data(), kDraws * sizeof(float)) != 0) {
    return failed(say("seeds-differ"));
  }
  Outcome outcome;
  outcome.summary = {say("numbers-uniform", {{"count", kDraws}})};
  return outcome;
}

}  // namespace soresolve::confirm
