// Products of matrices of bytes, whatever becomes of the sums. One copy per target.
#if defined(WEBNN_SIMD_INT8_GEMM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_INT8_GEMM_INL_H
#undef WEBNN_SIMD_INT8_GEMM_INL_H
#else
#define WEBNN_SIMD_INT8_GEMM_INL_H
#endif
#include <algorithm>

#include "src/kernels/simd/vector/int8/gemm.h"
#include "src/kernels/simd/vector/int8/integers-inl.h"
#include "src/kernels/simd/vector/int8/tiles-inl.h"
#include "src/kernels/simd/vector/register_rows.h"
#include "src/kernels/simd/vector/unrolled-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

HWY_INLINE std::int32_t quad(const std::uint8_t* p) {
  std::int32_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
/// The first 1 to 3 bytes.
HWY_INLINE std::int32_t quad_of(const std::uint8_t* p, std::size_t n) {
  std::uint32_t v = p[0];
  if (n > 1) v |= std::uint32_t{p[1]} << 8;
  if (n > 2) v |= std::uint32_t{p[2]} << 16;
  return static_cast<std::int32_t>(v);
}

/// Four terms of each sum; load(r): those of row r.
template <int Rows, int Columns, bool Sums, bool Native, class Load>
HWY_INLINE void add_quad(Load load, const std::int8_t* w, VI flip, VI one, VI (&sum)[Rows][Columns],
                         VI (&total)[Rows]) {
  const DI d;
  VI b[Columns];
  unrolled<Columns>([&](auto c) WEBNN_UNROLLED {
    b[c] = hn::LoadU(d, as_ints(w + std::size_t{c} * vector_bytes));
  });
  unrolled<Rows>([&](auto r) WEBNN_UNROLLED {
    const VI a = hn::Xor(hn::Set(d, load(std::size_t{r})), flip);
    if constexpr (Sums) total[r] = dot<Native>(total[r], a, one);
    unrolled<Columns>([&](auto c) WEBNN_UNROLLED { sum[r][c] = dot<Native>(sum[r][c], a, b[c]); });
  });
}

/// Where the rows of a block are, each by itself or at a distance. Addresses of many rows do not
/// fit into registers.
template <int Rows, bool Lines> class RowsOfX {
 public:
  HWY_INLINE RowsOfX(const Int8Gemm& g, std::size_t row, const std::uint8_t* x)
      : stride_(g.x_stride) {
    from_[0] = x + g.row_at(row);
    if constexpr (Lines) {
      std::size_t left = g.line_rows == 0 ? Rows : g.line_rows - row % g.line_rows;
      const std::size_t to_next_line = g.line_stride - (g.line_rows - 1) * g.x_stride;
      for (std::size_t r = 1; r < Rows; ++r) {
        const bool next = --left == 0;
        from_[r] = from_[r - 1] + (next ? to_next_line : stride_);
        if (next) left = g.line_rows;
      }
    }
  }
  HWY_INLINE const std::uint8_t* at(std::size_t r, std::size_t offset) const {
    if constexpr (Lines) return from_[r] + offset;
    else return from_[0] + offset + r * stride_;
  }

 private:
  const std::uint8_t* from_[Lines ? Rows : 1];
  std::size_t stride_;
};
/// Whether blocks of so many vectors of columns read the rows of several lines.
constexpr bool crosses_lines(int columns) { return columns > 2; }

/// What `Result` makes of sums: start(bias) what they begin with, store() elements of y.
template <class Result, int Rows, int Columns, bool Sums, bool Native>
HWY_NOINLINE void block(const Int8Gemm& g, std::size_t row, const std::uint8_t* HWY_RESTRICT x,
                        const std::int8_t* HWY_RESTRICT w, std::size_t first,
                        typename Result::Element* HWY_RESTRICT y) {
  const DI d;
  const RowsOfX<Rows, crosses_lines(Columns)> rows(g, row, x);
  const Result result(g);
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  VI sum[Rows][Columns], total[Rows];
  unrolled<Columns>([&](auto c) WEBNN_UNROLLED {
    const VI bias = result.start(hn::LoadU(d, g.bias + first + std::size_t{c} * lanes));
    unrolled<Rows>([&](auto r) WEBNN_UNROLLED { sum[r][c] = bias; });
  });
  unrolled<Rows>([&](auto r) WEBNN_UNROLLED { total[r] = hn::Zero(d); });
  const VI flip = hn::Set(d, static_cast<std::int32_t>(0x01010101u * g.flip));
  const std::size_t whole = g.k / 4 * 4, rest = g.k % 4;
  const VI ones = hn::Set(d, 0x01010101);
  const VI last_ones = hn::Set(d, static_cast<std::int32_t>(0x01010101u & ((1u << 8 * rest) - 1)));
  for (std::size_t s = 0; s < g.segments; ++s) {
    const std::size_t from = g.offsets[s];
    for (std::size_t k = 0; k < whole; k += 4, w += Columns * vector_bytes)
      add_quad<Rows, Columns, Sums, Native>(
          [&](std::size_t r) WEBNN_UNROLLED { return quad(rows.at(r, from + k)); }, w, flip, ones,
          sum, total);
    if (rest == 0) continue;
    if (g.readable)  // the weights of the bytes behind the segment are zero
      add_quad<Rows, Columns, Sums, Native>(
          [&](std::size_t r) WEBNN_UNROLLED { return quad(rows.at(r, from + whole)); }, w, flip,
          last_ones, sum, total);
    else
      add_quad<Rows, Columns, Sums, Native>(
          [&](std::size_t r) WEBNN_UNROLLED { return quad_of(rows.at(r, from + whole), rest); }, w,
          flip, last_ones, sum, total);
    w += Columns * vector_bytes;
  }
  if constexpr (Sums) {
    unrolled<Columns>([&](auto c) WEBNN_UNROLLED {
      const VI zero = hn::LoadU(d, g.w_zero + first + std::size_t{c} * lanes);
      unrolled<Rows>(
          [&](auto r) WEBNN_UNROLLED { sum[r][c] = hn::Sub(sum[r][c], hn::Mul(total[r], zero)); });
    });
  }
  result.template store<Rows, Columns>(sum, row, first, y);
}

/// As many rows at once as are left, of a few numbers of rows.
template <class Result, int Rows, int Columns, bool Sums, bool Native>
HWY_INLINE void rows_of(const Int8Gemm& g, std::size_t row, std::size_t end, const std::uint8_t* x,
                        const std::int8_t* w, std::size_t first, typename Result::Element* y) {
  for (; row + Rows <= end; row += Rows)
    block<Result, Rows, Columns, Sums, Native>(g, row, x, w, first, y);
  if constexpr (Rows > 1) {
    constexpr int fewer = Rows > 8 ? 8 : Rows > 4 ? 4 : Rows > 2 ? 2 : 1;
    if (row < end) rows_of<Result, fewer, Columns, Sums, Native>(g, row, end, x, w, first, y);
  }
}

template <class Result, int Columns, bool Native>
void panel(const Int8Gemm& g, std::size_t row, std::size_t end, const std::uint8_t* x,
           const std::int8_t* w, std::size_t first, typename Result::Element* y) {
  constexpr int max = int8_block_rows(vector_registers, Columns);
  while (row < end) {
    const std::size_t line = g.line_rows == 0 || crosses_lines(Columns)
                                 ? end
                                 : std::min(end, (row / g.line_rows + 1) * g.line_rows);
    if (g.w_zero) rows_of<Result, max, Columns, true, Native>(g, row, line, x, w, first, y);
    else rows_of<Result, max, Columns, false, Native>(g, row, line, x, w, first, y);
    row = line;
  }
}

template <class Result, bool Native>
void all_panels(const Int8Gemm& g, std::size_t rows, int first, int last, const std::uint8_t* x,
                typename Result::Element* y) {
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  const std::size_t vectors = (static_cast<std::size_t>(g.columns) + lanes - 1) / lanes;
  // Rows that stay in L1 while all panels pass. Those of several lines overlap.
  const std::size_t steps = (24 << 10) / std::max<std::size_t>(1, g.segments * g.k) / int8_row_step;
  const std::size_t chunk = g.line_rows > 0 ? std::max<std::size_t>(1, rows)
                                            : std::max<std::size_t>(1, steps) * int8_row_step;
  for (std::size_t r = 0; r < rows; r += chunk) {
    const std::size_t end = std::min(rows, r + chunk);
    for (auto p = static_cast<std::size_t>(first); p < static_cast<std::size_t>(last); ++p) {
      const std::size_t column = p * 4 * lanes;
      const std::int8_t* w = g.w + p * 4 * g.quads() * vector_bytes;
      switch (std::min<std::size_t>(4, vectors - p * 4)) {
        case 1: panel<Result, 1, Native>(g, r, end, x, w, column, y); break;
        case 2: panel<Result, 2, Native>(g, r, end, x, w, column, y); break;
        case 3: panel<Result, 3, Native>(g, r, end, x, w, column, y); break;
        default: panel<Result, 4, Native>(g, r, end, x, w, column, y);
      }
    }
  }
}

template <class Result>
void all_panels(const Int8Gemm& g, std::size_t rows, int first, int last, const std::uint8_t* x,
                typename Result::Element* y) {
#if WEBNN_HAS_INT8_TILES
  if (g.tile_scratch && rows >= min_rows_of_tiles)
    return tile_panels<Result>(g, rows, first, last, x, y);
#endif
  if constexpr (may_be_native)
    if (has_instruction(g.dot_product)) return all_panels<Result, true>(g, rows, first, last, x, y);
  all_panels<Result, false>(g, rows, first, last, x, y);
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
