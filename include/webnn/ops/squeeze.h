// squeeze: https://github.com/webmachinelearning/webnn/pull/945
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1 {

struct MLSqueezeOptions {
  OptionalList<std::uint32_t> axes = std::nullopt;  ///< all dimensions of 1 when absent
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct squeeze {
  MLOperand input;
  MLSqueezeOptions options{};

  static constexpr auto declaration =
      declare("squeeze", operand<&squeeze::input>("input", allow(types::any)),
              attribute<&MLSqueezeOptions::axes>("axes"), result("output", type_of("input")));
};

inline Result<Shapes> infer(const squeeze& op) {
  const Dims& in = op.input.shape();
  const auto& axes = op.options.axes;
  if (axes)
    if (auto bad = shape::check_axes(*axes, op.input)) return *bad;
  Sizes out;
  for (std::uint32_t d = 0; d < in.size(); ++d) {
    const bool named = axes && std::find(axes->begin(), axes->end(), d) != axes->end();
    if (named && in[d] != 1)
      return detail::fail("dimension {} ({}) of input, which axes has, is not 1", d, in[d]);
    if (axes ? !named : in[d] != 1) out.push_back(in[d]);
  }
  return out;
}

struct SqueezeSection {
  using Operators = OpList<squeeze>;

  template <class Self, class Out, class... First> struct Methods {
    /// input, of any data type, without the dimensions of 1 that axes names, or without any of
    /// them; then the rank of the result can depend on the sizes of a run. Throws TypeError if an
    /// axis is not below the rank or occurs twice, or its dimension is not 1.
    Out squeeze(First... input, MLSqueezeOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::squeeze>(input..., std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
