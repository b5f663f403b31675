// Element-wise functions of two operands of bytes, computed in float32.
#pragma once

#include "src/kernels/simd/vector/int8/layout.h"

namespace webnn::inline v0_1::simd {

/// y = result(f(x, z) / scale), where x and z are (bytes as unsigned ones after `flip`, less their
/// zero) * their scale. Every operation is rounded to float32, the last one to an integer, halves
/// to even: the bits of dequantizeLinear, the function and quantizeLinear.
struct Int8FloatBinary {
  enum class What { sum, difference, product } what = What::sum;
  float x_scale = 1, z_scale = 1, scale = 1;
  /// Multiplies by 1 / scale instead, which rounds twice.
  bool multiplies = false;
  std::int32_t x_zero = 0, z_zero = 0;
  std::uint8_t x_flip = 0, z_flip = 0;
  Int8Result result{};
};

/// `x_step`, `z_step`: 1, or 0 for an operand of one element. Quotients are below 2^30.
void int8_float_binary(const Int8FloatBinary& g, const std::uint8_t* x, std::size_t x_step,
                       const std::uint8_t* z, std::size_t z_step, std::size_t n, std::uint8_t* y);

}  // namespace webnn::inline v0_1::simd
