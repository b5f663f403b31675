// gatherElements: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gatherelements
#pragma once

#include "webnn/ops/gather.h"
#include "webnn/shape/gather.h"

namespace webnn::inline v0_1::ops {

struct gatherElements {
  MLOperand input;
  MLOperand indices;
  MLGatherOptions options{};

  static constexpr auto declaration = declare(
      "gatherElements", operand<&gatherElements::input>("input", allow(types::any, {.min = 1})),
      operand<&gatherElements::indices>("indices", allow(types::indices).rank_of("input")),
      attribute<&MLGatherOptions::axis>("axis"), result("output", same_as("input")));
  static constexpr Traits traits{.moves = true, .rearranges = true};
};

inline Result<Shapes> infer(const gatherElements& op) {
  const std::uint32_t axis = op.options.axis;
  if (auto bad = shape::check_axis(axis, op.input)) return *bad;
  if (auto bad = shape::check_off_axis(op.indices, op.input, axis)) return *bad;
  // differs from spec: the text copies the descriptor of input.
  return op.indices.shape();
}

struct GatherElementsSection {
  using Operators = OpList<gatherElements>;

  template <class Self, class Out, class... First> struct Methods {
    /// The elements of input at the coordinates of the result, but with indices[coordinates] on
    /// axis; indices as in gather. The result has the shape of indices and the data type of input,
    /// which may be any. Throws TypeError if indices have another data type than int32, uint32 or
    /// int64, the axis is not below the rank, or indices have another rank than input or, on a
    /// dimension other than axis, another size.
    Out gatherElements(First... input, const MLOperand& indices, MLGatherOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::gatherElements>(input..., indices,
                                                                          std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
