#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/rows.cpp"
#include "src/kernels/simd/vector/float32/rows.h"

#include <hwy/foreach_target.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/kernels/simd/vector/float32/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

inline constexpr auto row_lanes = static_cast<std::size_t>(vector_lanes);

/// f(which, i) for the whole vectors of n elements; `which` cycles through four independent
/// accumulators. Returns the index behind the last whole vector.
template <class F> HWY_INLINE std::size_t in_turn(std::size_t n, F f) {
  std::size_t i = 0;
  for (; i + 4 * row_lanes <= n; i += 4 * row_lanes) {
    f(0, i);
    f(1, i + row_lanes);
    f(2, i + 2 * row_lanes);
    f(3, i + 3 * row_lanes);
  }
  for (; i + row_lanes <= n; i += row_lanes) f(0, i);
  return i;
}

/// Sums in double, which neither overflow nor lose digits that matter to a float.
struct DoubleSum {
  Doubles sums[4];
  HWY_INLINE static DoubleSum start() {
    const Doubles zero = doubles(hn::Zero(D()));
    return {{zero, zero, zero, zero}};
  }
  HWY_INLINE void add(int which, const Doubles& v) {
    Doubles& s = sums[which];
    s.lower = hn::Add(s.lower, v.lower);
    s.upper = hn::Add(s.upper, v.upper);
  }
  HWY_INLINE double total() {
    add(0, sums[1]);
    add(2, sums[3]);
    add(0, sums[2]);
    const Doubles::Wide wide;
    return hn::GetLane(hn::SumOfLanes(wide, hn::Add(sums[0].lower, sums[0].upper)));
  }
};
HWY_INLINE Doubles product(const Doubles& a, const Doubles& b) {
  return {hn::Mul(a.lower, b.lower), hn::Mul(a.upper, b.upper)};
}
HWY_INLINE Doubles difference(const Doubles& a, const Doubles& b) {
  return {hn::Sub(a.lower, b.lower), hn::Sub(a.upper, b.upper)};
}
HWY_INLINE Doubles same_double(double v) {
  const Doubles::Wide wide;
  return {hn::Set(wide, v), hn::Set(wide, v)};
}

/// The sum of f(v) for the vectors of a row; f(0) is 0.
template <class F> HWY_INLINE double sum_row(const float* x, std::size_t n, F f) {
  DoubleSum sum = DoubleSum::start();
  const std::size_t i = in_turn(n, [&](int which, std::size_t at) HWY_ATTR {
    sum.add(which, f(doubles(hn::LoadU(D(), x + at))));
  });
  if (i < n) sum.add(1, f(doubles(load_first(x + i, static_cast<int>(n - i)))));
  return sum.total();
}

/// The larger of two vectors in each lane, or NaN where either is NaN, and the largest lane of a
/// vector without NaN.
struct Larger {
  static constexpr float start = -std::numeric_limits<float>::infinity();
  HWY_INLINE static V of(V s, V v) {
    return hn::IfThenElse(hn::Or(hn::Gt(v, s), hn::IsNaN(v)), v, s);
  }
  HWY_INLINE static V over_lanes(V v) { return hn::MaxOfLanes(D(), v); }
};
struct Smaller {
  static constexpr float start = std::numeric_limits<float>::infinity();
  HWY_INLINE static V of(V s, V v) {
    return hn::IfThenElse(hn::Or(hn::Lt(v, s), hn::IsNaN(v)), v, s);
  }
  HWY_INLINE static V over_lanes(V v) { return hn::MinOfLanes(D(), v); }
};
template <class F> HWY_INLINE float extremum(const float* x, std::size_t n) {
  const D d;
  const V start = hn::Set(d, F::start);
  V best[4] = {start, start, start, start};
  const std::size_t i = in_turn(n, [&](int which, std::size_t at) HWY_ATTR {
    best[which] = F::of(best[which], hn::LoadU(d, x + at));
  });
  if (i < n)
    best[1] = F::of(best[1], hn::IfThenElse(hn::FirstN(d, n - i),
                                            load_first(x + i, static_cast<int>(n - i)), start));
  const V all = F::of(F::of(best[0], best[1]), F::of(best[2], best[3]));
  if (!hn::AllFalse(d, hn::IsNaN(all))) return std::numeric_limits<float>::quiet_NaN();
  return hn::GetLane(F::over_lanes(all));
}

float reduce_row(Reduction r, const float* x, std::size_t n) {
  const auto sum = [=] { return sum_row(x, n, [](const Doubles& v) HWY_ATTR { return v; }); };
  switch (r) {
    case Reduction::sum: return static_cast<float>(sum());
    case Reduction::mean: return static_cast<float>(sum() / static_cast<double>(n));
    case Reduction::sum_square:
      return static_cast<float>(
          sum_row(x, n, [](const Doubles& v) HWY_ATTR { return product(v, v); }));
    case Reduction::max: return extremum<Larger>(x, n);
    case Reduction::min: return extremum<Smaller>(x, n);
  }
  return 0;
}
void reduce_all_rows(Reduction r, const float* x, std::size_t rows, std::size_t n, float* y) {
  for (std::size_t i = 0; i < rows; ++i) y[i] = reduce_row(r, x + i * n, n);
}

/// y = e^(x - largest); returns the sum.
HWY_INLINE float powers_below(const float* x, std::size_t n, float largest, float* y) {
  const D d;
  const V most = hn::Set(d, largest);
  V sums[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  const std::size_t i = in_turn(n, [&](int which, std::size_t at) HWY_ATTR {
    const V e = power_below(hn::LoadU(d, x + at), most);
    hn::StoreU(e, d, y + at);
    sums[which] = hn::Add(sums[which], e);
  });
  if (const int left = static_cast<int>(n - i); left > 0) {
    const V e = power_below(load_first(x + i, left), most);
    store_first(e, y + i, left);
    sums[1] = hn::Add(sums[1], hn::IfThenElseZero(hn::FirstN(d, n - i), e));
  }
  const V four = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
  return hn::GetLane(hn::SumOfLanes(d, four));
}
HWY_INLINE void divide_row(float* y, std::size_t n, float divisor) {
  const D d;
  const V by = hn::Set(d, divisor);
  const std::size_t i = in_turn(n, [&](int, std::size_t at) HWY_ATTR {
    hn::StoreU(hn::Div(hn::LoadU(d, y + at), by), d, y + at);
  });
  if (const int left = static_cast<int>(n - i); left > 0)
    store_first(hn::Div(load_first(y + i, left), by), y + i, left);
}

/// Rows of two to four elements: each lane has a row.
template <int n> HWY_INLINE void softmax_narrow(const float* x, float* y) {
  const D d;
  V v[4];
  if constexpr (n == 2) hn::LoadInterleaved2(d, x, v[0], v[1]);
  if constexpr (n == 3) hn::LoadInterleaved3(d, x, v[0], v[1], v[2]);
  if constexpr (n == 4) hn::LoadInterleaved4(d, x, v[0], v[1], v[2], v[3]);
  V most = v[0];
  for (int k = 1; k < n; ++k) most = Larger::of(most, v[k]);
  for (int k = 0; k < n; ++k) v[k] = power_below(v[k], most);
  V sum = v[0];
  for (int k = 1; k < n; ++k) sum = hn::Add(sum, v[k]);
  for (int k = 0; k < n; ++k) v[k] = hn::Div(v[k], sum);
  if constexpr (n == 2) hn::StoreInterleaved2(v[0], v[1], d, y);
  if constexpr (n == 3) hn::StoreInterleaved3(v[0], v[1], v[2], d, y);
  if constexpr (n == 4) hn::StoreInterleaved4(v[0], v[1], v[2], v[3], d, y);
}
template <int n> void softmax_narrow_rows(const float* x, std::size_t rows, float* y) {
  std::size_t i = 0;
  for (; i + row_lanes <= rows; i += row_lanes) softmax_narrow<n>(x + i * n, y + i * n);
  if (i == rows) return;
  float last[n * row_lanes] = {};  // computed as the others are: a row has the same bits anywhere
  std::copy_n(x + i * n, (rows - i) * n, last);
  softmax_narrow<n>(last, last);
  std::copy_n(last, (rows - i) * n, y + i * n);
}

/// Some rows, which stay in L1, go through each step together: the largest element and the sum of
/// one row are not waited for.
void softmax_all_rows(const float* x, std::size_t rows, std::size_t n, float* y) {
  if (n == 2) return softmax_narrow_rows<2>(x, rows, y);
  if (n == 3) return softmax_narrow_rows<3>(x, rows, y);
  if (n == 4) return softmax_narrow_rows<4>(x, rows, y);
  constexpr std::size_t floats = 4096, max_together = 16;
  const std::size_t together = std::clamp<std::size_t>(floats / n, 1, max_together);
  float of_row[max_together];
  for (std::size_t i = 0; i < rows; i += together, x += together * n, y += together * n) {
    const std::size_t count = std::min(together, rows - i);
    for (std::size_t r = 0; r < count; ++r) of_row[r] = extremum<Larger>(x + r * n, n);
    for (std::size_t r = 0; r < count; ++r)
      of_row[r] = powers_below(x + r * n, n, of_row[r], y + r * n);
    for (std::size_t r = 0; r < count; ++r) divide_row(y + r * n, n, of_row[r]);
  }
}

template <bool divides>
void scale_and_mask_row(const ScoreTerms& t, float* x, std::size_t n, const float* mask) {
  const D d;
  const V factor = hn::Set(d, t.factor);
  for (std::size_t i = 0; i < n; i += row_lanes) {
    const int left = static_cast<int>(std::min(n - i, row_lanes));
    V v = load_some(x + i, left);
    v = divides ? hn::Div(v, factor) : hn::Mul(v, factor);
    if (mask) v = hn::Add(v, t.mask_step ? load_some(mask + i, left) : hn::Set(d, *mask));
    store_some(v, x + i, left);
  }
}
void scale_and_mask_all_rows(const ScoreTerms& t, float* x, std::size_t rows, std::size_t n) {
  for (std::size_t r = 0; r < rows; ++r)
    (t.divides
         ? scale_and_mask_row<true>
         : scale_and_mask_row<false>)(t, x + r * n, n, t.mask ? t.mask + r * t.mask_row : nullptr);
}

void normalize_row(const float* x, std::size_t n, double epsilon, const float* scale,
                   const float* bias, float* y) {
  const D d;
  const auto count = static_cast<double>(n);
  const double mean = sum_row(x, n, [](const Doubles& v) HWY_ATTR { return v; }) / count;
  const Doubles means = same_double(mean);
  DoubleSum squares = DoubleSum::start();
  const auto square = [=](V v) HWY_ATTR {
    const Doubles deviation = difference(doubles(v), means);
    return product(deviation, deviation);
  };
  const std::size_t end = in_turn(n, [&](int which, std::size_t i) HWY_ATTR {
    squares.add(which, square(hn::LoadU(d, x + i)));
  });
  double sum = squares.total();
  for (std::size_t i = end; i < n; ++i) sum += (x[i] - mean) * (x[i] - mean);
  const V factor = hn::Set(d, static_cast<float>(1 / std::sqrt(sum / count + epsilon)));
  // The mean in two parts, so that the deviation loses nothing.
  const auto high = static_cast<float>(mean);
  const V high_mean = hn::Set(d, high), low_mean = hn::Set(d, static_cast<float>(mean - high));
  for (std::size_t i = 0; i < n; i += row_lanes) {
    const int left = static_cast<int>(std::min(n - i, row_lanes));
    V v = hn::Mul(hn::Sub(hn::Sub(load_some(x + i, left), high_mean), low_mean), factor);
    if (scale) v = hn::Mul(v, load_some(scale + i, left));
    if (bias) v = hn::Add(v, load_some(bias + i, left));
    store_some(v, y + i, left);
  }
}
void normalize_all_rows(const float* x, std::size_t rows, std::size_t n, double epsilon,
                        const float* scale, const float* bias, float* y) {
  for (std::size_t i = 0; i < rows; ++i)
    normalize_row(x + i * n, n, epsilon, scale, bias, y + i * n);
}

void rms_normalize_row(const float* x, std::size_t n, double epsilon, const float* scale,
                       float* y) {
  const D d;
  const double squares = sum_row(x, n, [](const Doubles& v) HWY_ATTR { return product(v, v); });
  const double factor = 1 / std::sqrt(squares / static_cast<double>(n) + epsilon);
  const V f = hn::Set(d, static_cast<float>(factor));
  for (std::size_t i = 0; i < n; i += row_lanes) {
    const int left = static_cast<int>(std::min(n - i, row_lanes));
    V v = hn::Mul(load_some(x + i, left), f);
    if (scale) v = hn::Mul(v, load_some(scale + i, left));
    store_some(v, y + i, left);
  }
}
void rms_normalize_all_rows(const float* x, std::size_t rows, std::size_t n, double epsilon,
                            const float* scale, float* y) {
  for (std::size_t i = 0; i < rows; ++i) rms_normalize_row(x + i * n, n, epsilon, scale, y + i * n);
}

/// Factors of the first and the second elements of some pairs.
struct PairFactors {
  V cos_first, sin_first, cos_second, sin_second;
};
struct Pair {
  V first, second;
};
/// Rounded as the operators are, one after the other.
template <bool by_pair> HWY_INLINE Pair rotated(V a, V b, const PairFactors& f) {
  const V of_a = hn::Mul(a, f.cos_first), of_b = hn::Mul(b, f.cos_second);
  const V first = by_pair ? hn::Sub(of_a, hn::Mul(b, f.sin_first))
                          : hn::Add(of_a, hn::Mul(hn::Neg(b), f.sin_first));
  return {first, hn::Add(of_b, hn::Mul(a, f.sin_second))};
}

template <bool by_pair>
void rotate_halves(std::size_t half, const float* x, const float* cos, const float* sin, float* y) {
  const std::size_t second = by_pair ? 0 : half;
  for (std::size_t i = 0; i < half; i += row_lanes) {
    const int left = static_cast<int>(std::min(half - i, row_lanes));
    const auto load = [&](const float* from) HWY_ATTR { return load_some(from + i, left); };
    const PairFactors f{load(cos), load(sin), load(cos + second), load(sin + second)};
    const Pair p = rotated<by_pair>(load(x), load(x + half), f);
    store_some(p.first, y + i, left);
    store_some(p.second, y + half + i, left);
  }
}

template <bool by_pair>
void rotate_neighbors(std::size_t half, const float* x, const float* cos, const float* sin,
                      float* y) {
  const D d;
  constexpr std::size_t step = row_lanes;  // pairs: two vectors of elements
  std::size_t i = 0;
  for (; i + step <= half; i += step) {
    Pair p;
    PairFactors f;
    hn::LoadInterleaved2(d, x + 2 * i, p.first, p.second);
    if constexpr (by_pair) {
      f.cos_first = f.cos_second = hn::LoadU(d, cos + i);
      f.sin_first = f.sin_second = hn::LoadU(d, sin + i);
    } else {
      hn::LoadInterleaved2(d, cos + 2 * i, f.cos_first, f.cos_second);
      hn::LoadInterleaved2(d, sin + 2 * i, f.sin_first, f.sin_second);
    }
    p = rotated<by_pair>(p.first, p.second, f);
    hn::StoreInterleaved2(p.first, p.second, d, y + 2 * i);
  }
  for (; i < half; ++i) {
    const auto same = [&](float v) HWY_ATTR { return hn::Set(d, v); };
    const std::size_t at = by_pair ? i : 2 * i, next = by_pair ? i : at + 1;
    const PairFactors f{same(cos[at]), same(sin[at]), same(cos[next]), same(sin[next])};
    const Pair p = rotated<by_pair>(same(x[2 * i]), same(x[2 * i + 1]), f);
    y[2 * i] = hn::GetLane(p.first);
    y[2 * i + 1] = hn::GetLane(p.second);
  }
}
void rotate_all_rows(const RotatedRows& r, const float* x, const float* cos, const float* sin,
                     float* y) {
  const auto rotate = r.interleaved
                          ? (r.by_pair ? &rotate_neighbors<true> : &rotate_neighbors<false>)
                          : (r.by_pair ? &rotate_halves<true> : &rotate_halves<false>);
  for (std::size_t i = 0; i < r.rows; ++i) {
    const std::size_t at = 2 * i * r.half;
    rotate(r.half, x + at, cos + i * r.cos_step, sin + i * r.sin_step, y + at);
  }
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(reduce_all_rows);
HWY_EXPORT(softmax_all_rows);
HWY_EXPORT(scale_and_mask_all_rows);
HWY_EXPORT(normalize_all_rows);
HWY_EXPORT(rms_normalize_all_rows);
HWY_EXPORT(rotate_all_rows);

void reduce_rows(Reduction r, const float* x, std::size_t rows, std::size_t n, float* y) {
  HWY_DYNAMIC_DISPATCH(reduce_all_rows)(r, x, rows, n, y);
}
void softmax_rows(const float* x, std::size_t rows, std::size_t n, float* y) {
  HWY_DYNAMIC_DISPATCH(softmax_all_rows)(x, rows, n, y);
}
void scale_and_mask_rows(const ScoreTerms& t, float* x, std::size_t rows, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(scale_and_mask_all_rows)(t, x, rows, n);
}
void normalize_rows(const float* x, std::size_t rows, std::size_t n, double epsilon,
                    const float* scale, const float* bias, float* y) {
  HWY_DYNAMIC_DISPATCH(normalize_all_rows)(x, rows, n, epsilon, scale, bias, y);
}
void rms_normalize_rows(const float* x, std::size_t rows, std::size_t n, double epsilon,
                        const float* scale, float* y) {
  HWY_DYNAMIC_DISPATCH(rms_normalize_all_rows)(x, rows, n, epsilon, scale, y);
}
void rotate_rows(const RotatedRows& r, const float* x, const float* cos, const float* sin,
                 float* y) {
  HWY_DYNAMIC_DISPATCH(rotate_all_rows)(r, x, cos, sin, y);
}
}  // namespace webnn::inline v0_1::simd
#endif
