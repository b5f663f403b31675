// reshapeTo2d: https://github.com/webmachinelearning/webnn/pull/945
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1 {

struct MLReshapeTo2dOptions {
  std::uint32_t axis = 1;  ///< the first dimension that is one of the columns
  std::string label{};     ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct reshapeTo2d {
  MLOperand input;
  MLReshapeTo2dOptions options{};

  static constexpr auto declaration =
      declare("reshapeTo2d", operand<&reshapeTo2d::input>("input", allow(types::any)),
              attribute<&MLReshapeTo2dOptions::axis>("axis"), result("output", type_of("input")));
};

inline Result<Shapes> infer(const reshapeTo2d& op) {
  const Dims& in = op.input.shape();
  const std::uint32_t axis = op.options.axis;
  if (axis > in.size())
    return detail::fail("axis ({}) is greater than the rank ({}) of input", axis, in.size());
  Sizes out{1, 1};
  for (std::size_t d = 0; d < in.size(); ++d) out[d < axis ? 0 : 1] *= in[d];
  return out;
}

struct ReshapeTo2dSection {
  using Operators = OpList<reshapeTo2d>;

  template <class Self, class Out, class... First> struct Methods {
    /// The elements of input, of any data type, as a matrix: its rows are the product of the
    /// dimensions before axis, its columns the product of those from axis on. Throws TypeError if
    /// axis is greater than the rank.
    Out reshapeTo2d(First... input, MLReshapeTo2dOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::reshapeTo2d>(input...,
                                                                       std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
