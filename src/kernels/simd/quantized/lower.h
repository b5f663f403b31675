// Kernels for chains of quantised operators: integers in, integers out.
#pragma once

#include "src/kernels/common/quantized.h"
#include "src/kernels/simd/vector/bytes.h"

namespace webnn::simd {

/// A chain that begins with dequantizeLinear.
Lowering lower_quantized(Chain chain);

Lowering lower_quantized(const ops::conv2d&, const QuantizedChain&);
Lowering lower_quantized(const ops::gemm&, const QuantizedChain&);

/// The bounds and the zero point of the result as the vector kernels take them.
inline ByteResult byte_result(const QuantizedChain& c) {
  const std::int32_t shift = c.result.is_signed() ? 128 : 0;
  return {c.result.shifted_zero(), static_cast<std::uint8_t>(c.low + shift),
          static_cast<std::uint8_t>(c.high + shift), c.result.flip()};
}

}  // namespace webnn::simd
