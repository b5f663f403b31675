// splitDynamic: https://github.com/webmachinelearning/webnn/pull/945
#pragma once

#include "webnn/ops/split.h"
#include "webnn/shape/values.h"

namespace webnn::inline v0_1::ops {

struct splitDynamic {
  MLOperand input;
  MLOperand splits;
  MLSplitOptions options{};

  static constexpr auto declaration =
      declare("splitDynamic", operand<&splitDynamic::input>("input", allow(types::any, {.min = 1})),
              operand<&splitDynamic::splits>("splits", allow(types::sizes, {1, 1})),
              attribute<&MLSplitOptions::axis>("axis"), results("outputs", same_as("input")));
};

inline Result<Shapes> infer(const splitDynamic& op) {
  const auto splits = shape::values(op.splits, "splits");
  if (!splits) return splits.failure();
  return infer(split{op.input, *splits, op.options});
}

struct SplitDynamicSection {
  using Operators = OpList<splitDynamic>;

  template <class Self, class Out, class... First> struct Methods {
    /// input, of any data type and with at least one dimension, in parts of the sizes splits along
    /// an axis: integers of 32 or 64 bits that follow from shapes and constants alone. Their number
    /// is that of the parts. Throws TypeError, or a run throws it, if they follow from the values
    /// of an input, or as split does.
    std::vector<Out> splitDynamic(First... input, const MLOperand& splits,
                                  MLSplitOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::splitDynamic>(input..., splits,
                                                                        std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
