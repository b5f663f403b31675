// padDynamic: https://github.com/webmachinelearning/webnn/pull/945
#pragma once

#include "webnn/ops/pad.h"
#include "webnn/shape/values.h"

namespace webnn::inline v0_1::ops {

struct padDynamic {
  MLOperand input;
  MLOperand beginningPadding;
  MLOperand endingPadding;
  MLPadOptions options{};

  static constexpr auto declaration = declare(
      "padDynamic", operand<&padDynamic::input>("input", allow(types::any)),
      operand<&padDynamic::beginningPadding>("beginningPadding", allow(types::sizes, {1, 1})),
      operand<&padDynamic::endingPadding>("endingPadding", type_of("beginningPadding", {1, 1})),
      attribute<&MLPadOptions::mode>("mode"), attribute<&MLPadOptions::value>("value"),
      result("output", same_as("input")));
};

inline Result<Shapes> infer(const padDynamic& op) {
  const auto beginning = shape::values(op.beginningPadding, "beginningPadding");
  if (!beginning) return beginning.failure();
  const auto ending = shape::values(op.endingPadding, "endingPadding");
  if (!ending) return ending.failure();
  return infer(pad{op.input, *beginning, *ending, op.options});
}

struct PadDynamicSection {
  using Operators = OpList<padDynamic>;

  template <class Self, class Out, class... First> struct Methods {
    /// input, of any data type, with beginningPadding[d] elements before and endingPadding[d]
    /// elements after it along each dimension d, as pad. Both are integers of 32 or 64 bits that
    /// follow from shapes and constants alone. Throws TypeError, or a run throws it, if they follow
    /// from the values of an input, or as pad does.
    Out padDynamic(First... input, const MLOperand& beginningPadding,
                   const MLOperand& endingPadding, MLPadOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::padDynamic>(
          input..., beginningPadding, endingPadding, std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
