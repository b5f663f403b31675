#include "src/kernels/simd/product/product_tiles.h"

#include "src/kernels/simd/cost.h"

namespace webnn::inline v0_1::simd {
namespace {

void copy_rows(const PanelRows& in, std::size_t first, std::size_t rows, std::size_t k,
               std::size_t count, float* to, std::size_t pitch) {
  for (std::size_t r = 0; r < rows; ++r)
    std::copy_n(in.x + (first + r) * in.stride + k, count, to + r * pitch);
}
/// Rows are columns of x.
void copy_transposed_rows(const PanelRows& in, std::size_t first, std::size_t rows, std::size_t k,
                          std::size_t count, float* to, std::size_t pitch) {
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t r = 0; r < rows; ++r)
      to[r * pitch + i] = in.x[first + r + (k + i) * in.stride];
}

}  // namespace

ProductTiles tiles_of(const Product& p, const PanelLayout& layout) {
  constexpr double large_weights = 256 << 10;  // bytes
  constexpr std::size_t too_few_rows = 72;     // to be cut between threads
  const std::size_t rows = to_size(p.rows), groups = to_size(layout.groups),
                    block = to_size(panel_rows());
  const double operations = p.macs() / static_cast<double>(p.batches.count) / macs_per_operation;
  const double weights = 4.0 * static_cast<double>(layout.size());
  ProductTiles t{{rows, rows}, {groups, groups}, p.batches.count};
  if (rows < too_few_rows || (weights > large_weights && layout.padded_columns() >= rows)) {
    t.columns = partition(groups, operations / static_cast<double>(groups));
    const auto wanted = static_cast<std::size_t>(std::clamp(operations / (1 << 17), 16.0, 64.0));
    const std::size_t parts = std::min(wanted / t.column_tiles(), rows / (2 * block));
    if (parts > 1 && operations > 1 << 20)
      t.rows.each = ((rows + parts - 1) / parts + block - 1) / block * block;
  } else {
    t.rows = partition(rows, operations / static_cast<double>(rows), 2 * block);
    constexpr double large = 1 << 21;  // operations of a tile that is cut again, for many threads
    std::size_t parts = 1;
    while (operations / static_cast<double>(t.rows.tiles()) / static_cast<double>(parts) > large &&
           groups / (2 * parts) >= 5 && static_cast<std::size_t>(t.rows.tiles()) * parts < 64)
      parts *= 2;
    t.columns.each = (groups + parts - 1) / parts;
  }
  return t;
}

Operands operands(const Product& p, const Buffers& u, std::size_t batch) {
  const auto [a, b] = p.batches[batch];
  const std::size_t result = batch * to_size(p.rows) * to_size(p.columns);
  return {u.in<float>() + a * to_size(p.rows) * p.k,
          p.b ? nullptr : u.in<float>(to_size(p.b_slot)) + b * p.k * to_size(p.columns),
          p.c ? u.in<float>(p.c->slot) : nullptr,
          p.epilogue.residual < 0 ? nullptr : u.in<float>(to_size(p.epilogue.residual)) + result,
          u.out<float>() + result};
}

void fill_with_c(const Product& p, const ProductTiles::Span& s, std::size_t first, std::size_t last,
                 const float* c, float* y) {
  for (std::size_t r = to_size(s.first_row); r < to_size(s.last_row); ++r) {
    const float* from = c + r * p.c->row;
    float* to = y + r * to_size(p.columns);
    for (std::size_t i = first; i < last; ++i) to[i] = p.c->scale * from[i * p.c->column];
  }
}

void fill_with_c(const Product& p, const ProductTiles::Span& s, const PanelLayout& layout,
                 const float* c, float* y) {
  const int last = s.last_column == layout.groups ? p.columns : layout.first_column(s.last_column);
  fill_with_c(p, s, to_size(layout.first_column(s.first_column)), to_size(last), c, y);
}

decltype(PanelRows::copy) copy_of_rows(const Product& p) {
  return p.a_k == 1 ? &copy_rows : &copy_transposed_rows;
}

std::size_t row_of(const Product& p) {
  return p.batches.count == 1 && !p.c ? p.epilogue.row(to_size(p.columns)) : 0;
}

Candidate finished(const Product& p, const ProductTiles& t, Candidate k) {
  k.name += p.epilogue.text();
  k.tiles = t.count();
  if (p.epilogue.residual >= 0 && !p.c) k.in_place = {p.epilogue.residual};
  return k;
}

}  // namespace webnn::inline v0_1::simd
