// What the reductions compute. A Fold<Op, T> has a start, the term of an element, a join of arrays
// of partial results, an end, and the number of partial results in which a long row is joined.
#pragma once

#include <limits>

#include "src/kernels/reference/array.h"
#include "webnn/ops/sections.h"

namespace webnn::inline v0_1::reference {

/// Sums of floats in double; of integers unsigned, so that they wrap.
template <class T> struct SumType { using type = double; };
template <std::integral T> struct SumType<T> { using type = std::make_unsigned_t<T>; };

template <class T> struct Sum {
  using Result = typename SumType<T>::type;
  static constexpr Result start = 0;
  static constexpr std::size_t parts = 64 / sizeof(Result);  // four vector registers
  static Result term(T v) { return convert<Result>(v); }
  template <class A, class B> static auto join(const A& a, const B& b) { return a + b; }
  static Result end(Result s, std::size_t) { return s; }
};

template <class Op, class T> struct Fold;
template <class T> struct Fold<ops::reduceSum, T> : Sum<T> {};
template <class T> struct Fold<ops::reduceMean, T> : Sum<T> {
  static double end(double s, std::size_t n) { return s / static_cast<double>(n); }
};
template <class T> struct Fold<ops::reduceLogSum, T> : Sum<T> {
  static double end(double s, std::size_t) { return std::log(s); }
};
template <class T> struct Fold<ops::reduceL1, T> : Sum<T> {
  using typename Sum<T>::Result;
  static Result term(T x) {
    const Result v = Sum<T>::term(x);
    if constexpr (std::is_integral_v<T>) return static_cast<Result>(x < 0 ? -v : v);
    else return std::abs(v);
  }
};
template <class T> struct Fold<ops::reduceSumSquare, T> : Sum<T> {
  using typename Sum<T>::Result;
  static Result term(T x) {
    const Result v = Sum<T>::term(x);
    return static_cast<Result>(v * v);
  }
};
template <class T> struct Fold<ops::reduceL2, T> : Fold<ops::reduceSumSquare, T> {
  static double end(double s, std::size_t) { return std::sqrt(s); }
};
template <class T> struct Fold<ops::reduceProduct, T> : Sum<T> {
  static constexpr typename Sum<T>::Result start = 1;
  static constexpr std::size_t parts = 16;
  template <class A, class B> static auto join(const A& a, const B& b) { return a * b; }
};

/// NaN stays once it is there.
template <class T, bool Largest> struct Extremum {
  using Result = Compute<T>;
  using Limits = std::numeric_limits<Result>;
  static constexpr Result highest = Limits::has_infinity ? Limits::infinity() : Limits::max();
  static constexpr Result lowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  static constexpr Result start = Largest ? lowest : highest;
  static constexpr std::size_t parts = 16;
  static Result term(T v) { return convert<Result>(v); }
  template <class A, class B> static auto join(const A& a, const B& b) {
    return a.binaryExpr(
        b, [](Result s, Result v) { return ((Largest ? v > s : v < s) | (v != v)) ? v : s; });
  }
  static Result end(Result s, std::size_t) { return s; }
};
template <class T> struct Fold<ops::reduceMax, T> : Extremum<T, true> {};
template <class T> struct Fold<ops::reduceMin, T> : Extremum<T, false> {};

/// A sum of powers of e relative to a number near the largest exponent, so that none overflows.
template <class T> struct Fold<ops::reduceLogSumExp, T> : Sum<T> {
  double shift = 0;

  Fold() = default;
  explicit Fold(double largest) : shift(std::isfinite(largest) ? largest : 0) {}
  double term(T v) const { return std::exp(wide(v) - shift); }
  double end(double s, std::size_t) const { return shift + std::log(s); }
};

}  // namespace webnn::inline v0_1::reference
