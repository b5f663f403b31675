#include "src/kernels/common/partition.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/reduce_columns.h"
#include "src/kernels/simd/trailing.h"
#include "src/kernels/simd/vector/float32/rows.h"

namespace webnn::inline v0_1::simd {
namespace {

template <class Op> Lowering lower_reduction(Reduction kind, const Op& op, Chain chain) {
  constexpr std::size_t short_row = 8;
  if (chain.size() > 1) return Refusal{"nothing is fused to a reduction"};
  const Dims& shape = op.input.shape();
  Dims axes;
  for (std::uint32_t d = 0; d < shape.size(); ++d) axes.push_back(d);
  if (op.options.axes) axes = *op.options.axes;
  const auto n = trailing(shape, axes);
  if (!n) return lower_column_reduction(kind, shape, axes);
  if (*n < short_row) return Refusal{"too few elements in a row for vectors"};
  const Partition c = partition(element_count(shape) / *n, static_cast<double>(*n) / 8 + 4);
  return Candidate{.name = "reduce",
                   .tiles = c.tiles(),
                   .run = [c, kind, n = *n](Range r, const Buffers& b, std::byte*) {
                     const std::size_t first = c.begin(r);
                     reduce_rows(kind, b.in<float>() + first * n, c.end(r) - first, n,
                                 b.out<float>() + first);
                   }};
}

}  // namespace

Lowering lower(const ops::reduceMax& op, Chain c) { return lower_reduction(Reduction::max, op, c); }
Lowering lower(const ops::reduceMean& op, Chain c) {
  return lower_reduction(Reduction::mean, op, c);
}
Lowering lower(const ops::reduceMin& op, Chain c) { return lower_reduction(Reduction::min, op, c); }
Lowering lower(const ops::reduceSum& op, Chain c) { return lower_reduction(Reduction::sum, op, c); }
Lowering lower(const ops::reduceSumSquare& op, Chain c) {
  return lower_reduction(Reduction::sum_square, op, c);
}

}  // namespace webnn::inline v0_1::simd
