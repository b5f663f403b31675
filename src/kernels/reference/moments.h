// Mean and variance in one pass: sums of the differences from the first element of a sequence, and
// of their squares. The variance is at least (mean - first)^2 / n, so little cancels.
#pragma once

#include "src/kernels/reference/array.h"

namespace webnn::inline v0_1::reference {

/// The sums of N sequences, or of N parts of one.
template <int N> struct Moments {
  Fixed<double, N> first, sums = Fixed<double, N>::Zero(), squares = Fixed<double, N>::Zero();

  /// Adds rows of N elements, one of each sequence.
  template <class T> void add(const T* x, std::size_t rows, std::size_t stride) {
    const Fixed<double, N> origin = first;  // these stay in registers
    Fixed<double, N> s = sums, q = squares;
    for (std::size_t i = 0; i < rows; ++i, x += stride) {
      const Fixed<double, N> d =
          Eigen::Map<const Fixed<T, N>>(x).unaryExpr([](T v) { return wide(v); }) - origin;
      s += d;
      q += d.square();
    }
    sums = s;
    squares = q;
  }
  Fixed<double, N> mean(double n) const { return first + sums / n; }
  Fixed<double, N> variance(double n) const {
    return ((squares - sums.square() / n) / n).unaryExpr([](double v) { return v < 0 ? 0 : v; });
  }
};

/// One sequence, in runs: of neighbors, or of elements with a stride.
class SequenceMoments {
 public:
  template <class T> explicit SequenceMoments(const T& first) {
    parts_.first.setConstant(wide(first));
    rest_.first.setConstant(wide(first));
  }
  template <class T> void add(const T* x, std::size_t n, std::size_t stride) {
    const std::size_t rows = stride == 1 ? n / parts : 0;
    parts_.add(x, rows, parts);
    rest_.add(x + rows * parts, n - rows * parts, stride);
  }
  double mean(double n) const { return total().mean(n)[0]; }
  double variance(double n) const { return total().variance(n)[0]; }

 private:
  static constexpr std::size_t parts = 8;  // what vector registers hold

  Moments<1> total() const {
    Moments<1> all = rest_;
    all.sums += parts_.sums.sum();
    all.squares += parts_.squares.sum();
    return all;
  }

  Moments<parts> parts_;
  Moments<1> rest_;
};

}  // namespace webnn::inline v0_1::reference
