// unsqueeze: https://github.com/webmachinelearning/webnn/pull/945
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1::ops {

struct unsqueeze {
  MLOperand input;
  Dims axes{};
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("unsqueeze", operand<&unsqueeze::input>("input", allow(types::any)),
              attribute<&unsqueeze::axes>("axes"), result("output", type_of("input")));
};

inline Result<Shapes> infer(const unsqueeze& op) {
  const Dims& in = op.input.shape();
  const std::size_t rank = in.size() + op.axes.size();
  std::vector<bool> added(rank);
  for (std::size_t i = 0; i < op.axes.size(); ++i) {
    const std::uint32_t axis = op.axes[i];
    if (axis >= rank)
      return detail::fail("axes[{}] ({}) is not less than the rank ({}) of output", i, axis, rank);
    if (added[axis]) return detail::fail("axes[{}] ({}) occurs twice", i, axis);
    added[axis] = true;
  }
  Sizes out;
  for (std::size_t d = 0, from = 0; d < rank; ++d) out.push_back(added[d] ? 1 : in[from++]);
  return out;
}

struct UnsqueezeSection {
  using Operators = OpList<unsqueeze>;

  template <class Self, class Out, class... First> struct Methods {
    /// input, of any data type, with dimensions of 1 at the places that axes names in the result.
    /// Throws TypeError if an axis is not below the rank of the result, or occurs twice.
    Out unsqueeze(First... input, Dims axes, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::unsqueeze>(input..., std::move(axes),
                                                                     std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
