// softmax of rows of bytes.
#pragma once

#include "src/kernels/simd/vector/int8/layout.h"

namespace webnn::inline v0_1::simd {

/// Powers of e whose exponents are `scale` times the bytes, as unsigned ones after `flip`.
struct Int8Softmax {
  std::uint8_t flip = 0;
  float scale = 1;  ///< of x
  double unit = 1;  ///< the scale of the result
  Int8Result result{};
};
/// For each row of n: y[i] = result(e^(scale * x[i]) / (sum of the powers of the row) / unit)
void int8_softmax(const Int8Softmax& g, const std::uint8_t* x, std::size_t rows, std::size_t n,
                  std::uint8_t* y);

}  // namespace webnn::inline v0_1::simd
