// The convolution that cuDNN is asked for: that of the first layer of ResNet, whose slow path people meet.
#pragma once
#include <cstddef>
#include <span>

#include "numbers.h"

namespace soresolve::confirm {

inline constexpr int kChannels = 3;
inline constexpr int kFilters = 64;
inline constexpr int kImage = 224;  ///< width and height
inline constexpr int kWindow = 7;   ///< likewise, of a filter
inline constexpr int kStride = 2;
inline constexpr int kPadding = 3;
inline constexpr int kOutput = 112;  ///< width and height of what comes out

inline constexpr std::size_t kImageCount = std::size_t{kChannels} * kImage * kImage;
inline constexpr std::size_t kWeightCount = std::size_t{kFilters} * kChannels * kWindow * kWindow;
inline constexpr std::size_t kOutputCount = std::size_t{kFilters} * kOutput * kOutput;

/// Cross-correlation, as frameworks mean it, of one image; for data of random_steps, so that the sums in
/// double precision are exact.
Reference convolution_reference(std::span<const float> image, std::span<const float> weights);

}  // namespace soresolve::confirm
