#include "src/kernels/common/partition.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/trailing.h"
#include "src/kernels/simd/vector/float32/rows.h"

namespace webnn::simd {

Lowering lower(const ops::softmax& op, Chain chain) {
  if (chain.size() > 1) return Refusal{"nothing is fused to a softmax"};
  const Dims& shape = op.input.shape();
  if (!trailing(shape, {op.axis})) return Refusal{"only along the last dimension"};
  const std::size_t n = shape[op.axis];
  const Partition c = partition(element_count(shape) / n, 3 * static_cast<double>(n) + 16);
  return Kernel{.name = "softmax",
                .tiles = c.tiles(),
                .in_place = {0},
                .run = [c, n](Range r, const Buffers& b, std::byte*) {
                  const std::size_t first = c.begin(r);
                  softmax_rows(b.in<float>() + first * n, c.end(r) - first, n,
                               b.out<float>() + first * n);
                }};
}

}  // namespace webnn::simd
