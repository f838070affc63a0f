// The reference of the convolution in double precision on the CPU; inputs are steps of 1/64, so that every sum is
// exact. Only this one shape (first layer of ResNet) is computed, not cuDNN's other modes.
#include "convolution.h"

#include <cmath>
#include <vector>

namespace soresolve::confirm {
namespace {

constexpr int kPadded = kImage + 2 * kPadding;
constexpr int kHalf = kPadded / kStride;

/// Columns of the padded image, the even ones and the odd ones apart: then neighbours in the output read
/// neighbours here.
std::vector<double> split_columns(std::span<const float> image) {
  std::vector<double> split(std::size_t{kChannels} * kPadded * kPadded, 0.0);
  for (int channel = 0; channel < kChannels; ++channel) {
    for (int y = 0; y < kImage; ++y) {
      for (int x = 0; x < kImage; ++x) {
        const int column = x + kPadding;
        const int at = ((channel * kPadded + y + kPadding) * kStride + column % kStride) * kHalf + column / kStride;
        split[static_cast<std::size_t>(at)] =
            static_cast<double>(image[static_cast<std::size_t>((channel * kImage + y) * kImage + x)]);
      }
    }
  }
  return split;
}

/// One filter over the whole image.
void add_filter(const double* split, const float* weights, double* output) {
  for (int channel = 0; channel < kChannels; ++channel) {
    for (int r = 0; r < kWindow; ++r) {
      for (int s = 0; s < kWindow; ++s) {
        const double weight = static_cast<double>(weights[(channel * kWindow + r) * kWindow + s]);
        for (int y = 0; y < kOutput; ++y) {
          const double* from =
              split + ((channel * kPadded + y * kStride + r) * kStride + s % kStride) * kHalf + s / kStride;
          double* to = output + y * kOutput;
          for (int x = 0; x < kOutput; ++x) to[x] += weight * from[x];
        }
      }
    }
  }
}

}  // namespace

Reference convolution_reference(std::span<const float> image, std::span<const float> weights) {
  const std::vector<double> split = split_columns(image);
  Reference reference;
  reference.values.assign(kOutputCount, 0.0);
  // No sum of the magnitudes: every term is at most 1.
  reference.scales.assign(kOutputCount, double{kChannels * kWindow * kWindow});
  for (int filter = 0; filter < kFilters; ++filter) {
    add_filter(split.data(), weights.data() + std::size_t{kWeightCount / kFilters} * static_cast<std::size_t>(filter),
               reference.values.data() + std::size_t{kOutput} * kOutput * static_cast<std::size_t>(filter));
  }
  reference.exact.assign(reference.values.begin(), reference.values.end());
  return reference;
}

}  // namespace soresolve::confirm
