// What the files of cases share. Private to them.
#pragma once

#include <cmath>
#include <cstring>

#include "tests/formats/executorch/cases.h"
#include "tests/support/random.h"

namespace webnn::inline v0_1::executorch::test {

using Tensors = std::vector<Tensor>;

inline std::vector<double> doubles(const Tensor& t) {
  std::vector<double> out(t.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = t[i];
  return out;
}
/// Values between low and high, in steps of 1/64, that differ from case to case.
inline Tensor sample(Dims shape, double low = -2, double high = 2, std::uint32_t seed = 1) {
  webnn::test::Random random(seed);
  Tensor t = webnn::test::filled(float32, std::move(shape), 0);
  const auto steps = static_cast<std::uint32_t>((high - low) * 64);
  for (std::size_t i = 0; i < t.size(); ++i) t.set(i, low + random.integer(0, steps) / 64.0);
  return t;
}
inline std::vector<float> floats_of(const Tensor& t) {
  const auto v = doubles(t);
  return {v.begin(), v.end()};
}
inline double clamp(double v, double low, double high) { return std::min(std::max(v, low), high); }

/// What a quantization makes of a value.
struct Quant {
  double scale;
  int zero;
  bool is_signed = true;
  double quantized(double v) const {
    return clamp(std::nearbyint(v / scale) + zero, is_signed ? -128 : 0, is_signed ? 127 : 255);
  }
};

void add_elementwise_cases(std::vector<Case>& all, Place place);
void add_product_cases(std::vector<Case>& all, Place place);
void add_convolution_cases(std::vector<Case>& all, Place place);
void add_pooling_cases(std::vector<Case>& all, Place place);
void add_movement_cases(std::vector<Case>& all, Place place);
void add_quantized_cases(std::vector<Case>& all, Place place);

}  // namespace webnn::inline v0_1::executorch::test
