#include "src/kernels/common/rotary_embedding.h"

#include "src/kernels/common/chain_operands.h"
#include "src/kernels/common/loop.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/vector/float32/rows.h"

namespace webnn::inline v0_1::simd {

Lowering lower_rotary_embedding(const RotaryEmbedding& e, Chain chain) {
  const Dims& shape = e.x.shape();
  const std::size_t row = shape.back();
  const Dims outer(shape.begin(), shape.end() - 1);
  // The loop is over rows of the three tensors; the innermost rows are a run.
  const Loop<3> loop(outer, {strides_of(shape), broadcast_strides(e.cos.shape(), shape),
                             broadcast_strides(e.sin.shape(), shape)});
  const auto step = [&](std::size_t t) { return static_cast<std::size_t>(loop.step[t]); };
  const RotatedRows rows{
      .rows = loop.inner, .half = row / 2, .cos_step = step(1), .sin_step = step(2)};
  const Partition c = partition(loop.rows, static_cast<double>(loop.inner * row) / 4);
  const std::size_t x = slot_of(chain, e.x), cos = slot_of(chain, e.cos),
                    sin = slot_of(chain, e.sin);
  return Candidate{.name = "rotary embedding",
                   .tiles = c.tiles(),
                   .run = [=](Range r, const Buffers& b, std::byte*) {
                     loop.run(c.begin(r), c.end(r), [&](std::size_t, const Loop<3>::Offsets& at) {
                       rotate_rows(rows, b.in<float>(x) + at[0], b.in<float>(cos) + at[1],
                                   b.in<float>(sin) + at[2], b.out<float>() + at[0]);
                     });
                   }};
}

}  // namespace webnn::inline v0_1::simd
