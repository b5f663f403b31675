// A graph with bfloat16 and float8e4m3.
#pragma once

#include "webnn/webnn.h"

namespace webnn::inline v0_1::fuzz {

inline NamedOperands narrow_example(const MLGraphBuilder& builder) {
  MLGraphBuilder b = builder;
  const MLOperand x = b.input("x", {bfloat16, {2, 4}}), q = b.input("q", {float8e4m3, {2, 4}});
  const MLOperand scale = b.constant({bfloat16, {1, 1}}, {0.5}),
                  zero = b.constant({float8e4m3, {1, 1}}, {0.0});
  const MLOperand sum = b.add(x, b.constant({bfloat16, {4}}, {1.0, -2.0, 1e30, 0.0}));
  const MLOperand real = b.dequantizeLinear(q, scale, zero);
  return {{"sum", b.gelu(b.mul(sum, real))},
          {"nearest", b.quantizeLinear(sum, scale, zero)},
          {"joined", b.concat(std::vector{q, b.cast(real, float8e4m3)}, 0)},
          {"wide", b.cast(b.constant(float8e4m3, 1.125), float32)}};
}

}  // namespace webnn::inline v0_1::fuzz
