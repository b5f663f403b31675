// tileDynamic: https://github.com/webmachinelearning/webnn/pull/945
#pragma once

#include "webnn/ops/tile.h"
#include "webnn/shape/values.h"

namespace webnn::inline v0_1::ops {

struct tileDynamic {
  MLOperand input;
  MLOperand repetitions;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("tileDynamic", operand<&tileDynamic::input>("input", allow(types::any)),
              operand<&tileDynamic::repetitions>("repetitions", allow(types::sizes, {1, 1})),
              result("output", type_of("input")));
};

inline Result<Shapes> infer(const tileDynamic& op) {
  const auto repetitions = shape::values(op.repetitions, "repetitions");
  if (!repetitions) return repetitions.failure();
  return infer(tile{op.input, *repetitions});
}

struct TileDynamicSection {
  using Operators = OpList<tileDynamic>;

  template <class Self, class Out, class... First> struct Methods {
    /// input, of any data type, repeated repetitions[d] times along each dimension d: integers of
    /// 32 or 64 bits that follow from shapes and constants alone. Throws TypeError, or a run throws
    /// it, if they follow from the values of an input, are not as many as the rank, or one is not
    /// positive.
    Out tileDynamic(First... input, const MLOperand& repetitions, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::tileDynamic>(input..., repetitions,
                                                                       std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
