// scatterND: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-scatternd
// The text leaves the order of updates of one element open: row-major, so that the last one wins.
#pragma once

#include "webnn/shape/gather.h"

namespace webnn::inline v0_1::ops {

struct scatterND {
  MLOperand input;
  MLOperand indices;
  MLOperand updates;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("scatterND", operand<&scatterND::input>("input", allow(types::any, {.min = 1})),
              operand<&scatterND::indices>("indices", allow(types::indices, {.min = 1})),
              operand<&scatterND::updates>("updates", type_of("input")),
              result("output", same_as("input")));
  static constexpr Traits traits{.moves = true};
};

inline Result<Shapes> infer(const scatterND& op) {
  if (auto bad = shape::check_coordinates(op.indices, op.input)) return *bad;
  if (auto bad = shape::check_shape("updates", op.updates, shape::slices(op.indices, op.input)))
    return *bad;
  return op.input.shape();
}

struct ScatterNdSection {
  using Operators = OpList<scatterND>;

  template <class Self, class Out, class... First> struct Methods {
    /// input, but with the slices of updates where gatherND would find them with indices; the last
    /// update of an element wins. Any data type. updates has the type of input and the shape
    /// indices.shape[:-1] + input.shape[k:], where k is the last dimension of indices. Throws
    /// TypeError if indices are not int32, uint32 or int64, k is greater than the rank of input, or
    /// updates have another data type or shape.
    Out scatterND(First... input, const MLOperand& indices, const MLOperand& updates,
                  MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::scatterND>(input..., indices, updates,
                                                                     std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
