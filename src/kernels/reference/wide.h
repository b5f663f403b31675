// Arithmetic in double, for kernels that sum.
#pragma once

#include <array>
#include <cstddef>

#include "src/kernels/common/dispatch_type.h"

namespace webnn::reference {

template <class T> constexpr double wide(T v) {
  return static_cast<double>(static_cast<Compute<T>>(v));
}
/// To float first for float16: the second rounding is far below its precision.
template <class T> constexpr T narrow(double v) {
  return static_cast<T>(static_cast<Compute<T>>(v));
}

/// The sum of f(i) for i < n: eight partial sums, which vector units can hold, then their sum. The
/// order follows from n alone.
template <class F> double partial_sums(std::size_t n, F&& f) {
  constexpr std::size_t width = 8;
  std::array<double, width> part{};
  std::size_t i = 0;
  for (; i + width <= n; i += width)
    for (std::size_t k = 0; k < width; ++k) part[k] += f(i + k);
  for (std::size_t k = 0; i < n; ++i, ++k) part[k] += f(i);
  return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

template <class T> double dot(const T* a, const double* b, std::size_t n) {
  return partial_sums(n, [&](std::size_t i) { return wide(a[i]) * b[i]; });
}

}  // namespace webnn::reference
