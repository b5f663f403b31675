// Products of matrices, of several operators: packing and tiles.
#pragma once

#include "src/kernels/common/loop.h"
#include "src/kernels/simd/product/pack.h"
#include "src/kernels/simd/vector/bfloat16/pairs.h"
#include "webnn/backend.h"

namespace webnn::inline v0_1::simd {

/// The matrices of a and b for each matrix of the result.
struct Batches {
  std::size_t count = 1;
  std::size_t rank = 0;
  std::array<std::size_t, max_rank> sizes{};
  std::array<std::ptrdiff_t, max_rank> a{}, b{};  ///< strides, in matrices

  struct Pair {
    std::size_t a, b;
  };
  Pair operator[](std::size_t i) const;
};

/// The batches of matrices [..., rows, k] and [..., k, columns] that are broadcast to them.
Batches batches_of(const Dims& batches, const Dims& a, const Dims& b);

/// y[row][column] = epilogue(alpha * sum over k of a * b + bias + c, residual), for each batch.
/// Strides are in floats; the matrices of a, b and y are contiguous.
struct Product {
  Batches batches{};
  int rows = 1, columns = 1;
  std::size_t k = 1;
  std::size_t a_row = 0, a_k = 1;     ///< strides of a
  std::size_t b_k = 0, b_column = 1;  ///< strides of b
  Values b{};                         ///< the matrices of b when they are constant
  std::size_t b_matrices = 1;
  int b_slot = 1;  ///< of Buffers::inputs when it is not; a is the first
  float alpha = 1;
  Values bias{};  ///< constant, one for each column
  float bias_scale = 1;
  struct Addend {
    std::size_t slot, row, column;  ///< its index in Buffers::inputs, its strides
    float scale;
  };
  std::optional<Addend> c{};
  Epilogue epilogue{};
  /// With what operands may be rounded to bfloat16, where that is likely faster.
  Bfloat16Products bfloat16 = Bfloat16Products::none;

  double macs() const {
    return static_cast<double>(batches.count) * rows * columns * static_cast<double>(k);
  }
};

/// The product that a chain computes, or why it is not one. b is null if it is not constant.
std::variant<Product, Refusal> product_of(const ops::gemm& op, Chain chain);
std::variant<Product, Refusal> product_of(const ops::matmul& op, Chain chain);

/// Packs constant operands. A refusal when the kernel needs too much scratch.
Lowering lower_product(const Product& product);

/// Where the rows of a come from when they do not lie in memory as a matrix: as PanelRows, but for
/// x. For a product without batches whose b is constant and wider than two vectors.
struct GatheredRows {
  decltype(PanelRows::copy) copy = nullptr;
  std::shared_ptr<const void> context{};
  /// Adds the packed terms that `copy` needs, whose context is then GatheredTerms.
  std::function<PackedArray<float>(std::vector<WeightBlock>&)> add_terms{};
};
struct GatheredTerms {
  const void* context = nullptr;
  const float* terms = nullptr;
};
Lowering lower_product(const Product& product, const GatheredRows& rows);

}  // namespace webnn::inline v0_1::simd
