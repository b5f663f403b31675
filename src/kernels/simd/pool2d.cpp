// The kernels of pooling, and their tiles.
#include "src/kernels/common/partition.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/vector/float32/pool.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

/// Items are blocks of channels of the rows of the result.
struct PoolRows {
  Pool pool;
  std::size_t x_image, y_image, y_row, block;
  Partition c{};

  std::size_t blocks() const { return (pool.channels + block - 1) / block; }

  void run(Range r, const Buffers& b) const {
    const auto height = static_cast<std::size_t>(pool.down.out);
    const std::size_t end = c.end(r);
    for (std::size_t i = c.begin(r); i < end;) {
      const std::size_t line = i / blocks(), first = i % blocks();
      const std::size_t last = std::min(blocks(), first + (end - i));
      const std::size_t image = line / height, row = line % height;
      pool_row(pool, row, first * block, std::min(pool.channels, last * block),
               b.in<float>() + image * x_image, b.out<float>() + image * y_image + row * y_row);
      i += last - first;
    }
  }
};

Lowering lower_pool(PoolKind kind, const MLOperand& input, const MLPool2dOptions& o, Chain chain) {
  if (chain.size() > 1) return Refusal{"nothing is fused to a pooling"};
  if (o.layout != MLInputOperandLayout::nhwc) return Refusal{"only nhwc"};
  const Dims& output = chain.front().output().shape();
  const shape::Image in = shape::image(input.shape(), o.layout);
  PoolRows rows{.pool = {kind, pooling_side(0, o, input.shape(), output),
                         pooling_side(1, o, input.shape(), output), in.channels},
                .x_image = in.height * in.width * in.channels,
                .block = 4 * static_cast<std::size_t>(lanes())};
  const PoolingSide &down = rows.pool.down, &across = rows.pool.across;
  rows.y_row = static_cast<std::size_t>(across.out) * in.channels;
  rows.y_image = static_cast<std::size_t>(down.out) * rows.y_row;
  const double window = static_cast<double>(std::min(down.window, down.in)) *
                        static_cast<double>(std::min(across.window, across.in));
  const double channels = static_cast<double>(std::min<std::size_t>(in.channels, rows.block));
  rows.c = partition(in.batch * static_cast<std::size_t>(down.out) * rows.blocks(),
                     static_cast<double>(across.out) * (window * channels / 8 + 8));
  return Candidate{.name = "pool",
                   .tiles = rows.c.tiles(),
                   .run = [rows](Range r, const Buffers& b, std::byte*) { rows.run(r, b); }};
}

}  // namespace

Lowering lower(const ops::averagePool2d& op, Chain chain) {
  return lower_pool(PoolKind::average, op.input, op.options, chain);
}
Lowering lower(const ops::l2Pool2d& op, Chain chain) {
  return lower_pool(PoolKind::l2, op.input, op.options, chain);
}
Lowering lower(const ops::maxPool2d& op, Chain chain) {
  return lower_pool(PoolKind::max, op.input, op.options, chain);
}

}  // namespace webnn::inline v0_1::simd
