#include "src/kernels/simd/product/small_product.h"

#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/product/product_tiles.h"
#include "src/kernels/simd/vector/int8/activations.h"

namespace webnn::inline v0_1::simd {
namespace {

std::string_view name_of(SmallType type) {
  switch (type) {
    case SmallType::int4: return "int4";
    case SmallType::float16: return "float16";
    case SmallType::bfloat16: return "bfloat16";
    case SmallType::float8e4m3: return "float8e4m3";
    default: return "int8";
  }
}

/// What all kernels of a product have.
struct Work {
  Product p;
  SmallProduct g;
  ProductTiles t;
  LaterInputs later;
  PackedArray<std::byte> weights;
  PackedArray<float> bias;
  GatheredRows rows;

  /// Returns the product that computes one matrix of the result.
  SmallProduct product(const Buffers& b, std::size_t batch) const {
    SmallProduct here = g;
    here.weights.bytes = weights.in(b) + p.batches[batch].b * g.weights.size();
    here.bias = bias.in(b);
    return here;
  }
  /// f(span, its operands), whose results begin with c if there is one.
  template <class F> void for_spans(Range r, const Buffers& buffers, F f) const {
    const auto inputs = later.of(buffers);
    const Buffers own{inputs, buffers.outputs, buffers.shared};
    t.for_spans(
        r,
        [&](const ProductTiles::Span& s) {
          const Operands u = operands(p, own, s.batch);
          if (u.c) fill_with_c(p, s, g.weights.layout, u.c, u.y);
          f(s, u);
        },
        true);
  }
};

/// The tiles of a product with gathered rows. Many rows are cut between threads, not the columns,
/// so that each row is gathered once, or once for every few hundred columns.
ProductTiles tiles_of_gathered(const Product& p, const PanelLayout& layout) {
  constexpr std::size_t many_rows = 128, many_columns = 512;
  const std::size_t rows = to_size(p.rows), groups = to_size(layout.groups);
  if (rows < many_rows) return tiles_of(p, layout);
  const double operations = p.macs() / macs_per_operation;
  return {partition(rows, operations / static_cast<double>(rows), to_size(panel_rows())),
          {groups, divide_up(groups, std::max<std::size_t>(1, to_size(p.columns) / many_columns))}};
}

/// Tiles below which panels would become floats for too few rows.
int grain_of(const ProductTiles& t) {
  constexpr std::size_t min_rows = 128;
  return t.row_tiles() == 1
             ? 2
             : static_cast<int>(std::min(t.row_tiles(), divide_up(min_rows, t.rows.each)));
}

Candidate float_kernel(const Work& work) {
  const Product& p = work.p;
  const PanelLayout& layout = work.g.weights.layout;
  const bool gathers = work.rows.copy;
  const bool one_row = p.rows == 1 && p.a_k == 1;
  const std::size_t stride = p.a_k == 1 ? p.a_row : p.a_k;
  const bool copies = gathers || p.a_k != 1 || work.t.columns.each >= 4;
  const auto copy = !copies ? nullptr : gathers ? work.rows.copy : copy_of_rows(p);
  const std::size_t floats =
      one_row ? (gathers ? p.k : 0)
              : small_panel_floats(layout) + (copies ? panel_scratch(layout, to_size(p.rows)) : 0);
  return {.name = gathers   ? " conv"
                  : one_row ? " gemv"
                            : " gemm",
          .grain = grain_of(work.t),
          .scratch = floats * sizeof(float),
          .run = [=](Range r, const Buffers& buffers, std::byte* bytes) {
            float* const scratch = reinterpret_cast<float*>(bytes);
            bool gathered = false;
            work.for_spans(r, buffers, [&](const ProductTiles::Span& s, const Operands& u) {
              const SmallProduct g = work.product(buffers, s.batch);
              const PanelRows rows{u.a, stride, copy, work.rows.context.get()};
              if (one_row) {
                if (gathers && !gathered) copy(rows, 0, 1, 0, p.k, scratch, p.k);
                gathered = true;
                return multiply_small_row(g, gathers ? scratch : u.a, s.first_column, s.last_column,
                                          u.y, u.residual);
              }
              const std::size_t row = to_size(s.first_row), at = row * g.y_stride;
              multiply_small_panels(g, rows, row, to_size(s.last_row) - row, s.first_column,
                                    s.last_column, u.y + at, u.residual ? u.residual + at : nullptr,
                                    scratch);
            });
          }};
}

/// The rows of the activations in the memory that all tiles see, and whether each could be
/// quantized; those that could not are multiplied as floats.
struct SharedRows {
  QuantizedRow row;
  std::size_t count;

  std::size_t bytes() const { return count * (row.stride + 1); }
  std::byte* at(std::byte* shared, std::size_t i) const { return shared + i * row.stride; }
  std::byte& quantized(std::byte* shared, std::size_t i) const {
    return shared[count * row.stride + i];
  }
  /// The end of the rows from the first on that are like it, and not many.
  std::size_t end_of_run(std::byte* shared, std::size_t first, std::size_t last) const {
    constexpr std::size_t many = 128;  // their integers for a panel stay in the nearer caches
    const std::byte kind = quantized(shared, first);
    std::size_t end = first + 1;
    while (end < last && quantized(shared, end) == kind && end - first < many) ++end;
    return end;
  }
};

/// `shared`: the quantized rows.
void multiply_span(const Work& work, const SharedRows& rows, const ProductTiles::Span& s,
                   const Operands& u, const Buffers& buffers, std::byte* shared,
                   std::byte* scratch) {
  const SmallProduct g = work.product(buffers, s.batch);
  const auto last = to_size(s.last_row);
  for (std::size_t r = to_size(s.first_row), end = r; r < last; r = end) {
    end = rows.end_of_run(shared, r, last);
    if (rows.quantized(shared, r) != std::byte{}) {
      const std::size_t at = r * g.y_stride;
      multiply_quantized_rows(g, rows.row, {rows.at(shared, r), end - r, scratch}, s.first_column,
                              s.last_column, u.y + at, u.residual ? u.residual + at : nullptr);
      continue;
    }
    for (; r < end; ++r) {
      const std::size_t at = r * g.y_stride;
      multiply_small_row(g, u.a + r * work.p.a_row, s.first_column, s.last_column, u.y + at,
                         u.residual ? u.residual + at : nullptr);
    }
  }
}

/// A short row is quantized by each range of tiles, which takes less time than to wait for others.
Candidate row_kernel(const Work& work, const SharedRows& rows) {
  return {.name = " gemv",
          .grain = 2,
          .scratch = rows.bytes(),
          .run = [=](Range r, const Buffers& buffers, std::byte* scratch) {
            const auto* a = reinterpret_cast<const float*>(work.later.of(buffers)[0]);
            rows.quantized(scratch, 0) = std::byte{quantize_row(rows.row, a, rows.at(scratch, 0))};
            work.for_spans(r, buffers, [&](const ProductTiles::Span& s, const Operands& u) {
              multiply_span(work, rows, s, u, buffers, scratch, nullptr);
            });
          }};
}

/// In two rounds: the rows are quantized, then multiplied.
Candidate integer_kernel(const Work& work, const SharedRows& rows) {
  constexpr std::size_t short_row = 2048;
  if (rows.count == 1 && work.p.k <= short_row) return row_kernel(work, rows);
  const bool one_row = rows.count == 1;
  return {
      .name = one_row ? " gemv" : " gemm",
      .grain = work.t.row_tiles() > 1 ? 1 : 2,
      .rounds = 2,
      .scratch = one_row ? 0 : rows.row.scratch(),
      .shared = rows.bytes(),
      .run = [=](Range r, const Buffers& buffers, std::byte* scratch) {
        if (r.round == 1)
          return work.for_spans(r, buffers, [&](const ProductTiles::Span& s, const Operands& u) {
            multiply_span(work, rows, s, u, buffers, buffers.shared, scratch);
          });
        const auto tiles = to_size(work.t.count());
        const auto* a = reinterpret_cast<const float*>(work.later.of(buffers)[0]);
        for (std::size_t i = rows.count * to_size(r.begin) / tiles;
             i < rows.count * to_size(r.end) / tiles; ++i)
          rows.quantized(buffers.shared, i) =
              std::byte{quantize_row(rows.row, a + i * work.p.a_row, rows.at(buffers.shared, i))};
      }};
}

/// Whether integers are at least as fast: each piece and each row has a cost too.
bool is_faster_on_integers(const Product& p, const QuantizedRow& row) {
  constexpr int min_columns = 128;
  const std::size_t min_piece = p.rows == 1 || row.native ? 16 : row.wide() ? 64 : 32;
  return has_quantized_rows() && row.weights.has_integers() && !row.weights.rounds && p.a_k == 1 &&
         p.batches.count == 1 && row.weights.piece >= min_piece && p.columns >= min_columns;
}

}  // namespace

Lowering small_product(const Product& p, const SmallPanels& panels, WeightBlock block,
                       const LaterInputs& later, const Options& options, const GatheredRows& from) {
  const ProductTiles t =
      from.copy ? tiles_of_gathered(p, panels.layout) : tiles_of(p, panels.layout);
  std::vector<WeightBlock> weights{std::move(block)};
  const PackedArray<float> bias =
      packed_bias(weights, p.bias, p.columns, panels.layout.padded_columns(), p.bias_scale);
  const Work work{p,
                  {.weights = panels,
                   .y_stride = to_size(p.columns),
                   .epilogue = p.epilogue,
                   .accumulate = p.c.has_value()},
                  t,
                  later,
                  {0, weights.front().bytes},
                  bias,
                  from};
  const SharedRows rows{QuantizedRow(panels, options.dot_product(), to_size(p.rows)),
                        to_size(p.rows)};
  const bool integers = options.int8_activations && !from.copy &&
                        is_faster_on_integers(p, rows.row) && rows.bytes() <= max_scratch;
  Candidate k = integers ? integer_kernel(work, rows) : float_kernel(work);
  k.name = (integers ? "int8 x " : "float32 x ") + std::string(name_of(panels.type)) + k.name;
  if (integers && are_tiles(rows.row.products)) k.name += " amx";
  if (k.scratch > max_scratch) return Refusal{"needs too much scratch"};
  k.weights = std::move(weights);
  k = finished(p, t, std::move(k));
  for (int& i : k.in_place) i = later.slot(i);
  return k;
}

}  // namespace webnn::inline v0_1::simd
