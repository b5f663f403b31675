#include "src/kernels/common/loop.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/vector/float32/rows.h"

namespace webnn::inline v0_1::simd {
namespace {

/// From row to row of x. The rows of a factor may be half as long.
std::array<std::ptrdiff_t, max_rank> row_strides(const MLOperand& factor, Dims shape) {
  shape.back() = factor.shape().back();
  return broadcast_strides(factor.shape(), shape);
}

}  // namespace

Lowering lower(const fused::rotaryEmbedding& op, Chain chain) {
  if (chain.size() > 1) return Refusal{"nothing is fused to this operator"};
  const Dims& shape = op.input.shape();
  const std::size_t row = shape.back();
  const Dims outer(shape.begin(), shape.end() - 1);
  // The loop is over rows of the three tensors; the innermost rows are a run.
  const Loop<3> loop(outer,
                     {strides_of(shape), row_strides(op.cos, shape), row_strides(op.sin, shape)});
  const auto step = [&](std::size_t t) { return static_cast<std::size_t>(loop.step[t]); };
  const RotatedRows rows{
      .rows = loop.inner,
      .half = row / 2,
      .cos_step = step(1),
      .sin_step = step(2),
      .interleaved = op.options.pairs == fused::RotaryPairs::interleaved,
      .by_pair = op.options.form == fused::RotaryForm::pairs,
  };
  const Partition c = partition(loop.rows, static_cast<double>(loop.inner * row) / 4);
  return Candidate{.name = "rotary embedding",
                   .tiles = c.tiles(),
                   .run = [=](Range r, const Buffers& b, std::byte*) {
                     loop.run(c.begin(r), c.end(r), [&](std::size_t, const Loop<3>::Offsets& at) {
                       rotate_rows(rows, b.in<float>(0) + at[0], b.in<float>(1) + at[1],
                                   b.in<float>(2) + at[2], b.out<float>() + at[0]);
                     });
                   }};
}

}  // namespace webnn::inline v0_1::simd
