// reverse: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reverse-method
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1 {

struct MLReverseOptions {
  OptionalList<std::uint32_t> axes = std::nullopt;  ///< all when absent, none when empty
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct reverse {
  MLOperand input;
  MLReverseOptions options{};

  static constexpr auto declaration =
      declare("reverse", operand<&reverse::input>("input", allow(types::any)),
              attribute<&MLReverseOptions::axes>("axes"), result("output", same_as("input")));
  static constexpr Traits traits{.moves = true, .rearranges = true};
};

inline Result<Shapes> infer(const reverse& op) {
  if (op.options.axes)
    if (auto bad = shape::check_axes(*op.options.axes, op.input)) return *bad;
  return op.input.shape();
}

struct ReverseSection {
  using Operators = OpList<reverse>;

  template <class Self, class Out, class... First> struct Methods {
    /// input, of any data type, with the order of its elements reversed along axes. Throws
    /// TypeError if an axis occurs twice or is not below the rank.
    Out reverse(First... input, MLReverseOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::reverse>(input..., std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
