// cuFFT: its version, and a complex transform of length 1024 there and back, against the definition in double
// precision. Source: cuFFT manual, cufftPlan1d, cufftExecC2C. Other lengths and types are not run.
#include <cufft.h>

#include <cmath>
#include <numbers>

#include "library_steps.h"

namespace soresolve::confirm {
namespace {

constexpr std::size_t kLength = 1024;
// Of the root mean square of what comes out. A transform of radix 2 in single precision errs by 8e-7 at most there and
// back (200 signals), by 2e-6 if its sines are off by one in the last place.
constexpr double kTolerance = 1e-5;

/// Each element of a transform is a sum over all: its error goes by them, not by itself.
void scale_by_root_mean_square(Reference& reference) {
  double squares = 0;
  for (const double value : reference.values) squares += value * value;
  reference.scales.assign(reference.values.size(), std::sqrt(squares / static_cast<double>(reference.values.size())));
}

/// The transform by its definition, in double precision; `signal` holds pairs.
Reference transform_reference(const std::vector<float>& signal) {
  std::vector<double> cosines(kLength);
  std::vector<double> sines(kLength);
  for (std::size_t i = 0; i < kLength; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(kLength);
    cosines[i] = std::cos(angle);
    sines[i] = std::sin(angle);
  }
  Reference reference;
  reference.tolerance = kTolerance;
  for (std::size_t k = 0; k < kLength; ++k) {
    double real = 0;
    double imaginary = 0;
    for (std::size_t i = 0; i < kLength; ++i) {
      const std::size_t turn = i * k % kLength;
      const double x = static_cast<double>(signal[2 * i]);
      const double y = static_cast<double>(signal[2 * i + 1]);
      real += x * cosines[turn] + y * sines[turn];
      imaginary += y * cosines[turn] - x * sines[turn];
    }
    reference.values.push_back(real);
    reference.values.push_back(imaginary);
  }
  scale_by_root_mean_square(reference);
  return reference;
}

/// There and back: the signal times the length.
Reference round_trip_reference(const std::vector<float>& signal) {
  Reference reference;
  reference.tolerance = kTolerance;
  for (const float value : signal)
    reference.values.push_back(static_cast<double>(value) * static_cast<double>(kLength));
  scale_by_root_mean_square(reference);
  return reference;
}

}  // namespace

Outcome compute_cufft_transform(Computation& run) {
  const std::vector<float> signal = random_floats(2 * kLength, 9);
  auto& [session, cufft, memory] = run;
  const GpuAddress there = memory.upload(signal);
  const GpuAddress spectrum = memory.poisoned(2 * kLength);
  const GpuAddress back = memory.poisoned(2 * kLength);
  if (run.has_failed()) return {};
  cufftHandle plan = 0;
  cufft.call<decltype(cufftPlan1d)>("cufftPlan1d", &plan, static_cast<int>(kLength), CUFFT_C2C, 1);
  cufft.call<decltype(cufftExecC2C)>("cufftExecC2C", plan, pointer_to<cufftComplex>(there),
                                     pointer_to<cufftComplex>(spectrum), CUFFT_FORWARD);
  cufft.call<decltype(cufftExecC2C)>("cufftExecC2C", plan, pointer_to<cufftComplex>(spectrum),
                                     pointer_to<cufftComplex>(back), CUFFT_INVERSE);
  run.wait();
  const Comparison forward = compare(memory.download(spectrum, 2 * kLength), transform_reference(signal));
  const Comparison round_trip = compare(memory.download(back, 2 * kLength), round_trip_reference(signal));
  const Outcome outcome = run.judge(forward, say("spectrum"));
  if (outcome.status != StepStatus::Passed) return outcome;
  Outcome both = run.judge(round_trip, say("round-trip"));
  if (both.status == StepStatus::Passed)
    both.summary = {outcome.summary.front(), say("semicolon"), both.summary.front()};
  return both;
}

}  // namespace soresolve::confirm
