// scatterElements: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-scatterelements
// The text leaves the order of updates of one element open: row-major, so that the last one wins.
#pragma once

#include "webnn/shape/gather.h"

namespace webnn {

struct MLScatterOptions {
  std::uint32_t axis = 0;
  std::string label{};
};

}  // namespace webnn

namespace webnn::ops {

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
    /// input, but with updates[c] at each coordinates c of indices, replaced by indices[c] on axis;
    /// indices as in gather, the last update of an element wins. Any data type. Refused: indices
    /// not of int32, uint32 or int64, an axis that is not below the rank, indices of another rank
    /// or, except on axis, other sizes than input, updates of another type or not of their shape.
    Out scatterElements(First... input, const MLOperand& indices, const MLOperand& updates,
                        MLScatterOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::scatterElements>(
          input..., indices, updates, std::move(options));
    }
  };
};

}  // namespace webnn::ops
