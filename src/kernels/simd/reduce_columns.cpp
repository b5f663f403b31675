#include "src/kernels/simd/reduce_columns.h"

#include <cmath>

#include "src/kernels/common/partition.h"
#include "src/kernels/simd/vector/float32/columns.h"

namespace webnn::inline v0_1::simd {
namespace {

/// The input as [outer][rows][columns]; the rows are reduced.
struct Matrices {
  std::size_t outer = 1, rows = 1, columns = 1;
};
std::optional<Matrices> matrices_of(const Dims& shape, const Dims& axes) {
  Matrices m;
  enum { before, inside, behind } place = before;
  for (std::uint32_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    const bool reduced = std::find(axes.begin(), axes.end(), d) != axes.end();
    if (reduced && place == behind) return std::nullopt;
    if (reduced) place = inside;
    else if (place == inside) place = behind;
    (place == before ? m.outer : place == inside ? m.rows : m.columns) *= shape[d];
  }
  return m;
}

/// In two rounds: each tile reduces a piece of the rows of a matrix; the pieces are combined.
struct Columns : Matrices {
  Reduction kind;
  Partition c{};  // of the rows

  std::size_t pieces() const { return static_cast<std::size_t>(c.tiles()); }
  std::size_t tiles() const { return outer * pieces(); }

  void reduce(std::size_t tile, const Buffers& b) const {
    const std::size_t matrix = tile / pieces(), first = tile % pieces() * c.each;
    reduce_columns(kind, b.in<float>() + (matrix * rows + first) * columns,
                   std::min(c.each, rows - first), columns,
                   reinterpret_cast<double*>(b.shared) + tile * columns);
  }
  double joined(double a, double v) const {
    if (kind == Reduction::max) return v > a || std::isnan(v) ? v : a;
    if (kind == Reduction::min) return v < a || std::isnan(v) ? v : a;
    return a + v;
  }
  /// Each tile combines the pieces of some of the results.
  void combine(std::size_t tile, const Buffers& b) const {
    const std::size_t all = outer * columns;
    const auto* parts = reinterpret_cast<const double*>(b.shared);
    for (std::size_t i = tile * all / tiles(); i < (tile + 1) * all / tiles(); ++i) {
      const double* part = parts + i / columns * pieces() * columns + i % columns;
      double v = *part;
      for (std::size_t k = 1; k < pieces(); ++k) v = joined(v, part[k * columns]);
      if (kind == Reduction::mean) v /= static_cast<double>(rows);
      b.out<float>()[i] = static_cast<float>(v);
    }
  }
};

}  // namespace

Lowering lower_column_reduction(Reduction kind, const Dims& shape, const Dims& axes) {
  const auto m = matrices_of(shape, axes);
  if (!m) return Refusal{"only axes that are neighbors"};
  constexpr std::size_t short_row = 8;
  if (m->columns < short_row) return Refusal{"too few contiguous elements"};
  Columns all{*m, kind};
  all.c = partition(m->rows, static_cast<double>(m->columns) / 4 + 4);
  constexpr std::size_t max_tiles = 1 << 20, max_shared = std::size_t{64} << 20;
  if (all.tiles() > max_tiles || all.tiles() * m->columns * sizeof(double) > max_shared)
    return Refusal{"too many results"};
  return Candidate{.name = "reduce columns",
                   .tiles = static_cast<int>(all.tiles()),
                   .grain = static_cast<int>(
                       std::max<std::size_t>(1, 16384 / (all.c.each * m->columns / 4 + 4))),
                   .rounds = 2,
                   .shared = all.tiles() * m->columns * sizeof(double),
                   .run = [all](Range r, const Buffers& b, std::byte*) {
                     for (int i = r.begin; i < r.end; ++i) {
                       const auto tile = static_cast<std::size_t>(i);
                       if (r.round == 0) all.reduce(tile, b);
                       else all.combine(tile, b);
                     }
                   }};
}

}  // namespace webnn::inline v0_1::simd
