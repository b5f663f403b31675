// Products of two stored matrices.
#pragma once

#include "src/kernels/common/dispatch_type.h"
#include "src/kernels/reference/product.h"

namespace webnn::reference {

/// A matrix in memory: strides in elements, so that a transposed one needs no copy.
template <class T> struct Matrix {
  const T* data;
  std::size_t down, across;
};

/// One block of a * b.
template <class T, class Store>
void multiply_matrices(const ProductShape& shape, const ProductShape::Place& at,
                       ProductBlock& block, const Matrix<T>& a, const Matrix<T>& b, Store&& store) {
  using C = Compute<T>;
  const auto pack_a = [&](std::size_t row, std::size_t k, std::size_t n, double* to) {
    const T* from = a.data + row * a.down + k * a.across;
    for (std::size_t d = 0; d < n; ++d) to[d] = static_cast<C>(from[d * a.across]);
  };
  const auto pack_b = [&](std::size_t k, std::size_t n, auto& panel) {
    const T* from = b.data + k * b.down + at.column * b.across;
    if (b.across == 1) {
      for (std::size_t d = 0; d < n; ++d)
        for (std::size_t j = 0; j < at.columns; ++j)
          panel[d][j] = static_cast<C>(from[d * b.down + j]);
    } else {
      for (std::size_t j = 0; j < at.columns; ++j)
        for (std::size_t d = 0; d < n; ++d)
          panel[d][j] = static_cast<C>(from[d * b.down + j * b.across]);
    }
  };
  multiply_block(shape, at, block, pack_a, pack_b, store);
}

}  // namespace webnn::reference
