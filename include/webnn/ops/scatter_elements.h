// scatterElements: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-scatterelements
// The text leaves the order of updates of one element open: row-major, so that the last one wins.
#pragma once

#include "webnn/shape/gather.h"

namespace webnn::inline v0_1 {

struct MLScatterOptions {
  std::uint32_t axis = 0;  ///< the dimension that indices count
  std::string label{};     ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct scatterElements {
  MLOperand input;
  MLOperand indices;
  MLOperand updates;
  MLScatterOptions options{};

  static constexpr auto declaration = declare(
      "scatterElements", operand<&scatterElements::input>("input", allow(types::any, {.min = 1})),
      operand<&scatterElements::indices>("indices", allow(types::indices).rank_of("input")),
      operand<&scatterElements::updates>("updates", same_as("input")),
      attribute<&MLScatterOptions::axis>("axis"), result("output", same_as("input")));
  static constexpr Traits traits{.moves = true};
};

inline Result<Shapes> infer(const scatterElements& op) {
  const std::uint32_t axis = op.options.axis;
  if (auto bad = shape::check_axis(axis, op.input)) return *bad;
  if (auto bad = shape::check_off_axis(op.indices, op.input, axis)) return *bad;
  if (auto bad = shape::check_shape("updates", op.updates, shape::sizes(op.indices.shape())))
    return *bad;
  return op.input.shape();
}

struct ScatterElementsSection {
  using Operators = OpList<scatterElements>;

  template <class Self, class Out, class... First> struct Methods {
    /// input with some elements replaced: for all coordinates c of indices, updates[c] takes the
    /// place of the element at c, where the coordinate on axis is indices[c]. indices are as in
    /// gather, and the last update of an element wins. Any data type. Throws TypeError if indices
    /// have another data type than int32, uint32 or int64, the axis is not below the rank, indices
    /// have another rank than input or, on a dimension other than axis, another size, or updates
    /// differ from input in data type or from indices in shape.
    Out scatterElements(First... input, const MLOperand& indices, const MLOperand& updates,
                        MLScatterOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::scatterElements>(
          input..., indices, updates, std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
