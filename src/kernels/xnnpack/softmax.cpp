#include "src/kernels/xnnpack/backend.h"
#include "src/kernels/xnnpack/tile.h"

#include <algorithm>
#include <cmath>

namespace webnn::inline v0_1::xnnpack {
namespace {

/// By the formula, with its results for infinities and NaN; x may be y.
void softmax_row(const float* x, float* y, std::size_t channels) {
  float largest = x[0];
  for (std::size_t i = 1; i < channels; ++i) largest = !(x[i] <= largest) ? x[i] : largest;
  double sum = 0;
  for (std::size_t i = 0; i < channels; ++i) sum += y[i] = std::exp(x[i] - largest);
  for (std::size_t i = 0; i < channels; ++i) y[i] = static_cast<float>(y[i] / sum);
}

}  // namespace

Lowering lower(const ops::softmax& op, const LoweringRequest& request) {
  const Dims& shape = request.result.shape();
  if (op.axis + 1 != shape.size()) return Refusal{"the axis is not the last one"};
  const std::size_t channels = shape.back(), rows = element_count(shape) / channels;
  const std::size_t wanted =
      std::min(rows, tiles_for(static_cast<double>(rows) * static_cast<double>(channels), 4096));
  Tiles tiles;
  for (std::size_t i = 0; i < wanted; ++i) {
    const std::size_t first = rows * i / wanted, count = rows * (i + 1) / wanted - first;
    Tile t;
    t.op = softmax(channels, count);
    t.a = {count * channels, channels % 4 != 0};
    t.reads_result = true;
    t.output.columns = t.output.step = count * channels;
    t.calls = {{first * channels, 0, first * channels}};
    t.plain = [count, channels](const float* x, const float*, float* y) {
      for (std::size_t r = 0; r < count; ++r)
        softmax_row(x + r * channels, y + r * channels, channels);
    };
    tiles.push_back(std::move(t));
  }
  return kernel_of(std::move(tiles), "softmax", {0});
}

}  // namespace webnn::inline v0_1::xnnpack
