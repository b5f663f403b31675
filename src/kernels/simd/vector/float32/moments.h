// Mean and variance of channels, and functions of elements with parameters of their channels.
#pragma once

#include <cstddef>

#include "src/kernels/common/epilogue.h"

namespace webnn::inline v0_1::simd {

/// Sums of the differences of some pixels from an origin, and of their squares; one of each for
/// each channel. In double, and with an origin near the values, neither overflows nor cancels.
struct Moments {
  double *sums, *squares;
};
/// Overwrites them with those of `pixels` pixels that lie one after the other.
void add_up(const float* x, std::size_t pixels, std::size_t channels, const float* origin,
            const Moments& to);

/// y = epilogue((x - mean) * factor + bias, residual), each with one value for each channel. The
/// mean is in two parts, so that the difference loses nothing.
struct Standardization {
  const float *mean, *mean_rest, *factor, *bias;
  std::size_t channels;
  Epilogue epilogue;
};
/// Standardizes contiguous pixels. y may be x or residual.
void standardize(const Standardization&, const float* x, std::size_t pixels, const float* residual,
                 float* y);

/// The same with a mean that is one float, and a factor that is the sum of two, 48 bits. The
/// rounding errors of the difference and of the factor are added again, because the bias may cancel
/// the product; where x is the mean, the result is the bias, unless the factor is infinite.
struct Normalization {
  const float *mean, *factor, *factor_rest, *bias;
  std::size_t channels;
  Epilogue epilogue;
  std::size_t x_pitch = channels, y_pitch = channels;  ///< floats from pixel to pixel
};
/// As standardize(); residual has the pitch of y.
void normalize(const Normalization&, const float* x, std::size_t pixels, const float* residual,
               float* y);

}  // namespace webnn::inline v0_1::simd
