// softmax along the last dimension. In fixed point there are 256 powers, and a table for each row.
#include <cmath>

#include "src/kernels/common/partition.h"
#include "src/kernels/simd/quantized/lower.h"
#include "src/kernels/simd/vector/int8/rows.h"
#include "src/kernels/simd/vector/int8/softmax.h"

namespace webnn::inline v0_1::simd {
namespace {

struct SoftmaxRows {
  std::size_t n;  // elements of a row
  std::size_t slot;
  std::uint8_t flip;
  double unit;
  Int8Result result;
  float powers[256];  // by the distance from the largest element
  Partition c{};

  void run_row(const std::uint8_t* x, std::uint8_t* y) const {
    std::uint8_t largest = 0;
    for (std::size_t i = 0; i < n; ++i)
      largest = std::max(largest, static_cast<std::uint8_t>(x[i] ^ flip));
    double sums[4] = {};
    for (std::size_t i = 0; i < n; ++i)
      sums[i % 4] += double{powers[largest - static_cast<std::uint8_t>(x[i] ^ flip)]};
    const double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    alignas(64) std::uint8_t table[256];
    int8_power_table(powers, static_cast<float>(1 / (sum * unit)), largest, flip, result, table);
    int8_map(table, x, n, y);
  }
};

/// As Requantization::floats has it: the powers are floats.
Candidate softmax_kernel(const Int8Softmax& g, std::size_t slot, std::size_t rows, std::size_t n) {
  const Partition c = partition(rows, 4 * static_cast<double>(n));
  return {.name = "int8 softmax",
          .tiles = c.tiles(),
          .run = [=](Range r, const Buffers& b, std::byte*) {
            const std::size_t first = c.begin(r);
            int8_softmax(g, b.in<std::uint8_t>(slot) + first * n, c.end(r) - first, n,
                         b.out<std::uint8_t>() + first * n);
          }};
}

}  // namespace

Lowering lower_quantized(const ops::softmax& op, const QuantizedChain& c, Int8DotProduct) {
  const QuantizedOperand& x = c.operands[0];
  if (!x.x || x.constant() || !x.q.is_activation()) return Refusal{"quantized: not of 8 bits"};
  const Dims& shape = op.input.shape();
  for (std::size_t d = op.axis + 1; d < shape.size(); ++d)
    if (shape[d] != 1) return Refusal{"quantized: only the last dimension"};
  const double unit = double{c.result.scale[0]};
  if (!(unit > 1e-8)) return Refusal{"the result's scale is too small"};
  if (c.requantization == Requantization::floats)
    return softmax_kernel({x.q.flip(), x.q.scale[0], unit, int8_result(c)},
                          static_cast<std::size_t>(x.slot), element_count(shape) / shape[op.axis],
                          shape[op.axis]);
  auto rows = std::make_shared<SoftmaxRows>(SoftmaxRows{.n = shape[op.axis],
                                                        .slot = static_cast<std::size_t>(x.slot),
                                                        .flip = x.q.flip(),
                                                        .unit = unit,
                                                        .result = int8_result(c),
                                                        .powers = {}});
  for (int d = 0; d < 256; ++d)
    rows->powers[d] = static_cast<float>(std::exp(-d * double{x.q.scale[0]}));
  rows->c = partition(element_count(shape) / rows->n, 2 * static_cast<double>(rows->n) + 400);
  return Candidate{.name = "int8 softmax",
                   .tiles = rows->c.tiles(),
                   .run = [rows](Range r, const Buffers& b, std::byte*) {
                     for (std::size_t i = rows->c.begin(r); i < rows->c.end(r); ++i)
                       rows->run_row(b.in<std::uint8_t>(rows->slot) + i * rows->n,
                                     b.out<std::uint8_t>() + i * rows->n);
                   }};
}

}  // namespace webnn::inline v0_1::simd
