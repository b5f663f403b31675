// Bytes between two others, in integers: weights are 1024 in all for each of two directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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

}  // namespace webnn::inline v0_1::simd
