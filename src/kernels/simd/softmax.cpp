#include "src/kernels/common/partition.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/trailing.h"
#include "src/kernels/simd/vector/float32/columns.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {

namespace {

/// Along another dimension than the last, a block of columns at a time.
Lowering lower_columns(const Dims& shape, std::uint32_t axis) {
  std::size_t outer = 1, inner = 1;
  const std::size_t n = shape[axis];
  for (std::uint32_t d = 0; d < axis; ++d) outer *= shape[d];
  for (std::uint32_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
  constexpr std::size_t short_row = 8;
  if (inner < short_row) return Refusal{"too few contiguous elements"};
  const std::size_t block = std::min<std::size_t>(4 * to_size(lanes()), inner);
  const std::size_t blocks = divide_up(inner, block);
  const Partition c = partition(outer * blocks, 3 * static_cast<double>(n * block) + 16);
  return Candidate{.name = "softmax columns",
                   .tiles = c.tiles(),
                   .in_place = {0},
                   .run = [=](Range r, const Buffers& b, std::byte*) {
                     for (std::size_t i = c.begin(r); i < c.end(r); ++i) {
                       const std::size_t at = i / blocks * n * inner, first = i % blocks * block;
                       softmax_columns(b.in<float>() + at, n, inner, first,
                                       std::min(inner, first + block), b.out<float>() + at);
                     }
                   }};
}

}  // namespace

Lowering lower(const ops::softmax& op, Chain chain) {
  if (chain.size() > 1) return Refusal{"nothing is fused to a softmax"};
  const Dims& shape = op.input.shape();
  if (!trailing(shape, {op.axis})) return lower_columns(shape, op.axis);
  const std::size_t n = shape[op.axis];
  const double row = n > 1 && n <= 4 ? 2 : 16;  // narrow rows fill the lanes together
  const Partition c = partition(element_count(shape) / n, 3 * static_cast<double>(n) + row);
  return Candidate{.name = "softmax",
                   .tiles = c.tiles(),
                   .in_place = {0},
                   .run = [c, n](Range r, const Buffers& b, std::byte*) {
                     const std::size_t first = c.begin(r);
                     softmax_rows(b.in<float>() + first * n, c.end(r) - first, n,
                                  b.out<float>() + first * n);
                   }};
}

}  // namespace webnn::inline v0_1::simd
