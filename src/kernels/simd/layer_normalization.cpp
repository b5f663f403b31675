#include "src/kernels/common/partition.h"
#include "src/kernels/common/slot.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/trailing.h"
#include "src/kernels/simd/vector/float32/rows.h"

namespace webnn::inline v0_1::simd {

Lowering lower(const ops::layerNormalization& op, Chain chain) {
  if (chain.size() > 1) return Refusal{"nothing is fused to a normalization"};
  const Dims &shape = op.input.shape(), axes = ops::axes_of(op);
  const auto row = trailing(shape, axes);
  if (!row) return Refusal{"only over the last dimensions"};
  if ((op.options.scale || op.options.bias) && !std::is_sorted(axes.begin(), axes.end()))
    return Refusal{"a scale or bias whose dimensions are permuted"};
  const std::size_t n = *row;
  const double epsilon = MLNumber(op.options.epsilon).to(float32).as_double();
  const int scale = slot<&MLLayerNormalizationOptions::scale>(op);
  const int bias = slot<&MLLayerNormalizationOptions::bias>(op);
  const Partition c = partition(element_count(shape) / n, static_cast<double>(n) + 32);
  return Candidate{.name = "layer normalization",
                   .tiles = c.tiles(),
                   .in_place = {0},
                   .run = [=](Range r, const Buffers& b, std::byte*) {
                     const auto optional = [&](int i) {
                       return i < 0 ? nullptr : b.in<float>(static_cast<std::size_t>(i));
                     };
                     const std::size_t first = c.begin(r);
                     normalize_rows(b.in<float>() + first * n, c.end(r) - first, n, epsilon,
                                    optional(scale), optional(bias), b.out<float>() + first * n);
                   }};
}

}  // namespace webnn::inline v0_1::simd
