#include "src/kernels/simd/quantized/product.h"

#include "src/kernels/common/partition.h"
#include "src/kernels/simd/quantized/lower.h"

namespace webnn::simd {
namespace {

std::size_t lanes() { return static_cast<std::size_t>(int8_lanes()); }

/// Blocks of rows times panels of columns, panels first.
struct Blocks {
  static constexpr std::size_t rows_of_block = 24;
  Int8Panels weights;
  std::size_t rows;
  std::uint8_t flip;
  std::size_t slot;
  Int8Result result;
  Partition c{};

  void run(Range r, const Buffers& b) const {
    Int8Gemm g = weights.gemm();
    g.flip = flip;
    g.result = result;
    g.x_stride = weights.segments * weights.k;
    g.y_stride = weights.columns;
    const auto panels = static_cast<std::size_t>(weights.panels());
    const std::size_t end = c.end(r);
    for (std::size_t i = c.begin(r); i < end;) {
      const std::size_t first = i % panels, row = i / panels * rows_of_block;
      std::size_t last = std::min(panels, first + (end - i)), here = 1;
      if (first == 0 && last == panels) here = (end - i) / panels;  // whole blocks at once
      i += here * (last - first);
      const std::size_t count = std::min(rows - row, here * rows_of_block);
      int8_gemm(g, count, static_cast<int>(first), static_cast<int>(last),
                b.in<std::uint8_t>(slot) + row * g.x_stride,
                b.out<std::uint8_t>() + row * g.y_stride);
    }
  }
};

}  // namespace

std::size_t Int8Panels::vectors() const { return (columns + lanes() - 1) / lanes(); }

Int8Gemm Int8Panels::gemm(std::size_t group) const {
  const std::size_t padded = vectors() * lanes();
  return {.dot_product = dot_product,
          .w = w.data() + group * (w.size() / groups),
          .bias = bias.data() + group * padded,
          .scale = scale.from(group * padded),
          .w_zero = asymmetric ? zero.data() + group * padded : nullptr,
          .segments = segments,
          .offsets = offsets.data(),
          .k = k,
          .columns = static_cast<int>(columns)};
}

bool wasteful(const Int8Weights& w, std::size_t groups, std::size_t segments) {
  const auto n = [](std::size_t v) { return static_cast<double>(v); };
  const double each = n(w.columns / groups + 15) * n(w.k / segments + 3);
  return each * n(segments) * n(groups) > 8 * n(w.columns) * n(w.k) + (1 << 20);
}

Int8Panels int8_panels(const Int8Weights& from, std::size_t groups, std::size_t segments,
                       Int8DotProduct dot_product) {
  Int8Panels to{.groups = groups,
                .columns = from.columns / groups,
                .segments = segments,
                .k = from.k / segments,
                .of_column = from.of_column,
                .asymmetric = from.asymmetric(),
                .dot_product = dot_product};
  const std::size_t n = lanes(), vectors = to.vectors(), each = (to.k + 3) / 4;
  const std::size_t quads = segments * each, padded = vectors * n;
  to.bias.assign(groups * padded, 0);
  to.zero.assign(groups * padded, 0);
  to.scale = FactorArrays(groups * padded);
  to.offsets.assign(segments, 0);
  const auto for_columns = [&](auto f) {  // f(group, vector, lane, column of `from`)
    for (std::size_t g = 0; g < groups; ++g)
      for (std::size_t v = 0; v < vectors; ++v)
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t column = column_of(v, i, vectors, n);
          if (column < to.columns) f(g, v, i, g * to.columns + column);
        }
  };
  for_columns([&](std::size_t g, std::size_t v, std::size_t i, std::size_t c) {
    const std::size_t at = g * padded + v * n + i;
    to.bias[at] = from.of_column[c].bias;
    to.zero[at] = from.of_column[c].zero;
    to.scale.set(at, from.of_column[c].scale);
  });
  to.w = SharedArray<std::int8_t>::packed(groups * quads * padded * 4, [&](std::int8_t* all) {
    for_columns([&](std::size_t g, std::size_t v, std::size_t i, std::size_t c) {
      const std::size_t panel = v / 4 * 4, wide = std::min<std::size_t>(4, vectors - panel);
      std::int8_t* w = all + (g * vectors + panel) * quads * n * 4;
      for (std::size_t s = 0; s < segments; ++s)
        for (std::size_t k = 0; k < to.k; ++k)
          w[(((s * each + k / 4) * wide + v - panel) * n + i) * 4 + k % 4] =
              from.w[c * from.k + s * to.k + k];
    });
  });
  return to;
}

Candidate int8_product(Int8Panels panels, std::size_t rows, std::uint8_t flip, int slot,
                    const Int8Result& result, std::string name) {
  const double macs = static_cast<double>(Blocks::rows_of_block) *
                      static_cast<double>(panels.k * panels.segments) *
                      static_cast<double>(std::min(panels.columns, 4 * lanes()));
  const std::size_t blocks = (rows + Blocks::rows_of_block - 1) / Blocks::rows_of_block;
  auto work = std::make_shared<Blocks>(Blocks{.weights = std::move(panels),
                                              .rows = rows,
                                              .flip = flip,
                                              .slot = static_cast<std::size_t>(slot),
                                              .result = result});
  work->c = partition(blocks * static_cast<std::size_t>(work->weights.panels()),
                      macs / int8_macs_per_operation);
  const int tiles = work->c.tiles();
  const std::size_t packed = work->weights.bytes();
  return Candidate{
      .name = std::move(name),
      .tiles = tiles,
      .packed = packed,
      .run = [work = std::move(work)](Range r, const Buffers& b, std::byte*) { work->run(r, b); }};
}

Lowering lower_quantized(const ops::gemm& op, const QuantizedChain& c, Int8DotProduct dot_product) {
  const auto& o = op.options;
  if (o.alpha != 1 || (o.c && o.beta != 1)) return Refusal{"quantized: alpha or beta is not 1"};
  if (o.aTranspose) return Refusal{"quantized: a is transposed"};
  const QuantizedOperand &a = c.operands[0], &b = c.operands[1];
  if (!a.x || a.constant() || !a.q.is_activation()) return Refusal{"quantized: a is not of 8 bits"};
  if (!b.x || !b.constant()) return Refusal{"quantized: b is not constant"};
  const Dims& shape = op.b.shape();
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
    return Refusal{"quantized: the scales of b are not of its columns"};
  const auto integers = [&] {
    std::vector<std::int32_t> all = integers_of(b.x);
    if (o.bTranspose) return all;
    std::vector<std::int32_t> columns_first(all.size());
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < columns; ++j) columns_first[j * k + i] = all[i * columns + j];
    return columns_first;
  };
  auto weights = int8_weights(columns, k, integers, b.q, a.q, bias, c.result);
  if (const auto* refusal = std::get_if<Refusal>(&weights)) return *refusal;
  const auto& made = std::get<Int8Weights>(weights);
  if (wasteful(made, 1, 1)) return Refusal{"quantized: too few columns"};
  return int8_product(int8_panels(made, 1, 1, dot_product), op.a.shape()[0], a.q.flip(), a.slot,
                      int8_result(c), "int8 gemm");
}

}  // namespace webnn::simd
