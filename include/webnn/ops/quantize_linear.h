// quantizeLinear: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-quantizelinear
// The text leaves NaN open: it becomes zeroPoint.
#pragma once

#include "webnn/shape/broadcast.h"

namespace webnn::inline v0_1::ops {

struct quantizeLinear {
  MLOperand input;
  MLOperand scale;
  MLOperand zeroPoint;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("quantizeLinear", operand<&quantizeLinear::input>("input", allow(types::floats)),
              operand<&quantizeLinear::scale>("scale", same_as("input").or_fewer_in_tests()),
              operand<&quantizeLinear::zeroPoint>(
                  "zeroPoint", allow(types::quantized).rank_of("input").or_fewer_in_tests()),
              result("output", type_of("zeroPoint").rank_of("input")));
  static constexpr Traits traits{.element_wise = true};
};

inline Result<Shapes> infer(const quantizeLinear& op) {
  if (auto bad = shape::check_quantization(op.input, op.scale, op.zeroPoint)) return *bad;
  return op.input.shape();
}

struct QuantizeLinearSection {
  using Operators = OpList<quantizeLinear>;

  template <class Self, class Out, class... First> struct Methods {
    /// roundEven(x / scale) + zeroPoint, saturated, in the data type of zeroPoint: int8, uint8,
    /// int32, uint32, int4, uint4 or float8e4m3. input is float32, float16 or bfloat16, as is
    /// scale. scale and zeroPoint have one shape and the rank of input; each of their elements
    /// counts for a block, so the sizes of input are multiples. Throws TypeError if an operand has
    /// another data type or shape.
    Out quantizeLinear(First... input, const MLOperand& scale, const MLOperand& zeroPoint,
                       MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::quantizeLinear>(
          input..., scale, zeroPoint, std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
