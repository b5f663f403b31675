#include "src/kernels/common/rms_normalization.h"

#include <algorithm>

#include "src/kernels/common/partition.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/vector/float32/rows.h"

namespace webnn::simd {

Lowering lower_rms_normalization(const RmsNormalization& n, Chain chain) {
  const std::vector<MLOperand> inputs = inputs_of(chain);
  const auto slot = [&](const MLOperand& x) {
    const auto found =
        std::find_if(inputs.begin(), inputs.end(), [&](const MLOperand& o) { return o.is(x); });
    return static_cast<std::size_t>(found - inputs.begin());
  };
  const std::size_t x = slot(n.x), row = n.row;
  const std::optional<std::size_t> weight = n.weight ? std::optional(slot(n.weight)) : std::nullopt;
  const Partition c =
      partition(element_count(n.x.shape()) / row, static_cast<double>(row) / 2 + 32);
  return Kernel{.name = "rms normalization",
                .tiles = c.tiles(),
                .in_place = {static_cast<int>(x)},
                .run = [=, epsilon = n.epsilon](Range r, const Buffers& b, std::byte*) {
                  const std::size_t first = c.begin(r);
                  rms_normalize_rows(b.in<float>(x) + first * row, c.end(r) - first, row, epsilon,
                                     weight ? b.in<float>(*weight) : nullptr,
                                     b.out<float>() + first * row);
                }};
}

}  // namespace webnn::simd
