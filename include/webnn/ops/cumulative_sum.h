// cumulativeSum: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-cumulativesum
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1 {

struct MLCumulativeSumOptions {
  bool exclusive = false;  ///< an element is not part of its own sum
  bool reversed = false;   ///< sums run from the end to the beginning
  std::string label{};     ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct cumulativeSum {
  MLOperand input;
  std::uint32_t axis = 0;
  MLCumulativeSumOptions options{};

  static constexpr auto declaration = declare(
      "cumulativeSum", operand<&cumulativeSum::input>("input", allow(types::sums, {.min = 1})),
      attribute<&cumulativeSum::axis>("axis"),
      attribute<&MLCumulativeSumOptions::exclusive>("exclusive"),
      attribute<&MLCumulativeSumOptions::reversed>("reversed"), result("output", same_as("input")));
};

inline Result<Shapes> infer(const cumulativeSum& op) {
  if (auto bad = shape::check_axis(op.axis, op.input)) return *bad;
  return op.input.shape();
}

struct CumulativeSumSection {
  using Operators = OpList<cumulativeSum>;

  template <class Self, class Out, class... First> struct Methods {
    /// The sums along axis up to each element: [1, 2, 3] gives [1, 3, 6], exclusive [0, 1, 3],
    /// reversed [6, 5, 3], both [5, 3, 0]. Integers wrap. The result has the shape and data type of
    /// input, which has at least one dimension and is a float or an integer of 32 or 64 bits.
    /// Throws TypeError if input has another data type, or the axis is not below the rank.
    Out cumulativeSum(First... input, std::uint32_t axis, MLCumulativeSumOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::cumulativeSum>(input..., axis,
                                                                         std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
