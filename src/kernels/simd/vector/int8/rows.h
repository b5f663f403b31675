// Contiguous bytes: element-wise functions, and reductions of windows.
#pragma once

#include "src/kernels/simd/vector/int8/fixed_point.h"
#include "src/kernels/simd/vector/int8/layout.h"

namespace webnn::inline v0_1::simd {

/// y[i] = table[x[i]]
void int8_map(const std::uint8_t* table, const std::uint8_t* x, std::size_t n, std::uint8_t* y);

/// y = result(factor * (a * x + b * z)), where each of the two products has 20 bits more than x and
/// z, or result(factor * x * z): bytes as unsigned ones after `flip`, less their zero.
struct Int8Binary {
  enum class What { sum, difference, product } what = What::sum;
  FixedPoint a{}, b{}, factor{};
  std::int32_t x_zero = 0, z_zero = 0;
  std::uint8_t x_flip = 0, z_flip = 0;
  Int8Result result{};
};
/// `x_step`, `z_step`: 1, or 0 for an operand of one element.
void int8_binary(const Int8Binary& g, const std::uint8_t* x, std::size_t x_step,
                 const std::uint8_t* z, std::size_t z_step, std::size_t n, std::uint8_t* y);

/// y = (x - zero) * scale, for unsigned bytes after `flip`.
void int8_dequantize(const std::uint8_t* x, std::size_t n, std::uint8_t flip, std::int32_t zero,
                     float scale, float* y);
/// y = roundEven(x / scale) + zero, saturated, flipped; the quotient is a float, NaN becomes zero.
void int8_quantize(const float* x, std::size_t n, float scale, const Int8Result& result,
                   std::uint8_t* y);

/// y = clamp(round(x / scale) + zero, 0, 255), where quotient and sum are floats, rounded to even;
/// NaN becomes 0.
void int8_quantize_quotient(const float* x, std::size_t n, float scale, std::uint8_t zero,
                            std::uint8_t* y);

/// Windows of pixels.
struct Int8Window {
  std::size_t rows = 0, row_step = 0, columns = 0, column_step = 0;  ///< steps in bytes
};
/// For each channel of a window result(scale * (bias + sum)).
void int8_mean(const Int8Window& w, const std::uint8_t* x, std::size_t channels, std::uint8_t flip,
               std::int32_t bias, FixedPoint scale, const Int8Result& result, std::uint8_t* y);
/// For each channel of a window result(scale * (bias + sum)), rounded to even, as floats.
void int8_float_mean(const Int8Window& w, const std::uint8_t* x, std::size_t channels,
                     std::uint8_t flip, std::int32_t bias, float scale, const Int8Result& result,
                     std::uint8_t* y);
/// For each channel of a window, with elements, result(mean / scale), where every operation is
/// rounded to float32: the products (byte - zero) * x_scale are added column by column.
struct Int8FloatAverage {
  std::uint8_t flip = 0;  ///< of x
  std::int32_t zero = 0;  ///< of unsigned bytes
  float x_scale = 1, scale = 1;
};
void int8_float_average(const Int8Window& w, const std::uint8_t* x, std::size_t channels,
                        const Int8FloatAverage& g, const Int8Result& result, std::uint8_t* y);
/// For each channel of a window the mean of its bytes; ties are rounded away from zero.
void int8_average(const Int8Window& w, const std::uint8_t* x, std::size_t channels,
                  const Int8Result& result, std::uint8_t* y);
/// For each channel the largest byte of a window; bytes are compared after `flip`.
void int8_max(const Int8Window& w, const std::uint8_t* x, std::size_t channels, std::uint8_t flip,
              std::uint8_t* y);

/// For d < 256: result(powers[d] * scale) at table[(largest - d) ^ flip].
void int8_power_table(const float* powers, float scale, std::uint8_t largest, std::uint8_t flip,
                      const Int8Result& result, std::uint8_t* table);

}  // namespace webnn::inline v0_1::simd
