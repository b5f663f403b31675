#include "src/kernels/simd/quantized/product.h"

#include "src/kernels/common/partition.h"
#include "src/kernels/simd/quantized/computed_product.h"
#include "src/kernels/simd/quantized/lower.h"

namespace webnn::inline v0_1::simd {
namespace {

std::size_t lanes() { return static_cast<std::size_t>(int8_lanes()); }

struct Blocks {
  Int8Panels weights;
  std::size_t rows;
  std::uint8_t flip;
  std::size_t slot;
  Int8Result result;
  Partition c{};

  void run(Range r, const Buffers& b, std::byte* scratch) const {
    Int8Gemm g = weights.gemm(b, scratch);
    g.flip = flip;
    g.result = result;
    g.x_stride = weights.segments * weights.k;
    g.y_stride = weights.columns;
    for_row_blocks(c, r, rows, weights,
                   [&](std::size_t row, std::size_t count, int first, int last) {
                     int8_gemm(g, count, first, last, b.in<std::uint8_t>(slot) + row * g.x_stride,
                               b.out<std::uint8_t>() + row * g.y_stride);
                   });
  }
};

}  // namespace

std::size_t Int8Panels::vectors() const { return (columns + lanes() - 1) / lanes(); }

std::size_t Int8Panels::group_bytes() const {
  return segments * ((k + 3) / 4) * vectors() * lanes() * 4;
}

void Int8Panels::choose_tiles(std::size_t rows) {
  if (!are_tiles(dot_product)) return;
  if (are_faster_by_tiles(rows, quads())) staged = StagedRows(rows, quads());
  else dot_product = without_tiles(dot_product);
}

Int8Gemm Int8Panels::gemm(const Buffers& b, std::byte* scratch, std::size_t group) const {
  const std::size_t first = group * vectors() * lanes();
  const std::byte* const from = block.in(b);
  return {.dot_product = dot_product,
          .w = reinterpret_cast<const std::int8_t*>(from + arrays.bytes()) + group * group_bytes(),
          .bias = arrays.bias(from, first),
          .scale = arrays.scale(from, first),
          .w_zero = asymmetric ? arrays.zero(from, first) : nullptr,
          .segments = segments,
          .offsets = offsets.data(),
          .k = k,
          .columns = static_cast<int>(columns),
          .staged = staged,
          .tile_scratch = are_tiles(dot_product) ? scratch : nullptr};
}

bool wasteful(const Int8Weights& w, std::size_t groups, std::size_t segments) {
  const auto n = [](std::size_t v) { return static_cast<double>(v); };
  const double each = n(w.columns / groups + 15) * n(w.k / segments + 3);
  return each * n(segments) * n(groups) > 8 * n(w.columns) * n(w.k) + (1 << 20);
}

namespace {

/// f(place among the columns, vector, its lane, column of the weights) for all columns of a group.
template <class F>
void for_columns(std::size_t columns, std::size_t group, ColumnOrder order, F f) {
  const std::size_t n = lanes(), vectors = (columns + n - 1) / n;
  for (std::size_t v = 0; v < vectors; ++v)
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t column =
          order == ColumnOrder::natural ? v * n + i : column_of(v, i, vectors, n);
      if (column < columns) f((group * vectors + v) * n + i, v, i, group * columns + column);
    }
}

/// The panels of a group of columns.
void pack_group(const Int8Values& from, std::size_t group, std::size_t columns,
                std::size_t segments, std::size_t k, ColumnOrder order, std::int8_t* to) {
  const std::size_t n = lanes(), vectors = (columns + n - 1) / n, each = (k + 3) / 4,
                    quads = segments * each;
  const auto pack = [&](std::size_t, std::size_t v, std::size_t i, std::size_t c) {
    const std::size_t panel = v / 4 * 4, wide = std::min<std::size_t>(4, vectors - panel);
    std::int8_t* w = to + panel * quads * n * 4;
    for (std::size_t s = 0; s < segments; ++s)
      for (std::size_t t = 0; t < k; ++t)
        w[(((s * each + t / 4) * wide + v - panel) * n + i) * 4 + t % 4] =
            from.w[(c * segments + s) * k + t];
  };
  for_columns(columns, group, order, pack);
}

}  // namespace

Int8Panels int8_panels(const Int8Weights& from, std::size_t groups, std::size_t segments,
                       Int8DotProduct dot_product, ColumnOrder order) {
  Int8Panels to{.groups = groups,
                .columns = from.columns / groups,
                .segments = segments,
                .k = from.k / segments,
                .asymmetric = from.asymmetric,
                .dot_product = dot_product};
  to.offsets.assign(segments, 0);
  to.arrays = ColumnArrays(groups * to.vectors() * lanes(), from.requantization);
  const auto pack = [values = from.values, arrays = to.arrays, groups, columns = to.columns,
                     segments, k = to.k, size = to.group_bytes(), order](std::byte* block) {
    const Int8Values all = values();
    auto* const w = reinterpret_cast<std::int8_t*>(block + arrays.bytes());
    for (std::size_t g = 0; g < groups; ++g) {
      for_columns(columns, g, order, [&](std::size_t at, std::size_t, std::size_t, std::size_t c) {
        arrays.set(block, at, all.of_column[c]);
      });
      pack_group(all, g, columns, segments, k, order, w + g * size);
    }
  };
  to.block = add_packed<std::byte>(
      to.weights, to.arrays.bytes() + groups * to.group_bytes(),
      layout_text(order == ColumnOrder::natural ? "int8 panels in order/2" : "int8 panels/2",
                  lanes(), groups, segments) +
          from.text,
      {from.slot}, pack);
  return to;
}

Candidate int8_product(Int8Panels panels, std::size_t rows, std::uint8_t flip, int slot,
                       const Int8Result& result, std::string name) {
  panels.choose_tiles(rows);
  return product_kernel(Blocks{.weights = std::move(panels),
                               .rows = rows,
                               .flip = flip,
                               .slot = static_cast<std::size_t>(slot),
                               .result = result},
                        std::move(name));
}

Lowering lower_quantized(const ops::gemm& op, const QuantizedChain& c, Int8DotProduct dot_product) {
  const auto& o = op.options;
  if (o.alpha != 1 || (o.c && o.beta != 1)) return Refusal{"quantized: alpha or beta is not 1"};
  if (o.aTranspose) return Refusal{"quantized: a is transposed"};
  const QuantizedOperand &a = c.operands[0], &b = c.operands[1];
  if (!a.x || a.constant() || !a.q.is_activation()) return Refusal{"quantized: a is not of 8 bits"};
  const Dims& shape = op.b.shape();
  if (b.x && !b.constant() && !o.bTranspose && !o.c)
    return lower_computed_product({.rows = op.a.shape()[0], .k = shape[0], .columns = shape[1]}, c,
                                  dot_product);
  if (!b.x || !b.constant()) return Refusal{"quantized: b is not constant"};
  const std::size_t k = shape[o.bTranspose ? 1 : 0], columns = shape[o.bTranspose ? 0 : 1];
  const QuantizedOperand* bias = c.operands.size() > 2 ? &c.operands[2] : nullptr;
  if (bias) {
    const std::uint64_t count = element_count(bias->as_read.shape());
    if (count != 1 && (count != columns || bias->as_read.shape().back() != columns))
      return Refusal{"quantized: c is not a row"};
    if (bias->x && !bias->constant()) return Refusal{"quantized: c is not constant"};
  }
  if (!b.q.per_tensor() && (b.q.scale.size() != columns || b.q.shape.size() != 2 ||
                            b.q.shape[o.bTranspose ? 0 : 1] != columns))
    return Refusal{"quantized: b does not have one scale for each column"};
  const auto integers = [x = b.x, k, columns, is_transposed = o.bTranspose] {
    std::vector<std::int32_t> all = integers_of(x);
    if (is_transposed) return all;
    std::vector<std::int32_t> columns_first(all.size());
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < columns; ++j) columns_first[j * k + i] = all[i * columns + j];
    return columns_first;
  };
  auto weights =
      int8_weights(columns, k, {b, o.bTranspose ? " rows" : " columns", integers}, c, bias);
  if (const auto* refusal = std::get_if<Refusal>(&weights)) return *refusal;
  const auto& made = std::get<Int8Weights>(weights);
  if (wasteful(made, 1, 1)) return Refusal{"quantized: too few columns"};
  return int8_product(int8_panels(made, 1, 1, dot_product), op.a.shape()[0], a.q.flip(), a.slot,
                      int8_result(c), "int8 gemm");
}

}  // namespace webnn::inline v0_1::simd
