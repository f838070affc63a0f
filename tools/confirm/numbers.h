// Data for the kernels, and whether what came back is right: no check may be one that cannot fail.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "soresolve/statement.h"

namespace soresolve::confirm {

/// Random floats in [-1, 1), the same for the same seed.
std::vector<float> random_floats(std::size_t count, std::uint64_t seed);
/// Random multiples of 1/64 in [-1, 1]: some hundred products of them add up without any rounding, in
/// every order, and in TF32 as well. What sums them has to be right to the last bit.
std::vector<float> random_steps(std::size_t count, std::uint64_t seed);

/// What output memory is filled with first: a NaN that no arithmetic makes.
inline constexpr unsigned char kPoison = 0xFF;

/// What should come out.
struct Reference {
  std::vector<double> values;
  /// Of each the sum of the terms' magnitudes, which an error is measured by.
  std::vector<double> scales;
  /// To the last bit; empty: `tolerance` counts.
  std::vector<float> exact;
  double tolerance = 0;  ///< relative to the scale
};

struct Comparison {
  std::size_t count = 0;
  std::size_t wrong = 0;
  std::size_t untouched = 0;  ///< still poison; wrong as well
  std::optional<std::size_t> first_wrong;
  float got = 0;  ///< there
  double wanted = 0;
  double worst_error = 0;  ///< largest error of all that are numbers, relative to the scale
  [[nodiscard]] bool is_good() const { return count != 0 && wrong == 0; }
};

/// Every element is looked at.
Comparison compare(std::span<const float> got, const Reference& reference);

/// "all 65536 elements right, largest relative error 1.2e-08", "1 of 65536 elements is wrong, the first …".
Statement describe(const Comparison& comparison);
/// The largest relative error, with two digits.
std::string error_text(const Comparison& comparison);

/// The same on the CPU: y = a * x + y in one fused step.
Reference saxpy_reference(float a, std::span<const float> x, std::span<const float> y);
/// c = a * b, n x n, row by row; `exact` is the fused sum in the order of k.
Reference product_reference(std::size_t n, std::span<const float> a, std::span<const float> b);

}  // namespace soresolve::confirm
