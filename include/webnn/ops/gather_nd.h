// gatherND: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gathernd
#pragma once

#include "webnn/shape/gather.h"

namespace webnn::inline v0_1::ops {

struct gatherND {
  MLOperand input;
  MLOperand indices;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("gatherND", operand<&gatherND::input>("input", allow(types::any, {.min = 1})),
              operand<&gatherND::indices>("indices", allow(types::indices, {.min = 1})),
              result("output", type_of("input")));
  static constexpr Traits traits{.moves = true, .rearranges = true};
};

inline Result<Shapes> infer(const gatherND& op) {
  if (auto bad = shape::check_coordinates(op.indices, op.input)) return *bad;
  return shape::slices(op.indices, op.input);
}

struct GatherNdSection {
  using Operators = OpList<gatherND>;

  template <class Self, class Out, class... First> struct Methods {
    /// The slices of input whose first coordinates are the rows of the last dimension of indices, k
    /// of them; each as in gather. input and indices have at least one dimension. The result has
    /// the shape indices.shape[:-1] + input.shape[k:] and the data type of input, which may be any.
    /// Throws TypeError if indices are not int32, uint32 or int64, or k is greater than the rank of
    /// input.
    Out gatherND(First... input, const MLOperand& indices, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::gatherND>(input..., indices,
                                                                    std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
