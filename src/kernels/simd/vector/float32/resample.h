// Rows of images made from others by tables of the columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace webnn::inline v0_1::simd {

/// What the elements of an axis are made of: low_weight of `low` and high_weight of `high`. Where
/// high_weight is 0, `low` is all of it, and `high` is not read.
struct Samples {
  std::vector<std::int32_t> low{}, high{};
  std::vector<float> low_weight{}, high_weight{};

  std::size_t size() const { return low.size(); }
};

/// y[i] = x[low[i]], for all samples; an element is `after` floats.
void take_nearest(const Samples&, std::size_t after, const float* x, float* y);
/// The same with the weights of two elements.
void take_linear(const Samples&, std::size_t after, const float* x, float* y);
/// y = a_weight * a + b_weight * b.
void blend(const float* a, float a_weight, const float* b, float b_weight, std::size_t n, float* y);

}  // namespace webnn::inline v0_1::simd
