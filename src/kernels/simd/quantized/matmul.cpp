// Products of two tensors of 8 bits that are both computed, as in attention: the right one is
// packed in each run.
#include "src/kernels/common/partition.h"
#include "src/kernels/simd/product/product.h"
#include "src/kernels/simd/quantized/computed_product.h"
#include "src/kernels/simd/quantized/lower.h"
#include "src/kernels/simd/quantized/product.h"
#include "src/kernels/simd/vector/int8/gemm.h"
#include "src/kernels/simd/vector/int8/pack.h"

namespace webnn::inline v0_1::simd {
namespace {

std::size_t lanes() { return static_cast<std::size_t>(int8_lanes()); }

/// Items are parts of a matrix of the result: panels of columns, which are packed for a block of
/// rows.
class Work {
 public:
  Work(const ComputedProduct& p, const QuantizedChain& c, Int8DotProduct dot_product)
      : p_(p), x_slot_(to_size(c.operands[0].slot)), w_slot_(to_size(c.operands[1].slot)) {
    const QuantizationParams &x = c.operands[0].q, &w = c.operands[1].q;
    pack_ = {.k = p.k,
             .stride = p.columns,
             .flip = static_cast<std::uint8_t>(w.flip() ^ 0x80),
             .x_zero = x.shifted_zero(),
             .w_zero = w.shifted_zero() - 128};
    gemm_ = {.dot_product = dot_product,
             .flip = x.flip(),
             .offsets = &offset,
             .k = p.k,
             .x_stride = p.k,
             .y_stride = p.columns,
             .result = int8_result(c)};
    if (are_tiles(dot_product)) {
      const std::size_t rows = std::min(p.rows, rows_of_part);
      if (are_faster_by_tiles(rows, quads())) gemm_.staged = StagedRows(rows, quads());
      else gemm_.dot_product = without_tiles(dot_product);
    }
    const std::size_t panels = divide_up(p.columns, 4 * lanes()),
                      bytes = 4 * lanes() * round_up(p.k, std::size_t{4});
    std::size_t each = std::clamp<std::size_t>(packed_bytes / bytes, 1, panels);
    if (p.batches.count < 8) each = std::min(each, divide_up(panels, std::size_t{8}));
    width_ = std::min(each * 4 * lanes(), round_up(p.columns, lanes()));
    column_parts_ = divide_up(p.columns, width_);
    row_parts_ = divide_up(p.rows, rows_of_part);
    scale_.assign(width_, x.scale[0] * w.scale[0] / c.result.scale[0]);
    zeros_.assign(width_, 0);
    if (pack_.w_zero != 0) w_zero_.assign(width_, pack_.w_zero);
    const auto n = [](std::size_t v) { return static_cast<double>(v); };
    c_ = partition(p.batches.count * row_parts_ * column_parts_,
                   n(std::min(p.rows, rows_of_part) + 8) * n(width_) * n(p.k) /
                       int8_macs_per_operation(gemm_.dot_product));
  }

  int tiles() const { return c_.tiles(); }
  bool by_tiles() const { return are_tiles(gemm_.dot_product); }
  std::size_t scratch() const { return packed() + (by_tiles() ? gemm_.staged.bytes() : 0); }

  void run(Range r, const Buffers& b, std::byte* scratch) const {
    for (std::size_t i = c_.begin(r); i < c_.end(r); ++i) {
      const std::size_t part = i % column_parts_, rest = i / column_parts_;
      const std::size_t batch = rest / row_parts_, row = rest % row_parts_ * rows_of_part;
      const auto at = p_.batches[batch];
      const std::size_t column = part * width_, columns = std::min(width_, p_.columns - column);
      auto* const bias = reinterpret_cast<std::int32_t*>(scratch);
      auto* const w = reinterpret_cast<std::int8_t*>(bias + width_);
      Int8Pack pack = pack_;
      pack.columns = columns;
      int8_pack(pack, b.in<std::uint8_t>(w_slot_) + at.b * p_.k * p_.columns + column, w, bias);
      Int8Gemm g = gemm_;
      g.w = w;
      g.bias = bias;
      g.scale = {.scales = scale_.data(), .offsets = zeros_.data()};
      g.w_zero = w_zero_.empty() ? nullptr : w_zero_.data();
      g.columns = static_cast<int>(columns);
      g.tile_scratch = by_tiles() ? scratch + packed() : nullptr;
      int8_gemm(g, std::min(rows_of_part, p_.rows - row), 0,
                static_cast<int>(divide_up(columns, 4 * lanes())),
                b.in<std::uint8_t>(x_slot_) + (at.a * p_.rows + row) * p_.k,
                b.out<std::uint8_t>() + (batch * p_.rows + row) * p_.columns + column);
    }
  }

 private:
  static constexpr std::size_t offset = 0, rows_of_part = 256;
  static constexpr std::size_t packed_bytes = 96 << 10;  // that stay in L2

  std::size_t quads() const { return divide_up(p_.k, std::size_t{4}); }
  std::size_t packed() const { return width_ * (sizeof(std::int32_t) + 4 * quads()); }

  ComputedProduct p_;
  std::size_t x_slot_, w_slot_, width_ = 0, column_parts_ = 1, row_parts_ = 1;
  Int8Pack pack_{};
  Int8Gemm gemm_{};
  std::vector<float> scale_{}, zeros_{};
  std::vector<std::int32_t> w_zero_{};
  Partition c_{};
};

}  // namespace

Lowering lower_computed_product(const ComputedProduct& p, const QuantizedChain& c,
                                Int8DotProduct dot_product) {
  constexpr std::size_t longest = 1 << 15;  // sums of 32 bits
  if (c.requantization != Requantization::floats)
    return Refusal{"quantized: only with requantization in floats"};
  for (std::size_t i = 0; i < 2; ++i) {
    const QuantizedOperand& x = c.operands[i];
    if (!x.x || x.constant() || !x.q.is_activation()) return Refusal{"quantized: not of 8 bits"};
  }
  if (p.k > longest) return Refusal{"quantized: sums may exceed 32 bits"};
  const double largest = 255. * 255 * static_cast<double>(p.k) * double{c.operands[0].q.scale[0]} *
                         double{c.operands[1].q.scale[0]};
  if (!(largest < double{c.result.scale[0]} * (1 << 30)))
    return Refusal{"the result's scale is too small"};
  const auto work = std::make_shared<const Work>(p, c, dot_product);
  return Candidate{
      .name = work->by_tiles() ? "int8 matmul amx" : "int8 matmul",
      .tiles = work->tiles(),
      .scratch = work->scratch(),
      .run = [work](Range r, const Buffers& b, std::byte* scratch) { work->run(r, b, scratch); }};
}

Lowering lower_quantized(const ops::matmul& op, const QuantizedChain& c,
                         Int8DotProduct dot_product) {
  const Dims &a = op.a.shape(), &b = op.b.shape(), &y = c.op.output().shape();
  return lower_computed_product({.batches = batches_of(Dims(y.begin(), y.end() - 2), a, b),
                                 .rows = y.end()[-2],
                                 .k = a.back(),
                                 .columns = y.back()},
                                c, dot_product);
}

}  // namespace webnn::inline v0_1::simd
