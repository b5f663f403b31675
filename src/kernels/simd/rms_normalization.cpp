#include "src/kernels/common/partition.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/vector/float32/rows.h"

namespace webnn::inline v0_1::simd {

Lowering lower(const fused::rmsNormalization& op, Chain chain) {
  if (chain.size() > 1) return Refusal{"nothing is fused to this operator"};
  const std::size_t row = op.input.shape().back();
  const bool scaled = op.options.scale.has_value();
  const Partition c =
      partition(element_count(op.input.shape()) / row, static_cast<double>(row) / 2 + 32);
  return Candidate{.name = "rms normalization",
                   .tiles = c.tiles(),
                   .in_place = {0},
                   .run = [=, epsilon = op.options.epsilon](Range r, const Buffers& b, std::byte*) {
                     const std::size_t first = c.begin(r);
                     rms_normalize_rows(b.in<float>() + first * row, c.end(r) - first, row, epsilon,
                                        scaled ? b.in<float>(1) : nullptr,
                                        b.out<float>() + first * row);
                   }};
}

}  // namespace webnn::inline v0_1::simd
