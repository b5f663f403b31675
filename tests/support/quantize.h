// Quantized operands with one scale and zero point.
#pragma once

#include "tests/support/tensor.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {

struct Scale {
  float scale = 1;
  int zero = 0;
};

inline MLOperand scale_of(MLGraphBuilder& b, Dims shape, float value) {
  return b.constant({float32, shape}, filled(float32, shape, value).bytes);
}
inline MLOperand zero_of(MLGraphBuilder& b, MLOperandDataType type, Dims shape, int value) {
  return b.constant({type, shape}, filled(type, shape, value).bytes);
}
inline MLOperand dequantized(MLGraphBuilder& b, const MLOperand& x, Scale s) {
  const Dims one(x.rank(), 1);
  return b.dequantizeLinear(x, scale_of(b, one, s.scale), zero_of(b, x.dataType(), one, s.zero));
}
inline MLOperand quantized(MLGraphBuilder& b, const MLOperand& y, Scale s, MLOperandDataType type) {
  const Dims one(y.rank(), 1);
  return b.quantizeLinear(y, scale_of(b, one, s.scale), zero_of(b, type, one, s.zero));
}

}  // namespace webnn::inline v0_1::test
