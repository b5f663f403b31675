// cast: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-cast
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::ops {

struct cast {
  MLOperand input;
  MLOperandDataType dataType = MLOperandDataType::float32;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("cast", operand<&cast::input>("input", allow(types::any)),
              attribute<&cast::dataType>("dataType"),
              // differs from spec: the text copies the descriptor of input.
              result<&cast::dataType>("output", allow(types::any)));
};

inline Result<Shapes> infer(const cast& op) { return op.input.shape(); }

static_assert(Operator<cast>);

struct CastSection {
  using Operators = OpList<cast>;

  template <class Self, class Out, class... First> struct Methods {
    Out cast(First... input, MLOperandDataType dataType, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::cast>(input..., dataType,
                                                                std::move(options));
    }
  };
};

}  // namespace webnn::ops
