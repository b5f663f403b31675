#include "src/kernels/common/rms_normalization.h"

#include "src/kernels/common/chain_operands.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/vector/float32/rows.h"

namespace webnn::inline v0_1::simd {

Lowering lower_rms_normalization(const RmsNormalization& n, Chain chain) {
  const std::size_t x = slot_of(chain, n.x), row = n.row;
  const std::optional<std::size_t> weight =
      n.weight ? std::optional(slot_of(chain, n.weight)) : std::nullopt;
  const Partition c =
      partition(element_count(n.x.shape()) / row, static_cast<double>(row) / 2 + 32);
  return Candidate{.name = "rms normalization",
                   .tiles = c.tiles(),
                   .in_place = {static_cast<int>(x)},
                   .run = [=, epsilon = n.epsilon](Range r, const Buffers& b, std::byte*) {
                     const std::size_t first = c.begin(r);
                     rms_normalize_rows(b.in<float>(x) + first * row, c.end(r) - first, row,
                                        epsilon, weight ? b.in<float>(*weight) : nullptr,
                                        b.out<float>() + first * row);
                   }};
}

}  // namespace webnn::inline v0_1::simd
