// Bytes between two others, in integers: weights are 1024 in all for each of two directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/kernels/simd/vector/int8/layout.h"

namespace webnn::inline v0_1::simd {

inline constexpr std::int32_t resample_unit = 1024;

/// Element o of an axis of the result is (unit - weight[o]) of `low` and weight[o] of `high`.
struct Int8Samples {
  std::vector<std::int32_t> low{}, high{}, weight{};

  std::size_t size() const { return low.size(); }
};

/// y = (unit - weight) * a + weight * b, for n bytes that are signed or not.
void int8_blend_rows(const std::uint8_t* a, const std::uint8_t* b, std::int32_t weight,
                     bool is_signed, std::size_t n, std::int32_t* y);
/// Pixels of `channels` between two pixels of a blended row, divided by unit^2, halves away from
/// zero, and limited to [low, high].
void int8_blend_columns(const Int8Samples& s, std::size_t channels, const std::int32_t* x,
                        bool is_signed, std::int32_t low, std::int32_t high, std::uint8_t* y);

/// The same in float32: element o of an axis is near[o] of `low` and far[o] of `high`.
struct Int8FloatSamples {
  std::vector<std::int32_t> low{}, high{};
  std::vector<float> near{}, far{};

  std::size_t size() const { return low.size(); }
};
/// What bytes mean, and those of the result: see Int8Result.
struct Int8FloatUnits {
  std::uint8_t flip = 0;
  std::int32_t zero = 0;  ///< of unsigned bytes
  float x_scale = 1, scale = 1;
  Int8Result result{};
};
/// Pixels between two rows of pixels, of which the first one has the weight `near`, the second one
/// `far`. With every operation rounded to float32: the value of a byte is (byte - zero) * x_scale,
/// a pixel is the sum of four values, in their order in memory, times the product of two weights.
void int8_float_blend(const Int8FloatUnits& units, const Int8FloatSamples& across, float near,
                      float far, const std::uint8_t* a, const std::uint8_t* b, std::size_t channels,
                      std::uint8_t* y);

/// The same for one channel: element o of a row of n is between from[0][o], from[1][o] of one row
/// and from[2][o], from[3][o] of the other one, which are values already.
void int8_float_blend_plane(const Int8FloatUnits& units, const Int8FloatSamples& across, float near,
                            float far, const float* const* from, std::uint8_t* y);

}  // namespace webnn::inline v0_1::simd
