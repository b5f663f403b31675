#include "src/kernels/xnnpack/backend.h"
#include "src/kernels/xnnpack/tile.h"

namespace webnn::xnnpack {

Lowering lower(const ops::softmax& op, const Offer& offer) {
  const Dims& shape = offer.result.shape();
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
    t.columns = t.step = count * channels;
    t.places = {{first * channels, 0, first * channels}};
    tiles.push_back(std::move(t));
  }
  return lowered(std::move(tiles), "softmax", {0});
}

}  // namespace webnn::xnnpack
