// dequantizeLinear: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-dequantizelinear
#pragma once

#include "webnn/shape/broadcast.h"

namespace webnn::inline v0_1::ops {

struct dequantizeLinear {
  MLOperand input;
  MLOperand scale;
  MLOperand zeroPoint;
  MLOperatorOptions options{};

  static constexpr auto declaration = declare(
      "dequantizeLinear", operand<&dequantizeLinear::input>("input", allow(types::quantized)),
      operand<&dequantizeLinear::scale>("scale",
                                        allow(types::floats).rank_of("input").or_fewer_in_tests()),
      operand<&dequantizeLinear::zeroPoint>("zeroPoint", same_as("input").or_fewer_in_tests()),
      result("output", type_of("scale").rank_of("input")));
  static constexpr Traits traits{.element_wise = true};
};

inline Result<Shapes> infer(const dequantizeLinear& op) {
  if (auto bad = shape::check_quantization(op.input, op.scale, op.zeroPoint)) return *bad;
  return op.input.shape();
}

struct DequantizeLinearSection {
  using Operators = OpList<dequantizeLinear>;

  template <class Self, class Out, class... First> struct Methods {
    /// (x - zeroPoint) * scale, in the data type of scale, float32, float16 or bfloat16. input is
    /// int8, uint8, int32, uint32, int4, uint4 or float8e4m3, as is zeroPoint. scale and zeroPoint
    /// have one shape and the rank of input; each of their elements counts for a block, so the
    /// sizes of input are multiples. Throws TypeError if an operand has another data type or shape.
    Out dequantizeLinear(First... input, const MLOperand& scale, const MLOperand& zeroPoint,
                         MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::dequantizeLinear>(
          input..., scale, zeroPoint, std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
