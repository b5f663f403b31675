#include "src/kernels/simd/product/product.h"

#include "src/kernels/simd/built.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/product/bfloat16_product.h"
#include "src/kernels/simd/product/product_tiles.h"
#include "src/kernels/simd/vector/float32/small_panels.h"
#include "src/kernels/simd/vector/float32/unpacked_gemm.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

constexpr int few_rows = 4;  // for which packing a matrix takes longer than it saves

/// The number of rows in a tile is a multiple of this.
std::size_t row_block() {
  return to_size(rows_at_once() < 8 ? 2 * rows_at_once() : rows_at_once());
}

ProductTiles tiles_of(const Product& p) {
  const std::size_t rows = to_size(p.rows), columns = to_size(vector_columns(p.columns));
  const double operations = p.macs() / static_cast<double>(p.batches.count) / macs_per_operation;
  ProductTiles t{{rows, rows}, {columns, columns}, p.batches.count};
  if (rows >= 8 * row_block()) {
    t.rows = partition(rows, operations / static_cast<double>(rows), row_block());
    // Large tiles are split by columns too, so that there are enough of them for many threads.
    constexpr double large = 1 << 21;
    std::size_t parts = 1;
    while (operations / static_cast<double>(t.rows.tiles()) / static_cast<double>(parts) > large &&
           columns / (2 * parts) >= 16 && static_cast<std::size_t>(t.rows.tiles()) * parts < 64)
      parts *= 2;
    t.columns.each = ((columns + parts - 1) / parts + 1) / 2 * 2;
  } else {
    t.columns = partition(columns, operations / static_cast<double>(columns));
  }
  return t;
}

/// Tiles for a matrix that is packed during the dispatch: each panel of columns is packed once, if
/// there are enough panels.
ProductTiles panel_tiles(const Product& p) {
  ProductTiles t = tiles_of(p);
  const std::size_t columns = to_size(vector_columns(p.columns)), rows = to_size(p.rows);
  const double operations = p.macs() / static_cast<double>(p.batches.count) / macs_per_operation;
  t.columns = partition(columns, operations / static_cast<double>(columns), 2);
  t.rows = {rows, rows};
  constexpr std::size_t enough = 16;
  const std::size_t max_parts = rows / (4 * row_block());
  if (const std::size_t panels = t.batches * t.column_tiles(); panels < enough && max_parts > 1) {
    const std::size_t parts = std::min(max_parts, enough / panels);
    t.rows.each = ((rows + parts - 1) / parts + row_block() - 1) / row_block() * row_block();
  }
  return t;
}

void fill_with_c(const Product& p, const ProductTiles::Span& s, const float* c, float* y) {
  fill_with_c(p, s, to_size(s.first_column * lanes()),
              std::min(to_size(s.last_column * lanes()), to_size(p.columns)), c, y);
}

/// Without the weights.
Gemm gemm_of(const Product& p) {
  return {.column_size = p.k * to_size(lanes()),
          .k = p.k,
          .x_stride = p.a_row,
          .y_stride = to_size(p.columns),
          .columns = p.columns,
          .epilogue = p.epilogue,
          .accumulate = p.c.has_value()};
}

/// Whether a constant matrix is packed in rows, not in vector columns.
bool in_rows(const Product& p) { return p.b && is_narrow(p.columns, 1, p.k); }

/// Multiplies the rows of a span: in place, or a block of rows at a time that is transposed first.
void multiply(const Product& p, const Gemm& g, const ProductTiles::Span& s, const Operands& u,
              float* scratch) {
  const auto call = [&](int row, int rows, const float* x) {
    const std::size_t at = to_size(row) * g.y_stride;
    const float* residual = u.residual ? u.residual + at : nullptr;
    if (p.rows == 1 && !g.narrow) gemv(g, s.first_column, s.last_column, x, u.y + at, residual);
    else gemm(g, rows, s.first_column, s.last_column, x, u.y + at, residual);
  };
  if (p.a_k == 1)
    return call(s.first_row, s.last_row - s.first_row, u.a + to_size(s.first_row) * p.a_row);
  const int block = static_cast<int>(row_block());
  for (int row = s.first_row; row < s.last_row; row += block) {
    const int rows = std::min(block, s.last_row - row);
    for (std::size_t k = 0; k < p.k; ++k)
      for (int r = 0; r < rows; ++r)
        scratch[to_size(r) * p.k + k] = u.a[to_size(row + r) * p.a_row + k * p.a_k];
    call(row, rows, scratch);
  }
}

std::size_t transposed_floats(const Product& p) { return p.a_k == 1 ? 0 : row_block() * p.k; }
Gemm over_scratch(const Product& p, Gemm g) {
  if (p.a_k != 1) g.x_stride = p.k;
  return g;
}

/// Whether a constant matrix is packed in panels, not in vector columns.
bool in_panels(const Product& p) { return p.b && p.columns > 2 * lanes(); }

/// Each matrix of b by itself, one after the other, in so many parts:
/// pack(matrix, part, to).
template <class Pack>
PackedArray<float> packed_matrices(std::vector<WeightBlock>& weights, const Product& p,
                                   const std::string& layout, std::size_t each, std::size_t parts,
                                   Pack pack) {
  return add_packed<float>(
      weights, each * p.b_matrices,
      layout_text(layout, lanes(), p.k, p.columns, p.b_k, p.b_column, p.alpha) + p.b.order,
      {p.b.slot},
      [=, b = p.b, k = p.k, columns = p.columns, row = p.b_k, column = p.b_column, alpha = p.alpha](
          float* to, std::size_t part) {
        const auto values = b();
        const std::size_t i = part / parts;
        pack(WeightMatrix{values.get() + i * k * to_size(columns), k, columns, row, column, alpha},
             part % parts, to + i * each);
      },
      parts * p.b_matrices);
}

Candidate packed_panels_kernel(const Product& p, const PanelLayout& layout, const ProductTiles& t,
                               const GatheredRows& gathered = {}) {
  std::vector<WeightBlock> weights;
  const auto pack = [layout](const WeightMatrix& m, std::size_t block, float* to) {
    pack_panels(m, layout, block, to);
  };
  const PackedArray<float> w = packed_matrices(weights, p, layout_text("panels/1", layout.block),
                                               layout.size(), layout.blocks(), pack);
  const PackedArray<float> bias =
      packed_bias(weights, p.bias, p.columns, layout.padded_columns(), p.bias_scale);
  const PackedArray<float> terms =
      gathered.add_terms ? gathered.add_terms(weights) : PackedArray<float>();
  const PanelProduct g{.layout = layout,
                       .y_stride = to_size(p.columns),
                       .epilogue = p.epilogue,
                       .accumulate = p.c.has_value()};
  // Copied rows lie close together and are read once for each group of columns.
  const bool one_row = p.rows == 1 && !gathered.copy && p.a_k == 1;
  const bool copies = !one_row && (gathered.copy || p.a_k != 1 || t.columns.each >= 4);
  const auto copy = !copies ? nullptr : gathered.copy ? gathered.copy : copy_of_rows(p);
  return {.name = one_row             ? "gemv"
                  : t.row_tiles() > 1 ? "gemm rows"
                                      : "gemm columns",
          .grain = t.row_tiles() > 1 ? 1 : 2,
          .scratch = copies ? panel_scratch(layout, to_size(p.rows)) * sizeof(float) : 0,
          .row = row_of(p),
          .weights = std::move(weights),
          .run = [=](Range r, const Buffers& buffers, std::byte* scratch) {
            const GatheredTerms with_terms{gathered.context.get(), terms.in(buffers)};
            const void* const context =
                terms.empty() ? with_terms.context : static_cast<const void*>(&with_terms);
            t.for_spans(
                r,
                [&](const ProductTiles::Span& s) {
                  const Operands u = operands(p, buffers, s.batch);
                  PanelProduct here = g;
                  here.y_stride = buffers.pitch_of(g.y_stride);
                  here.w = w.in(buffers) + p.batches[s.batch].b * layout.size();
                  here.bias = bias.in(buffers);
                  if (u.c) fill_with_c(p, s, layout, u.c, u.y);
                  if (one_row)
                    return multiply_row(here, u.a, s.first_column, s.last_column, u.y, u.residual);
                  const std::size_t row = to_size(s.first_row), at = row * here.y_stride;
                  multiply_panels(here, {u.a, p.a_k == 1 ? p.a_row : p.a_k, copy, context}, row,
                                  to_size(s.last_row) - row, s.first_column, s.last_column,
                                  u.y + at, u.residual ? u.residual + at : nullptr,
                                  reinterpret_cast<float*>(scratch));
                },
                true);
          }};
}

Candidate constant_kernel(const Product& p, const ProductTiles& t) {
  const bool narrow = in_rows(p);
  const std::size_t matrix = p.k * (narrow ? to_size(p.columns) : padded_columns(p.columns));
  std::vector<WeightBlock> weights;
  const PackedArray<float> w = packed_matrices(
                               weights, p, narrow ? "rows/1" : "columns/1", matrix, 1,
                               [narrow](const WeightMatrix&m, std::size_t, float*to) {
                                 (narrow ? pack_rows : pack_columns)(m, to);
                               }),
                           bias = packed_bias(weights, p.bias, p.columns, padded_columns(p.columns),
                                              p.bias_scale);
  Gemm g = over_scratch(p, gemm_of(p));
  if (narrow) g.narrow = true, g.column_size = p.k;
  return {.name = narrow              ? "gemm narrow"
                  : p.rows == 1       ? "gemv"
                  : t.row_tiles() > 1 ? "gemm rows"
                                      : "gemm columns",
          .grain = t.row_tiles() > 1 ? 1 : 2,
          .scratch = transposed_floats(p) * sizeof(float),
          .row = row_of(p),
          .weights = std::move(weights),
          .run = [=](Range r, const Buffers& buffers, std::byte* scratch) {
            t.for_spans(r, [&](const ProductTiles::Span& s) {
              const Operands u = operands(p, buffers, s.batch);
              Gemm here = g;
              here.y_stride = buffers.pitch_of(g.y_stride);
              here.w = w.in(buffers) + p.batches[s.batch].b * matrix;
              here.bias = bias.in(buffers);
              if (u.c) fill_with_c(p, s, u.c, u.y);
              multiply(p, here, s, u, reinterpret_cast<float*>(scratch));
            });
          }};
}

/// Packs panels of b into scratch during the dispatch.
Candidate scratch_panels_kernel(const Product& p, const ProductTiles& t) {
  const std::size_t panel = t.columns.each * to_size(lanes()) * p.k;
  std::vector<WeightBlock> weights;
  const PackedArray<float> bias =
      packed_bias(weights, p.bias, p.columns, padded_columns(p.columns), p.bias_scale);
  const Gemm g = over_scratch(p, gemm_of(p));
  return {.name = "gemm panels",
          .scratch = (panel + transposed_floats(p)) * sizeof(float),
          .weights = std::move(weights),
          .run = [=](Range r, const Buffers& buffers, std::byte* bytes) {
            float* scratch = reinterpret_cast<float*>(bytes);
            t.for_spans(r, [&](const ProductTiles::Span& s) {
              const Operands u = operands(p, buffers, s.batch);
              const std::size_t first = to_size(s.first_column * lanes());
              const int columns =
                  std::min(s.last_column * lanes(), p.columns) - s.first_column * lanes();
              pack_columns({u.b + first * p.b_column, p.k, columns, p.b_k, p.b_column, p.alpha},
                           scratch);
              Gemm here = g;
              here.w = scratch - to_size(s.first_column) * g.column_size;
              here.bias = bias.in(buffers);
              if (u.c) fill_with_c(p, s, u.c, u.y);
              multiply(p, here, s, u, scratch + panel);
            });
          }};
}

/// A few rows times a matrix that is not packed.
Candidate unpacked_kernel(const Product& p, const ProductTiles& t) {
  std::vector<WeightBlock> weights;
  const PackedArray<float> bias =
      packed_bias(weights, p.bias, p.columns, padded_columns(p.columns), p.bias_scale);
  const UnpackedGemm d{.rows = p.rows,
                       .columns = p.columns,
                       .k = p.k,
                       .x_row = p.a_row,
                       .x_k = p.a_k,
                       .w_k = p.b_k,
                       .w_column = p.b_column,
                       .alpha = p.alpha,
                       .epilogue = p.epilogue,
                       .accumulate = p.c.has_value()};
  return {.name = p.b_column == 1 ? "gemm unpacked" : "gemm unpacked transposed",
          .weights = std::move(weights),
          .run = [=](Range r, const Buffers& buffers, std::byte*) {
            UnpackedGemm here = d;
            here.bias = bias.in(buffers);
            t.for_spans(r, [&](const ProductTiles::Span& s) {
              const Operands u = operands(p, buffers, s.batch);
              if (u.c) fill_with_c(p, s, u.c, u.y);
              unpacked_gemm(here, s.first_column, s.last_column, u.a, u.b, u.y, u.residual);
            });
          }};
}

}  // namespace

Batches batches_of(const Dims& batches, const Dims& a, const Dims& b) {
  const auto strides = [&](const Dims& operand) {
    return broadcast_strides(Dims(operand.begin(), operand.end() - 2), batches);
  };
  Batches all{
      .count = element_count(batches), .rank = batches.size(), .a = strides(a), .b = strides(b)};
  std::copy(batches.begin(), batches.end(), all.sizes.begin());
  return all;
}

Batches::Pair Batches::operator[](std::size_t i) const {
  std::ptrdiff_t at_a = 0, at_b = 0;
  for (std::size_t d = rank; d-- > 0; i /= sizes[d]) {
    const auto here = static_cast<std::ptrdiff_t>(i % sizes[d]);
    at_a += here * a[d];
    at_b += here * b[d];
  }
  return {static_cast<std::size_t>(at_a), static_cast<std::size_t>(at_b)};
}

Lowering lower_product(const Product& p, const GatheredRows& rows) {
  if constexpr (bfloat16_built)
    if (auto k = bfloat16_product(p, rows)) return *std::move(k);
  const PanelLayout layout(p.k, p.columns);
  const ProductTiles t = tiles_of(p, layout);
  Candidate k = packed_panels_kernel(p, layout, t, rows);
  k.name = t.row_tiles() > 1 ? "dense rows" : "dense columns";
  return finished(p, t, std::move(k));
}

Lowering lower_product(const Product& p) {
  if constexpr (bfloat16_built)
    if (auto k = bfloat16_product(p)) return *std::move(k);
  const bool unpacked = !p.b && p.rows <= few_rows;
  if (in_panels(p)) {
    const PanelLayout layout(p.k, p.columns);
    const ProductTiles t = tiles_of(p, layout);
    return finished(p, t, packed_panels_kernel(p, layout, t));
  }
  const ProductTiles t = !p.b && !unpacked ? panel_tiles(p) : tiles_of(p);
  const std::size_t floats =
      transposed_floats(p) + (!p.b && !unpacked ? t.columns.each * to_size(lanes()) * p.k : 0);
  if (floats * sizeof(float) > max_scratch) return Refusal{"needs too much scratch"};
  return finished(p, t,
                  p.b        ? constant_kernel(p, t)
                  : unpacked ? unpacked_kernel(p, t)
                             : scratch_panels_kernel(p, t));
}

}  // namespace webnn::inline v0_1::simd
