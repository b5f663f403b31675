// Functions of bytes that differ from channel to channel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/kernels/simd/vector/int8/layout.h"

namespace webnn::inline v0_1::simd {

/// Distances of bytes from a zero point, as floats.
struct Int8Distances {
  std::uint8_t flip = 0;
  std::int32_t zero = 0;  ///< of unsigned bytes
};

/// Element i belongs to channel i % period of arrays with an element for each channel. `period` is
/// 1 or a multiple of int8_channel_step.
inline constexpr std::size_t int8_channel_step = 64;

/// y = result(roundEven(distance * factor + summand)), where the product is not rounded.
void int8_affine(const Int8Distances& d, const float* factor, const float* summand,
                 std::size_t period, const std::uint8_t* x, std::size_t n, const Int8Result& result,
                 std::uint8_t* y);

/// y = result(roundEven(v / scale)), where v is distance * x_scale, times the slope if it is
/// negative; every operation is rounded to float32.
void int8_prelu(const Int8Distances& d, float x_scale, const float* slope, float scale,
                std::size_t period, const std::uint8_t* x, std::size_t n, const Int8Result& result,
                std::uint8_t* y);

}  // namespace webnn::inline v0_1::simd
