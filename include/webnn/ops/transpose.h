// transpose: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-transpose
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1 {

struct MLTransposeOptions {
  OptionalList<std::uint32_t> permutation = std::nullopt;  ///< reverses all dimensions when absent
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct transpose {
  MLOperand input;
  MLTransposeOptions options{};

  static constexpr auto declaration =
      declare("transpose", operand<&transpose::input>("input", allow(types::any)),
              attribute<&MLTransposeOptions::permutation>("permutation"),
              result("output", same_as("input")));
  static constexpr Traits traits{.moves = true, .rearranges = true};
};

/// The permutation given, or the default: the dimensions in reverse.
inline Dims permutation_of(const transpose& op) {
  if (op.options.permutation) return *op.options.permutation;
  Dims permutation;
  for (std::uint32_t d = op.input.rank(); d-- > 0;) permutation.push_back(d);
  return permutation;
}

inline Result<Shapes> infer(const transpose& op) {
  const Dims& in = op.input.shape();
  const Dims permutation = permutation_of(op);
  if (auto bad = shape::check_length("permutation", permutation.size(), in.size())) return *bad;
  if (auto bad = shape::check_axes(permutation, op.input, "permutation")) return *bad;
  // differs from spec: the text copies the descriptor of input.
  Sizes out;
  for (std::uint32_t d : permutation) out.push_back(in[d]);
  return out;
}

struct TransposeSection {
  using Operators = OpList<transpose>;

  template <class Self, class Out, class... First> struct Methods {
    /// input, of any data type, with its dimensions in another order: dimension i of the result is
    /// dimension permutation[i] of input. Throws TypeError if permutation is not a permutation of 0
    /// to rank - 1.
    Out transpose(First... input, MLTransposeOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::transpose>(input..., std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
