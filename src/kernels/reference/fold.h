// What the reductions compute: each Fold<Op, T> has a start, a step for one element, a join of two
// partial results, and an end.
#pragma once

#include <cmath>
#include <limits>

#include "src/kernels/common/dispatch_type.h"
#include "webnn/ops/sections.h"

namespace webnn::reference {

/// Sums of floats in double; of integers unsigned, so that they wrap.
template <class T> struct SumType { using type = double; };
template <std::integral T> struct SumType<T> { using type = std::make_unsigned_t<T>; };

template <class Op, class T> struct Fold;

template <class T> struct Additive {
  using Sum = typename SumType<T>::type;
  static constexpr Sum start = 0;
  static Sum value(T v) { return static_cast<Sum>(static_cast<Compute<T>>(v)); }
  static Sum step(Sum s, T v) { return s + value(v); }
  static Sum join(Sum a, Sum b) { return a + b; }
  static Sum end(Sum s, std::size_t) { return s; }
};
template <class T> struct Fold<ops::reduceSum, T> : Additive<T> {};
template <class T> struct Fold<ops::reduceMean, T> : Additive<T> {
  static double end(double s, std::size_t n) { return s / static_cast<double>(n); }
};
template <class T> struct Fold<ops::reduceLogSum, T> : Additive<T> {
  static double end(double s, std::size_t) { return std::log(s); }
};
template <class T> struct Fold<ops::reduceL1, T> : Additive<T> {
  using typename Additive<T>::Sum;
  static Sum step(Sum s, T v) {
    if constexpr (std::is_floating_point_v<Sum>) return s + std::abs(Additive<T>::value(v));
    else return v < 0 ? s - static_cast<Sum>(v) : s + static_cast<Sum>(v);
  }
};
template <class T> struct Fold<ops::reduceSumSquare, T> : Additive<T> {
  using typename Additive<T>::Sum;
  static Sum step(Sum s, T v) { return s + Additive<T>::value(v) * Additive<T>::value(v); }
};
template <class T> struct Fold<ops::reduceL2, T> : Fold<ops::reduceSumSquare, T> {
  static double end(double s, std::size_t) { return std::sqrt(s); }
};
template <class T> struct Fold<ops::reduceProduct, T> : Additive<T> {
  using typename Additive<T>::Sum;
  static constexpr Sum start = 1;
  static Sum step(Sum s, T v) { return s * Additive<T>::value(v); }
  static Sum join(Sum a, Sum b) { return a * b; }
};

/// NaN stays once it is there.
template <class T> struct Extremum {
  using Sum = Compute<T>;
  using Limits = std::numeric_limits<Sum>;
  static Sum end(Sum s, std::size_t) { return s; }
};
template <class T> struct Fold<ops::reduceMax, T> : Extremum<T> {
  using typename Extremum<T>::Sum, typename Extremum<T>::Limits;
  static constexpr Sum start = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  static Sum step(Sum s, Sum v) { return ((v > s) | (v != v)) ? v : s; }
  static Sum join(Sum a, Sum b) { return step(a, b); }
};
template <class T> struct Fold<ops::reduceMin, T> : Extremum<T> {
  using typename Extremum<T>::Sum, typename Extremum<T>::Limits;
  static constexpr Sum start = Limits::has_infinity ? Limits::infinity() : Limits::max();
  static Sum step(Sum s, Sum v) { return ((v < s) | (v != v)) ? v : s; }
  static Sum join(Sum a, Sum b) { return step(a, b); }
};

/// The largest exponent so far, and the sum of the powers of e relative to it.
struct ScaledSum {
  double largest, sum;
};
template <class T> struct Fold<ops::reduceLogSumExp, T> {
  using Sum = ScaledSum;
  static constexpr Sum start{-std::numeric_limits<double>::infinity(), 0};
  static Sum join(Sum a, Sum b) {
    if (a.largest == b.largest) return {a.largest, a.sum + b.sum};
    if (b.largest < a.largest) std::swap(a, b);
    // A NaN is in neither order: it ends up in the sum.
    return {b.largest, a.sum * std::exp(a.largest - b.largest) + b.sum};
  }
  static Sum step(Sum s, T v) { return join(s, {static_cast<Compute<T>>(v), 1}); }
  static double end(Sum s, std::size_t) { return s.largest + std::log(s.sum); }
};

}  // namespace webnn::reference
