// Random inputs from fixed seeds, references in double precision, and comparisons that count elements never written.
// Where every sum is exact, one different bit is a failure.
#include "numbers.h"

#include <bit>
#include <cmath>
#include <cstdio>

namespace soresolve::confirm {
namespace {

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
class RandomBits {
 public:
  explicit RandomBits(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

constexpr std::uint32_t kPoisonWord = kPoison * 0x01010101U;

std::string shown(double value) {
  char text[48];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

}  // namespace

std::vector<float> random_floats(std::size_t count, std::uint64_t seed) {
  RandomBits bits(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    value = static_cast<float>(static_cast<std::int64_t>(bits.next() >> 40) - (1 << 23)) / static_cast<float>(1 << 23);
  }
  return values;
}

std::vector<float> random_steps(std::size_t count, std::uint64_t seed) {
  RandomBits bits(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(static_cast<int>(bits.next() % 129) - 64) / 64.0F;
  return values;
}

Comparison compare(std::span<const float> got, const Reference& reference) {
  Comparison comparison;
  comparison.count = reference.values.size();
  if (got.size() != reference.values.size()) {
    comparison.wrong = comparison.untouched = comparison.count;
    return comparison;
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double scale = reference.scales[i] > 0 ? reference.scales[i] : 1;
    const double error = std::abs(static_cast<double>(got[i]) - reference.values[i]) / scale;
    if (error > comparison.worst_error) comparison.worst_error = error;
    // A NaN is in no comparison true, and so is wrong here.
    const bool is_right = reference.exact.empty() ? error <= reference.tolerance
                                                  : std::bit_cast<std::uint32_t>(got[i]) ==
                                                            std::bit_cast<std::uint32_t>(reference.exact[i]) ||
                                                        (got[i] == 0 && reference.exact[i] == 0);
    if (is_right) continue;
    ++comparison.wrong;
    if (std::bit_cast<std::uint32_t>(got[i]) == kPoisonWord) ++comparison.untouched;
    if (comparison.first_wrong) continue;
    comparison.first_wrong = i;
    comparison.got = got[i];
    comparison.wanted = reference.exact.empty() ? reference.values[i] : static_cast<double>(reference.exact[i]);
  }
  return comparison;
}

std::string error_text(const Comparison& comparison) {
  char error[32];
  std::snprintf(error, sizeof error, "%.2g", comparison.worst_error);
  return error;
}

Statement describe(const Comparison& comparison) {
  if (comparison.is_good()) {
    return say("all-elements-right", {{"count", comparison.count}, {"error", error_text(comparison)}});
  }
  Statement untouched;
  if (comparison.untouched != 0) untouched = say("never-written", {{"count", comparison.untouched}});
  Statement first;
  if (comparison.first_wrong) {
    first = say("first-wrong", {{"place", *comparison.first_wrong},
                                {"got", shown(static_cast<double>(comparison.got))},
                                {"wanted", shown(comparison.wanted)}});
  }
  return say("elements-wrong",
             {{"wrong", comparison.wrong}, {"count", comparison.count}, {"untouched", untouched}, {"first", first}});
}

Reference saxpy_reference(float a, std::span<const float> x, std::span<const float> y) {
  Reference reference;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double product = static_cast<double>(a) * static_cast<double>(x[i]);
    reference.values.push_back(product + static_cast<double>(y[i]));
    reference.scales.push_back(std::abs(product) + std::abs(static_cast<double>(y[i])));
    reference.exact.push_back(std::fmaf(a, x[i], y[i]));
  }
  return reference;
}

Reference product_reference(std::size_t n, std::span<const float> a, std::span<const float> b) {
  Reference reference;
  reference.values.assign(n * n, 0);
  reference.scales.assign(n * n, 0);
  reference.exact.assign(n * n, 0);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t column = 0; column < n; ++column) {
        const std::size_t at = row * n + column;
        const float left = a[row * n + k];
        const float right = b[k * n + column];
        const double product = static_cast<double>(left) * static_cast<double>(right);
        reference.values[at] += product;
        reference.scales[at] += std::abs(product);
        reference.exact[at] = std::fmaf(left, right, reference.exact[at]);
      }
    }
  }
  return reference;
}

}  // namespace soresolve::confirm
