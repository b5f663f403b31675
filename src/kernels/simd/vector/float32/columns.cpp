#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/columns.cpp"
#include "src/kernels/simd/vector/float32/columns.h"

#include <hwy/foreach_target.h>

#include <algorithm>
#include <limits>

#include "src/kernels/simd/vector/float32/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

constexpr auto column_lanes = static_cast<std::size_t>(vector_lanes);

// How the elements of a column add up. No default initializers: GCC would make the constructors for
// no particular instruction set.
struct ColumnSum {
  Doubles sum;
  static constexpr double start = 0;
  HWY_INLINE void step(V v) {
    const Doubles w = doubles(v);
    sum.lower = hn::Add(sum.lower, w.lower);
    sum.upper = hn::Add(sum.upper, w.upper);
  }
};
struct ColumnSquares {
  Doubles sum;
  static constexpr double start = 0;
  HWY_INLINE void step(V v) {
    const Doubles w = doubles(v);
    sum.lower = hn::MulAdd(w.lower, w.lower, sum.lower);
    sum.upper = hn::MulAdd(w.upper, w.upper, sum.upper);
  }
};
template <bool largest> HWY_INLINE auto beyond(V v, V best) {
  return largest ? hn::Gt(v, best) : hn::Lt(v, best);
}

/// Adds the rows of a vector of columns, of which the first `left` exist, to `to`.
template <class F>
HWY_INLINE void sum_vector(const float* x, std::size_t rows, std::size_t columns, double* to,
                           std::size_t left) {
  const Doubles::Wide wide;
  constexpr std::size_t half = column_lanes / 2;
  HWY_ALIGN double all[column_lanes] = {};
  std::copy_n(to, left, all);
  F f{{hn::Load(wide, all), hn::Load(wide, all + half)}};
  const int n = static_cast<int>(left);
  if (left == column_lanes)
    for (std::size_t r = 0; r < rows; ++r) f.step(hn::LoadU(D(), x + r * columns));
  else
    for (std::size_t r = 0; r < rows; ++r) f.step(load_first(x + r * columns, n));
  hn::Store(f.sum.lower, wide, all);
  hn::Store(f.sum.upper, wide, all + half);
  std::copy_n(all, left, to);
}

/// So many rows that all columns of them stay in L1.
template <class F>
void sum_columns(const float* x, std::size_t rows, std::size_t columns, double* to) {
  constexpr std::size_t floats = 4096;
  const std::size_t piece = std::max<std::size_t>(8, floats / columns);
  std::fill_n(to, columns, F::start);
  for (std::size_t r = 0; r < rows; r += piece)
    for (std::size_t c = 0; c < columns; c += column_lanes)
      sum_vector<F>(x + r * columns + c, std::min(piece, rows - r), columns, to + c,
                    std::min(column_lanes, columns - c));
}

/// NaN stays once it is there.
template <bool largest>
void extreme_columns(const float* x, std::size_t rows, std::size_t columns, double* to) {
  const D d;
  for (std::size_t c = 0; c < columns; c += column_lanes) {
    const std::size_t left = std::min(column_lanes, columns - c);
    const int n = static_cast<int>(left);
    V best = load_some(x + c, n);
    for (std::size_t r = 1; r < rows; ++r) {
      const V v = load_some(x + r * columns + c, n);
      best = hn::IfThenElse(hn::Or(beyond<largest>(v, best), hn::IsNaN(v)), v, best);
    }
    HWY_ALIGN float all[column_lanes];
    hn::Store(best, d, all);
    std::copy_n(all, left, to + c);
  }
}

void reduce_matrix(Reduction r, const float* x, std::size_t rows, std::size_t columns, double* to) {
  switch (r) {
    case Reduction::sum:
    case Reduction::mean: return sum_columns<ColumnSum>(x, rows, columns, to);
    case Reduction::sum_square: return sum_columns<ColumnSquares>(x, rows, columns, to);
    case Reduction::max: return extreme_columns<true>(x, rows, columns, to);
    case Reduction::min: return extreme_columns<false>(x, rows, columns, to);
  }
}

/// The first index where is(v) is true; n when there is none.
template <class F> HWY_INLINE std::size_t first_place(const float* x, std::size_t n, F is) {
  const D d;
  std::size_t i = 0;
  for (; i < n; i += column_lanes) {
    const std::size_t left = std::min(column_lanes, n - i);
    const auto found = hn::And(is(load_some(x + i, static_cast<int>(left))), hn::FirstN(d, left));
    if (const auto at = hn::FindFirstTrue(d, found); at >= 0)
      return i + static_cast<std::size_t>(at);
  }
  return n;
}

/// The extreme value first, then its index. Comparing an element with itself finds a NaN.
template <bool largest> HWY_INLINE std::size_t arg_row(const float* x, std::size_t n) {
  const D d;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const V start = hn::Set(d, largest ? -infinity : infinity);
  V best = start, other = start;
  auto nan = hn::IsNaN(start);
  const auto step = [&](V v, V& to) HWY_ATTR {
    to = hn::IfThenElse(beyond<largest>(v, to), v, to);
    nan = hn::Or(nan, hn::IsNaN(v));
  };
  std::size_t i = 0;
  for (; i + 2 * column_lanes <= n; i += 2 * column_lanes) {
    step(hn::LoadU(d, x + i), best);
    step(hn::LoadU(d, x + i + column_lanes), other);
  }
  for (; i < n; i += column_lanes) {
    const std::size_t left = std::min(column_lanes, n - i);
    const V v = load_some(x + i, static_cast<int>(left));
    step(hn::IfThenElse(hn::FirstN(d, left), v, start), best);
  }
  if (!hn::AllFalse(d, nan)) return first_place(x, n, [](V v) HWY_ATTR { return hn::IsNaN(v); });
  best = hn::IfThenElse(beyond<largest>(other, best), other, best);
  const V extreme = largest ? hn::MaxOfLanes(d, best) : hn::MinOfLanes(d, best);
  return first_place(x, n, [=](V v) HWY_ATTR { return hn::Eq(v, extreme); });
}

void arg_all_rows(Extreme e, const float* x, std::size_t rows, std::size_t columns,
                  std::int32_t* to) {
  for (std::size_t r = 0; r < rows; ++r, x += columns)
    to[r] = static_cast<std::int32_t>(e == Extreme::largest ? arg_row<true>(x, columns)
                                                            : arg_row<false>(x, columns));
}

template <bool largest>
void arg_matrix(const float* x, std::size_t rows, std::size_t columns, std::size_t first,
                std::size_t last, std::int32_t* to) {
  const D d;
  const hn::RebindToSigned<D> di;
  for (std::size_t c = first; c < last; c += column_lanes) {
    const int left = static_cast<int>(std::min(column_lanes, last - c));
    V best = load_some(x + c, left), place = hn::Zero(d);  // places are bits of integers
    for (std::size_t r = 1; r < rows; ++r) {
      const V v = load_some(x + r * columns + c, left);
      const auto later =
          hn::AndNot(hn::IsNaN(best), hn::Or(beyond<largest>(v, best), hn::IsNaN(v)));
      best = hn::IfThenElse(later, v, best);
      place =
          hn::IfThenElse(later, hn::BitCast(d, hn::Set(di, static_cast<std::int32_t>(r))), place);
    }
    HWY_ALIGN std::int32_t all[column_lanes];
    hn::Store(hn::BitCast(di, place), di, all);
    std::copy_n(all, left, to + (c - first));
  }
}

void arg_all_columns(Extreme e, const float* x, std::size_t rows, std::size_t columns,
                     std::size_t first, std::size_t last, std::int32_t* to) {
  if (e == Extreme::largest) arg_matrix<true>(x, rows, columns, first, last, to);
  else arg_matrix<false>(x, rows, columns, first, last, to);
}

/// Some of the columns of a vector. Sums of a few rows first, then sums of these: the error does
/// not grow with the number of rows.
HWY_INLINE void softmax_vector(const float* x, std::size_t rows, std::size_t columns, int left,
                               float* y) {
  const D d;
  constexpr std::size_t rows_together = 64;
  V largest = load_some(x, left);
  for (std::size_t r = 1; r < rows; ++r) {
    const V v = load_some(x + r * columns, left);
    largest = hn::IfThenElse(hn::Or(hn::Gt(v, largest), hn::IsNaN(v)), v, largest);
  }
  V total = hn::Zero(d);
  for (std::size_t first = 0; first < rows; first += rows_together) {
    V sum = hn::Zero(d);
    for (std::size_t r = first; r < std::min(rows, first + rows_together); ++r) {
      const V e = power_below(load_some(x + r * columns, left), largest);
      store_some(e, y + r * columns, left);
      sum = hn::Add(sum, e);
    }
    total = hn::Add(total, sum);
  }
  for (std::size_t r = 0; r < rows; ++r)
    store_some(hn::Div(load_some(y + r * columns, left), total), y + r * columns, left);
}

void softmax_matrix(const float* x, std::size_t rows, std::size_t columns, std::size_t first,
                    std::size_t last, float* y) {
  for (std::size_t c = first; c < last; c += column_lanes)
    softmax_vector(x + c, rows, columns, static_cast<int>(std::min(column_lanes, last - c)), y + c);
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(reduce_matrix);
HWY_EXPORT(arg_all_rows);
HWY_EXPORT(arg_all_columns);
HWY_EXPORT(softmax_matrix);

void reduce_columns(Reduction r, const float* x, std::size_t rows, std::size_t columns,
                    double* to) {
  HWY_DYNAMIC_DISPATCH(reduce_matrix)(r, x, rows, columns, to);
}
void arg_rows(Extreme e, const float* x, std::size_t rows, std::size_t columns, std::int32_t* to) {
  HWY_DYNAMIC_DISPATCH(arg_all_rows)(e, x, rows, columns, to);
}
void arg_columns(Extreme e, const float* x, std::size_t rows, std::size_t columns,
                 std::size_t first, std::size_t last, std::int32_t* to) {
  HWY_DYNAMIC_DISPATCH(arg_all_columns)(e, x, rows, columns, first, last, to);
}
void softmax_columns(const float* x, std::size_t rows, std::size_t columns, std::size_t first,
                     std::size_t last, float* y) {
  HWY_DYNAMIC_DISPATCH(softmax_matrix)(x, rows, columns, first, last, y);
}
}  // namespace webnn::inline v0_1::simd
#endif
