// Products of integers with constant integers whose sums become floats, and perhaps bytes from
// these.
#pragma once

#include "src/kernels/common/integer_product.h"
#include "src/kernels/simd/quantized/product.h"

namespace webnn::inline v0_1::simd {

/// What becomes of the sums, and where a kernel finds it.
struct FloatTail {
  IntegerProduct p;

  explicit FloatTail(IntegerProduct product) : p(std::move(product)) {}

  std::uint8_t flip() const { return p.x.dataType() == int8 ? 0x80 : 0; }
  /// The zero point of the left operand, as its elements are stored.
  std::uint8_t zero(const Buffers& b) const {
    return *b.in<std::uint8_t>(static_cast<std::size_t>(p.x_zero_slot));
  }
  const std::uint8_t* x(const Buffers& b) const {
    return b.in<std::uint8_t>(static_cast<std::size_t>(p.x_slot));
  }
  /// Whether a scale that was computed exceeds IntegerProduct::max_scale.
  bool has_large_scale(const Buffers& b) const;
  /// The rows of the result from `row` on and its columns from `column` on: x has the rows, and the
  /// panels [first, last) the columns of g. `inside` says where x has no padding, if it has any; it
  /// is read where has_large_scale().
  void multiply(Int8Gemm g, std::size_t row, std::size_t column, std::size_t rows, int first,
                int last, const std::uint8_t* x, const Buffers& b,
                const std::uint8_t* inside = nullptr) const;

 private:
  /// The rows and the columns of g, from `row` and `column` on, as floats.
  void compute(Int8Gemm g, std::size_t row, std::size_t column, std::size_t rows, int first,
               int last, const std::uint8_t* x, const Buffers& b, const std::uint8_t* inside,
               float* y) const;
  /// The same as bytes, a few rows of a panel at a time.
  void quantize(Int8Gemm g, std::size_t row, std::size_t column, std::size_t rows, int first,
                int last, const std::uint8_t* x, const Buffers& b,
                const std::uint8_t* inside) const;
};

/// Signed weights [columns][k] without what would be known of the left operand: Int8Column::bias is
/// what its zero point is multiplied by. Refuses sums that may exceed 32 bits.
std::variant<Int8Weights, Refusal> float_product_weights(
    const IntegerProduct& p, std::size_t k, const std::string& order,
    const std::function<std::vector<std::int32_t>()>& read);

/// A chain of such a product, or of such a convolution. `quantized`: what is known of the chain if
/// it ends with quantizeLinear.
Lowering lower_float_product(Chain chain, Int8DotProduct dot_product,
                             const QuantizedChain* quantized = nullptr);
Lowering lower_float_convolution(const ops::conv2d& op, IntegerProduct p,
                                 Int8DotProduct dot_product);
/// The matrices of the right operand may differ from batch to batch.
Lowering lower_float_matmul(const ops::matmul& op, IntegerProduct p, Int8DotProduct dot_product);
/// y[row] = x[row] * w for `rows` rows that follow one another.
Candidate float_product(Int8Panels panels, std::size_t rows, IntegerProduct p, std::string name);
/// The name of such a kernel: the operator's, what the result is, and what follows.
std::string name_of(const IntegerProduct& p, std::string name);

}  // namespace webnn::inline v0_1::simd
