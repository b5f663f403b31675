// Arrays of Eigen over memory. The compiler and Eigen compute some elements of an array in vectors
// and some one by one; both give the same bits for what rounds exactly (+, -, *, /, sqrt,
// comparisons, conversions). Other functions are called element by element, with unaryExpr().
#pragma once

#include <limits>

#include "src/kernels/common/dispatch_type.h"
#include "src/kernels/reference/eigen.h"

namespace webnn::inline v0_1::reference {

using Eigen::Index;
template <class T> using Array = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
template <class T> using ConstArray = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;
/// So many elements, which stay in registers.
template <class T, int N> using Fixed = Eigen::Array<T, N, 1>;

template <class To, class From> constexpr To convert(From v) {
  return static_cast<To>(static_cast<Compute<To>>(static_cast<Compute<From>>(v)));
}
template <class T> constexpr double wide(T v) { return convert<double>(v); }
/// A result in its type, with one NaN for all. Which of two NaN an operation gives depends on the
/// order of its operands, which compilers choose and passes exchange, and some functions turn the
/// sign of one.
template <class T, class S> constexpr T result_of(S v) {
  if constexpr (std::is_floating_point_v<S> && !std::is_integral_v<T>)
    if (v != v) v = std::numeric_limits<S>::quiet_NaN();
  return convert<T>(v);
}

/// n elements in the type S, without a copy.
template <class S, class T> auto array(const T* x, std::size_t n) {
  const ConstArray<T> a(x, static_cast<Index>(n));
  if constexpr (std::same_as<S, T>) return a;
  else return a.unaryExpr([](T v) { return convert<S>(v); });
}

/// y = the elements of an array expression.
template <class T, class E> void assign(const Eigen::ArrayBase<E>& e, T* y) {
  using S = typename E::Scalar;
  Array<T> to(y, e.size());
  if constexpr (std::same_as<S, T>) to = e;
  else to = e.unaryExpr([](S v) { return convert<T>(v); });
}
/// y = the elements of an array expression as results.
template <class T, class E> void store(const Eigen::ArrayBase<E>& e, T* y) {
  using S = typename E::Scalar;
  if constexpr (std::is_integral_v<T> || std::is_integral_v<S>) assign(e, y);
  else Array<T>(y, e.size()) = e.unaryExpr([](S v) { return result_of<T>(v); });
}

/// n elements with a stride as doubles.
template <class T> void widen(const T* from, std::size_t stride, std::size_t n, double* to) {
  if (stride == 1) assign(array<double>(from, n), to);
  else
    for (std::size_t i = 0; i < n; ++i) to[i] = wide(from[i * stride]);
}

}  // namespace webnn::inline v0_1::reference
