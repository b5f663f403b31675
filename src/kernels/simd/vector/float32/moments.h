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
/// Of pixels that lie one after the other. y may be x or residual.
void standardize(const Standardization&, const float* x, std::size_t pixels, const float* residual,
                 float* y);

/// y = epilogue(x * factor + shift, residual), with one of each for each channel. Both are sums of
/// two finite floats, 48 bits: a shift may cancel the product, and its rounding error with it.
struct Scaling {
  const float *factor, *factor_rest, *shift, *shift_rest;
  std::size_t channels;
  Epilogue epilogue;
  std::size_t x_pitch = channels, y_pitch = channels;  ///< floats from pixel to pixel
};
/// As standardize(); residual has the pitch of y.
void scale(const Scaling&, const float* x, std::size_t pixels, const float* residual, float* y);

}  // namespace webnn::inline v0_1::simd
