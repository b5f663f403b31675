// cast: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-cast
// The text leaves floats outside of the range of an integer open: they saturate, and NaN becomes 0.
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::inline v0_1::ops {

struct cast {
  MLOperand input;
  MLOperandDataType dataType = MLOperandDataType::float32;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("cast", operand<&cast::input>("input", allow(types::any)),
              attribute<&cast::dataType>("dataType"),
              // differs from spec: the text copies the descriptor of input.
              result<&cast::dataType>("output", allow(types::any)));
  static constexpr Traits traits{.element_wise = true};
};

inline Result<Shapes> infer(const cast& op) { return op.input.shape(); }

struct CastSection {
  using Operators = OpList<cast>;

  template <class Self, class Out, class... First> struct Methods {
    /// Converts input, of any data type, to dataType. Floats round to nearest, ties to even; from
    /// float to integer they truncate, saturate, and NaN becomes 0; integers keep their low bits.
    /// Throws TypeError if a data type is int4 or uint4.
    Out cast(First... input, MLOperandDataType dataType, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::cast>(input..., dataType,
                                                                std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
