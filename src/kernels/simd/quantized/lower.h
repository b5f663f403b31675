// Kernels for chains of quantized operators: integers in, integers out.
#pragma once

#include "src/kernels/common/quantized.h"
#include "src/kernels/simd/vector/int8/bytes.h"

namespace webnn::simd {

/// A chain that begins with dequantizeLinear: of a quantized operator, or that node alone.
Lowering lower_quantized(Chain chain);
Lowering lower_dequantize(const ops::dequantizeLinear& op);
Lowering lower_quantize(const ops::quantizeLinear& op, Chain chain);
/// On integers as they are.
Lowering lower_int8_max(const ops::maxPool2d& op, const MLOperand& result);

using QuantizedOps = ops::OpList<ops::add, ops::averagePool2d, ops::conv2d, ops::gemm, ops::mul,
                                 ops::reduceMean, ops::softmax, ops::sub>;
Lowering lower_quantized(const ops::add&, const QuantizedChain&);
Lowering lower_quantized(const ops::averagePool2d&, const QuantizedChain&);
Lowering lower_quantized(const ops::conv2d&, const QuantizedChain&);
Lowering lower_quantized(const ops::gemm&, const QuantizedChain&);
Lowering lower_quantized(const ops::mul&, const QuantizedChain&);
Lowering lower_quantized(const ops::reduceMean&, const QuantizedChain&);
Lowering lower_quantized(const ops::softmax&, const QuantizedChain&);
Lowering lower_quantized(const ops::sub&, const QuantizedChain&);

/// The bounds and the zero point of the result as the vector kernels take them.
inline Int8Result int8_result(const QuantizedChain& c) {
  const std::int32_t shift = c.result.is_signed() ? 128 : 0;
  return {c.result.shifted_zero(), static_cast<std::uint8_t>(c.low + shift),
          static_cast<std::uint8_t>(c.high + shift), c.result.flip()};
}

}  // namespace webnn::simd
