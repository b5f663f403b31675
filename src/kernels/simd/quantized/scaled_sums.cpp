#include "src/kernels/simd/quantized/scaled_sums.h"

#include <algorithm>
#include <vector>

#include "src/kernels/common/sizes.h"

namespace webnn::inline v0_1::simd {
namespace {

/// The integers of a column, in the order of the segments.
void read_column(const Int8Gemm& g, std::size_t column, std::vector<std::int8_t>& to) {
  const std::size_t lanes = to_size(int8_lanes()), v = column / lanes, panel = v / 4 * 4;
  const std::size_t vectors = (to_size(g.columns) + lanes - 1) / lanes;
  const std::size_t wide = std::min<std::size_t>(4, vectors - panel), each = (g.k + 3) / 4;
  const std::int8_t* const w = g.w + panel * g.quads() * lanes * 4;
  to.clear();
  for (std::size_t s = 0; s < g.segments; ++s)
    for (std::size_t t = 0; t < g.k; ++t)
      to.push_back(
          w[(((s * each + t / 4) * wide + v - panel) * lanes + column % lanes) * 4 + t % 4]);
}

}  // namespace

void scaled_sums(const Int8Gemm& g, const ScalesOfProduct& scales, std::int32_t x_zero,
                 std::size_t rows, std::size_t first, std::size_t last, const std::uint8_t* x,
                 const std::uint8_t* inside, float* y) {
  std::vector<std::int8_t> w;
  for (std::size_t c = first; c < last; ++c) {
    read_column(g, c, w);
    const std::int32_t w_zero = g.w_zero ? g.w_zero[c] : 0;
    const float right = scales.right ? scales.right[c * scales.right_step] : 1;
    for (std::size_t r = 0; r < rows; ++r) {
      float sum = 0;
      for (std::size_t s = 0; s < g.segments; ++s)
        for (std::size_t t = 0; t < g.k; ++t) {
          const std::size_t at = r * g.x_stride + g.offsets[s] + t;
          const bool padding = inside && inside[at] == 0;
          const auto distance = static_cast<float>((x[at] ^ g.flip) - x_zero);
          const float a = padding ? 0 : distance * scales.left;
          sum += a * (static_cast<float>(w[s * g.k + t] - w_zero) * right);
        }
      y[r * g.y_stride + c] = sum;
    }
  }
}

}  // namespace webnn::inline v0_1::simd
