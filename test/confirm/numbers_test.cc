// The comparisons and references of `confirm` must be able to fail: wrong bits, NaN, elements never written, wrong
// counts.
#include "numbers.h"

#include <doctest/doctest.h>

#include "soresolve/catalogue.h"

#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "convolution.h"
#include "library_steps.h"
#include "session.h"

using namespace soresolve;
using namespace soresolve::confirm;

namespace {

Reference exact_reference(std::vector<float> values) {
  Reference reference;
  reference.values.assign(values.begin(), values.end());
  reference.scales.assign(values.size(), 1.0);
  reference.exact = std::move(values);
  return reference;
}

}  // namespace

TEST_CASE("an exact comparison sees every bit of every element") {
  const std::vector<float> right = random_floats(100, 1);
  const Reference reference = exact_reference(right);
  CHECK(compare(right, reference).is_good());
  for (std::size_t i = 0; i < right.size(); ++i) {
    for (int bit = 0; bit < 32; ++bit) {
      std::vector<float> got = right;
      got[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(got[i]) ^ (1U << bit));
      const Comparison comparison = compare(got, reference);
      CHECK(comparison.wrong == 1);
      CHECK(comparison.first_wrong == i);
    }
  }
}

TEST_CASE("a comparison with a tolerance measures by the scale of the sum") {
  Reference reference;
  reference.values = {100.0, 0.0};
  reference.scales = {1000.0, 10.0};
  reference.tolerance = 1e-3;
  struct Case {
    const char* why;
    float first;
    float second;
    std::size_t wrong;
  };
  const float infinity = std::numeric_limits<float>::infinity();
  const Case cases[] = {
      {"equal", 100.0F, 0.0F, 0},
      {"within", 100.9F, 0.009F, 0},
      {"one beyond", 101.1F, 0.0F, 1},
      {"both beyond", 98.9F, -0.011F, 2},
      {"not a number", std::numeric_limits<float>::quiet_NaN(), 0.0F, 1},
      {"infinite", infinity, 0.0F, 1},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const std::vector<float> got = {c.first, c.second};
    CHECK(compare(got, reference).wrong == c.wrong);
  }
}

TEST_CASE("what nobody has written is wrong, and told as such") {
  const float poison = std::bit_cast<float>(0x01010101U * kPoison);
  CHECK(std::isnan(poison));
  const std::vector<float> got = {1.0F, poison};
  const Comparison comparison = compare(got, exact_reference({1.0F, 2.0F}));
  CHECK(comparison.wrong == 1);
  CHECK(comparison.untouched == 1);
  CHECK(sentence(describe(comparison), Language::English)
            .starts_with("1 of 2 elements wrong (1 never written), the first at 1: "));
}

TEST_CASE("nothing at all is not right, nor is another number of elements") {
  CHECK_FALSE(compare({}, Reference{}).is_good());
  const std::vector<float> one = {1.0F};
  CHECK_FALSE(compare(one, exact_reference({1.0F, 2.0F})).is_good());
}

TEST_CASE("minus zero is zero") {
  const std::vector<float> got = {-0.0F};
  CHECK(compare(got, exact_reference({0.0F})).is_good());
}

TEST_CASE("random data are in their range, differ, and repeat with their seed") {
  const std::vector<float> values = random_floats(1000, 3);
  CHECK(values == random_floats(1000, 3));
  CHECK(values != random_floats(1000, 4));
  CHECK(std::set<float>(values.begin(), values.end()).size() > 990);
  for (const float value : values) CHECK((value >= -1.0F && value < 1.0F));
  for (const float value : random_steps(1000, 3)) {
    CHECK((value >= -1.0F && value <= 1.0F));
    CHECK(value * 64.0F == std::round(value * 64.0F));
  }
}

TEST_CASE("saxpy and the matrix product by hand") {
  const std::vector<float> x = {1, 2};
  const std::vector<float> y = {10, 20};
  CHECK(saxpy_reference(3, x, y).exact == std::vector<float>{13, 26});
  const std::vector<float> a = {1, 2, 3, 4};
  const std::vector<float> b = {5, 6, 7, 8};
  const Reference product = product_reference(2, a, b);
  CHECK(product.exact == std::vector<float>{19, 22, 43, 50});
  CHECK(product.scales == std::vector<double>{19, 22, 43, 50});
}

TEST_CASE("one fused step differs from two rounded ones, and the reference has the fused one") {
  // a * x is 1 + 2^-11 + 2^-24: its last bit survives only when it is not rounded before the sum.
  const float a = 1.0F + 0x1p-12F;
  const std::vector<float> x = {a};
  const std::vector<float> y = {-1.0F};
  volatile float rounded = a * a;
  CHECK(saxpy_reference(a, x, y).exact[0] == 0x1p-11F + 0x1p-24F);
  CHECK(rounded - 1.0F == 0x1p-11F);
}

TEST_CASE("the convolution of an impulse is the filter, mirrored and with its stride") {
  std::vector<float> image(kImageCount, 0.0F);
  const std::vector<float> weights = random_steps(kWeightCount, 9);
  constexpr int kX = 100;
  constexpr int kY = 51;
  image[(1 * kImage + kY) * kImage + kX] = 1.0F;
  const Reference reference = convolution_reference(image, weights);
  for (int filter = 0; filter < kFilters; ++filter) {
    for (int y = 0; y < kOutput; ++y) {
      for (int x = 0; x < kOutput; ++x) {
        const int r = kY - (y * kStride - kPadding);
        const int s = kX - (x * kStride - kPadding);
        const bool is_inside = r >= 0 && r < kWindow && s >= 0 && s < kWindow;
        const float wanted =
            is_inside ? weights[static_cast<std::size_t>(((filter * kChannels + 1) * kWindow + r) * kWindow + s)]
                      : 0.0F;
        const float got = reference.exact[static_cast<std::size_t>((filter * kOutput + y) * kOutput + x)];
        if (got != wanted)
          FAIL_CHECK("filter " << filter << " at " << x << ", " << y << ": " << got << " instead of " << wanted);
      }
    }
  }
}

TEST_CASE("the convolution reads nothing across the edges") {
  const std::vector<float> image(kImageCount, 1.0F);
  const std::vector<float> weights(kWeightCount, 1.0F);
  const Reference reference = convolution_reference(image, weights);
  CHECK(reference.values.front() == 3 * 4 * 4);
  CHECK(reference.values[1] == 3 * 4 * 6);
  CHECK(reference.values[kOutput - 1] == 3 * 4 * 5);
  CHECK(reference.values[kOutput * 50 + 50] == 3 * 7 * 7);
  CHECK(reference.values.back() == 3 * 5 * 5);
}

TEST_CASE("a version is as predicted as far as both go") {
  struct Case {
    const char* predicted;
    const char* reported;
    bool want;
  };
  const Case cases[] = {{"9.19.0", "9.19.0", true}, {"9.19", "9.19.0", true}, {"13.1.0.3", "13.1.0", true},
                        {"", "1.0", true},          {"9.1", "9.19", false},   {"9.19", "9.1", false},
                        {"12.4", "12.5", false},    {"13.0", "13", true}};
  for (const Case& c : cases) {
    CAPTURE(c.predicted);
    CAPTURE(c.reported);
    CHECK(is_version_as_predicted(c.predicted, c.reported) == c.want);
  }
}

TEST_CASE("cuDNN's version number has two forms") {
  CHECK(cudnn_version_text(91900) == "9.19.0");
  CHECK(cudnn_version_text(8906) == "8.9.6");
  CHECK(cudnn_version_text(7605) == "7.6.5");
  CHECK(cudnn_version_text(90000) == "9.0.0");
}
