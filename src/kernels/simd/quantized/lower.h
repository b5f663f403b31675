// Kernels for quantized operators: integers in, integers or floats out.
#pragma once

#include <array>
#include <optional>

#include "src/kernels/common/lower_table.h"
#include "src/kernels/common/quantized.h"
#include "src/kernels/simd/quantized/exact_table.h"
#include "src/kernels/simd/vector/int8/dot_product.h"
#include "src/kernels/simd/vector/int8/layout.h"

namespace webnn::inline v0_1::simd {

/// A chain that begins with a quantizedOperator.
Lowering lower_quantized(Chain chain, Int8DotProduct dot_product);
Lowering lower_dynamic_quantize(const fused::dynamicQuantizeLinear& op);
Lowering lower_dequantize(const ops::dequantizeLinear& op);
Lowering lower_quantize(const ops::quantizeLinear& op, Chain chain);
/// The largest integers of windows, without dequantizing them.
Lowering lower_int8_max_pool(const ops::maxPool2d& op, const MLOperand& result);

/// The operators of these chains with an overload of lower_quantized() each.
using Int8Ops = ops::OpList<ops::add, ops::averagePool2d, ops::batchNormalization, ops::conv2d,
                            ops::convTranspose2d, ops::gemm, ops::matmul, ops::mul, ops::prelu,
                            ops::reduceMean, ops::resample2d, ops::softmax, ops::sub>;
Lowering lower_quantized(const ops::add&, const QuantizedChain&, Int8DotProduct);
Lowering lower_quantized(const ops::averagePool2d&, const QuantizedChain&, Int8DotProduct);
Lowering lower_quantized(const ops::batchNormalization&, const QuantizedChain&, Int8DotProduct);
Lowering lower_quantized(const ops::conv2d&, const QuantizedChain&, Int8DotProduct);
Lowering lower_quantized(const ops::convTranspose2d&, const QuantizedChain&, Int8DotProduct);
Lowering lower_quantized(const ops::gemm&, const QuantizedChain&, Int8DotProduct);
Lowering lower_quantized(const ops::matmul&, const QuantizedChain&, Int8DotProduct);
Lowering lower_quantized(const ops::mul&, const QuantizedChain&, Int8DotProduct);
Lowering lower_quantized(const ops::prelu&, const QuantizedChain&, Int8DotProduct);
Lowering lower_quantized(const ops::reduceMean&, const QuantizedChain&, Int8DotProduct);
Lowering lower_quantized(const ops::resample2d&, const QuantizedChain&, Int8DotProduct);
Lowering lower_quantized(const ops::softmax&, const QuantizedChain&, Int8DotProduct);
Lowering lower_quantized(const ops::sub&, const QuantizedChain&, Int8DotProduct);

/// add, sub or mul of one operand that is not constant, as Requantization::fixedPoint has it: the
/// results for all bytes. Nothing for other operators and where another operand has more elements.
std::optional<std::array<std::uint8_t, 256>> fixed_binary_table(const QuantizedChain& c);

/// All operators with a kernel for operands of 8 bits.
template <class Op>
using IsQuantized = std::bool_constant<
    ops::contains<Op>(Int8Ops{}) || is_table_op<Op> ||
    ops::contains<Op>(ops::OpList<ops::dequantizeLinear, ops::maxPool2d, ops::quantizeLinear>{})>;
using QuantizedOps = FilteredOps<IsQuantized, ops::AllOps>::type;

/// The bounds and the zero point of the result, for the vector kernels.
inline Int8Result int8_result(const QuantizedChain& c) {
  const std::int32_t shift = c.result.is_signed() ? 128 : 0;
  return {c.result.shifted_zero(), static_cast<std::uint8_t>(c.low + shift),
          static_cast<std::uint8_t>(c.high + shift), c.result.flip()};
}

}  // namespace webnn::inline v0_1::simd
