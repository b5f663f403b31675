// argMin, argMax: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-argminmax
// The text leaves ties and NaN open: the first of equals, and a NaN before every number.
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1 {

struct MLArgMinMaxOptions {
  bool keepDimensions = false;                                  ///< the axis remains, with size 1
  MLOperandDataType outputDataType = MLOperandDataType::int32;  ///< int32 or int64
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

template <FixedString Name> struct ArgMinMax {
  MLOperand input;
  std::uint32_t axis = 0;
  MLArgMinMaxOptions options{};

  static constexpr auto declaration =
      declare(Name.view(), operand<&ArgMinMax::input>("input", allow(types::any, {.min = 1})),
              attribute<&ArgMinMax::axis>("axis"),
              attribute<&MLArgMinMaxOptions::keepDimensions>("keepDimensions"),
              attribute<&MLArgMinMaxOptions::outputDataType>("outputDataType"),
              result<&MLArgMinMaxOptions::outputDataType>("output", allow(types::positions)));
};

// Every valid dimension fits into int32, so the spec's test of the axis against it never fails.
template <FixedString N> Result<Shapes> infer(const ArgMinMax<N>& op) {
  if (auto bad = shape::check_axis(op.axis, op.input)) return *bad;
  return shape::reduced(op.input.shape(), {op.axis}, op.options.keepDimensions);
}

using argMin = ArgMinMax<"argMin">;
using argMax = ArgMinMax<"argMax">;

struct ArgMinMaxSection {
  using Operators = OpList<argMin, argMax>;
  using Options = MLArgMinMaxOptions;

  template <class Self, class Out, class... First> struct Methods {
    /// The index of the smallest element along axis, or of the first one if several are equal.
    /// input has any data type and at least one dimension; the result loses the axis. Throws
    /// TypeError if the axis is not below the rank, or outputDataType is not int32 or int64.
    Out argMin(First... input, std::uint32_t axis, Options options = {}) {
      return static_cast<Self&>(*this).template call<ops::argMin>(input..., axis,
                                                                  std::move(options));
    }
    /// The index of the largest element along axis; otherwise as argMin.
    Out argMax(First... input, std::uint32_t axis, Options options = {}) {
      return static_cast<Self&>(*this).template call<ops::argMax>(input..., axis,
                                                                  std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
