#include "src/kernels/simd/product/bfloat16_product.h"

#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/product/product_tiles.h"
#include "src/kernels/simd/vector/bfloat16/panels.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

PairProduct pair_product(const Product& p, const PanelLayout& layout) {
  return {.products = p.bfloat16,
          .layout = layout,
          .y_stride = to_size(p.columns),
          .epilogue = p.epilogue,
          .accumulate = p.c.has_value()};
}

Candidate constant_kernel(const Product& p, const GatheredRows& gathered) {
  const PanelLayout layout = pair_layout(p.bfloat16, p.k, p.columns);
  const ProductTiles t = tiles_of(p, layout);
  std::vector<WeightBlock> weights;
  const PackedPairs packed = pack_pairs(weights, p, layout);
  const PackedArray<float> terms =
      gathered.add_terms ? gathered.add_terms(weights) : PackedArray<float>();
  const bool one_row = p.rows == 1 && !gathered.copy && p.a_k == 1;
  const auto copy = gathered.copy ? gathered.copy : p.a_k == 1 ? nullptr : copy_of_rows(p);
  Candidate kernel{
      .name = gathered.copy       ? "bfloat16 conv"
              : one_row           ? "bfloat16 gemv"
              : t.row_tiles() > 1 ? "bfloat16 gemm rows"
                                  : "bfloat16 gemm columns",
      .grain = t.row_tiles() > 1 ? 1 : 2,
      .scratch = one_row ? (layout.k + max_lanes) * sizeof(std::uint32_t)
                         : pair_scratch(layout, to_size(p.rows), copy),
      .row = row_of(p),
      .weights = std::move(weights),
      .run = [=, g = pair_product(p, layout)](Range r, const Buffers& buffers, std::byte* scratch) {
        const GatheredTerms with_terms{gathered.context.get(), terms.in(buffers)};
        const void* const context =
            terms.empty() ? with_terms.context : static_cast<const void*>(&with_terms);
        t.for_spans(
            r,
            [&](const ProductTiles::Span& s) {
              const Operands u = operands(p, buffers, s.batch);
              PairProduct here = g;
              here.y_stride = buffers.pitch_of(g.y_stride);
              here.w = packed.w.in(buffers) + p.batches[s.batch].b * layout.size();
              here.bias = packed.bias.in(buffers);
              if (u.c) fill_with_c(p, s, layout, u.c, u.y);
              if (one_row)
                return multiply_pair_row(here, p.k, u.a, s.first_column, s.last_column, u.y,
                                         u.residual, reinterpret_cast<std::uint32_t*>(scratch));
              const std::size_t row = to_size(s.first_row), at = row * here.y_stride;
              multiply_pairs(here, p.k, {u.a, p.a_k == 1 ? p.a_row : p.a_k, copy, context}, row,
                             to_size(s.last_row) - row, s.first_column, s.last_column, u.y + at,
                             u.residual ? u.residual + at : nullptr, scratch);
            },
            true);
      }};
  return finished(p, t, std::move(kernel));
}

/// Tiles for a matrix that is packed during the dispatch: each group of columns once, if there are
/// enough of them.
ProductTiles packing_tiles(const Product& p, const PanelLayout& layout) {
  constexpr std::size_t enough = 16;
  const std::size_t rows = to_size(p.rows), groups = to_size(layout.groups),
                    block = to_size(panel_rows());
  const double operations = p.macs() / static_cast<double>(p.batches.count) / macs_per_operation;
  ProductTiles t{
      {rows, rows}, partition(groups, operations / static_cast<double>(groups)), p.batches.count};
  const std::size_t max_parts = rows / (4 * block), panels = t.batches * t.column_tiles();
  if (panels < enough && max_parts > 1) {
    const std::size_t parts = std::min(max_parts, enough / panels);
    t.rows.each = round_up(divide_up(rows, parts), block);
  }
  return t;
}

/// Packs b into scratch, the columns of a tile as a matrix of its own.
Candidate packing_kernel(const Product& p) {
  const PanelLayout whole = pair_layout(p.bfloat16, p.k, p.columns);
  const ProductTiles t = packing_tiles(p, whole);
  const auto first_column = [whole](int group) {
    return group == whole.groups ? whole.columns : whole.first_column(group);
  };
  std::size_t most = 0;
  for (int g = 0; g < whole.groups; g += static_cast<int>(t.columns.each)) {
    const int last = std::min(whole.groups, g + static_cast<int>(t.columns.each));
    most =
        std::max(most, pair_layout(p.bfloat16, p.k, first_column(last) - first_column(g)).size());
  }
  std::vector<WeightBlock> weights;
  const PackedArray<float> bias =
      packed_bias(weights, p.bias, p.columns, whole.padded_columns(), p.bias_scale);
  const auto copy = p.a_k == 1 ? nullptr : copy_of_rows(p);
  Candidate kernel{
      .name = "bfloat16 gemm panels",
      .scratch = most * sizeof(std::uint32_t) + pair_scratch(whole, to_size(p.rows), copy),
      .weights = std::move(weights),
      .run = [=](Range r, const Buffers& buffers, std::byte* scratch) {
        auto* const panels = reinterpret_cast<std::uint32_t*>(scratch);
        t.for_spans(r, [&](const ProductTiles::Span& s) {
          const Operands u = operands(p, buffers, s.batch);
          if (u.c) fill_with_c(p, s, whole, u.c, u.y);
          const auto first = to_size(first_column(s.first_column));
          const PanelLayout part =
              pair_layout(p.bfloat16, p.k, first_column(s.last_column) - static_cast<int>(first));
          const PairMatrix b{u.b + first * p.b_column, p.k, p.b_k, p.b_column, p.alpha};
          for (std::size_t i = 0; i < part.blocks(); ++i)
            pack_pairs(p.bfloat16, b, part, i, 0, part.groups, panels);
          PairProduct g = pair_product(p, part);
          g.w = panels;
          g.bias = bias.in(buffers) + first;
          const std::size_t row = to_size(s.first_row), at = row * g.y_stride + first;
          multiply_pairs(g, p.k, {u.a, p.a_k == 1 ? p.a_row : p.a_k, copy, nullptr}, row,
                         to_size(s.last_row) - row, 0, part.groups, u.y + at,
                         u.residual ? u.residual + at : nullptr,
                         scratch + most * sizeof(std::uint32_t));
        });
      }};
  return finished(p, t, std::move(kernel));
}

}  // namespace

bool is_faster_in_bfloat16(const Product& p) {
  constexpr std::size_t few_terms = 16;
  constexpr int few_rows = 4;
  return p.bfloat16 != Bfloat16Products::none && p.k >= few_terms && p.columns >= lanes() &&
         (p.b || p.rows > few_rows);
}

PackedPairs pack_pairs(std::vector<WeightBlock>& weights, const Product& p,
                       const PanelLayout& layout) {
  const auto fill = [layout, b = p.b, k = p.k, columns = p.columns, row = p.b_k,
                     column = p.b_column, alpha = p.alpha,
                     products = p.bfloat16](std::uint32_t* to, std::size_t part) {
    const std::size_t i = part / layout.blocks(), first = i * k * to_size(columns);
    const auto values = b();
    PairMatrix m{.k = k, .stride_k = row, .stride_column = column, .scale = alpha};
    const auto* const narrow = reinterpret_cast<const std::uint16_t*>(values.get()) + first;
    if (b.gives == float16) m.float16_data = narrow;
    else if (b.gives == bfloat16) m.bfloat16_data = narrow;
    else m.data = values.get() + first;
    pack_pairs(products, m, layout, part % layout.blocks(), 0, layout.groups,
               to + i * layout.size());
  };
  return {add_packed<std::uint32_t>(weights, layout.size() * p.b_matrices,
                                    layout_text("panels of bfloat16/1", layout.block, layout.lanes,
                                                p.k, p.columns, p.b_k, p.b_column, p.alpha) +
                                        p.b.order,
                                    {p.b.slot}, fill, layout.blocks() * p.b_matrices),
          packed_bias(weights, p.bias, p.columns, layout.padded_columns(), p.bias_scale)};
}

std::optional<Candidate> bfloat16_product(const Product& p, const GatheredRows& rows) {
  if (!is_faster_in_bfloat16(p)) return std::nullopt;
  Candidate k = p.b ? constant_kernel(p, rows) : packing_kernel(p);
  if (k.scratch > max_scratch) return std::nullopt;
  return k;
}

}  // namespace webnn::inline v0_1::simd
