// gather: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gather
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1 {

struct MLGatherOptions {
  std::uint32_t axis = 0;  ///< the dimension that indices count
  std::string label{};     ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct gather {
  MLOperand input;
  MLOperand indices;
  MLGatherOptions options{};

  static constexpr auto declaration =
      declare("gather", operand<&gather::input>("input", allow(types::any, {.min = 1})),
              operand<&gather::indices>("indices", allow(types::indices)),
              attribute<&MLGatherOptions::axis>("axis"),
              // differs from spec: the result may be a scalar.
              result("output", type_of("input")));
  static constexpr Traits traits{.moves = true, .rearranges = true};
};

inline Result<Shapes> infer(const gather& op) {
  const std::uint32_t axis = op.options.axis;
  if (auto bad = shape::check_axis(axis, op.input)) return *bad;
  const Dims &in = op.input.shape(), &indices = op.indices.shape();
  Sizes out(in.begin(), in.begin() + axis);
  out.insert(out.end(), indices.begin(), indices.end());
  out.insert(out.end(), in.begin() + axis + 1, in.end());
  return out;
}

struct GatherSection {
  using Operators = OpList<gather>;

  template <class Self, class Out, class... First> struct Methods {
    /// The slices of input along axis at indices: the shape is that of input with the axis replaced
    /// by the shape of indices. input has any data type and at least one dimension. An index below
    /// 0 counts from the end, then it is clamped into the axis. Throws TypeError if the axis is not
    /// below the rank, or indices are not int32, uint32 or int64.
    Out gather(First... input, const MLOperand& indices, MLGatherOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::gather>(input..., indices,
                                                                  std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
