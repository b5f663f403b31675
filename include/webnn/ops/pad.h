// pad: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pad
// The mode "symmetric" of earlier drafts is gone.
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1 {

/// What surrounds [1, 2, 3]: constant 0 0 [] 0 0, edge 1 1 [] 3 3, reflection 3 2 [] 2 1.
enum class MLPaddingMode { constant, edge, reflection };
constexpr auto names_of(MLPaddingMode) { return names("constant", "edge", "reflection"); }

struct MLPadOptions {
  MLPaddingMode mode = MLPaddingMode::constant;  ///< what the elements around input are
  MLNumber value = 0;   ///< for the mode constant; converted to the data type of input
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct pad {
  MLOperand input;
  Dims beginningPadding{};
  Dims endingPadding{};
  MLPadOptions options{};

  static constexpr auto declaration = declare(
      "pad", operand<&pad::input>("input", allow(types::any)),
      attribute<&pad::beginningPadding>("beginningPadding"),
      attribute<&pad::endingPadding>("endingPadding"), attribute<&MLPadOptions::mode>("mode"),
      attribute<&MLPadOptions::value>("value"), result("output", same_as("input")));
  static constexpr Traits traits{.moves = true};
};

/// spec: "calculate padding output sizes"
inline Result<Shapes> infer(const pad& op, Rules rules = Rules::specification) {
  const Dims &in = op.input.shape(), &begin = op.beginningPadding, &end = op.endingPadding;
  if (rules == Rules::tests2025 && in.empty())
    return detail::fail("the rank (0) of input is less than 1");
  if (auto bad = shape::check_length("beginningPadding", begin.size(), in.size())) return *bad;
  if (auto bad = shape::check_length("endingPadding", end.size(), in.size())) return *bad;
  Sizes out = shape::sizes(in);
  for (std::size_t d = 0; d < in.size(); ++d) {
    if (op.options.mode == MLPaddingMode::reflection)
      for (const auto& [name, padding] :
           {std::pair("beginningPadding", begin[d]), std::pair("endingPadding", end[d])})
        if (padding >= in[d])
          return detail::fail(
              "{}[{}] ({}) is not less than dimension {} ({}) of input, as reflection needs", name,
              d, padding, d, in[d]);
    out[d] += std::uint64_t{begin[d]} + end[d];
  }
  return out;
}

struct PadSection {
  using Operators = OpList<pad>;

  template <class Self, class Out, class... First> struct Methods {
    /// input with beginningPadding[d] elements before and endingPadding[d] elements after it along
    /// each dimension d. The result has the data type of input, which may be any. Throws TypeError
    /// if a list is not as long as the rank, or a reflection needs more elements than follow the
    /// first.
    Out pad(First... input, Dims beginningPadding, Dims endingPadding, MLPadOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::pad>(
          input..., std::move(beginningPadding), std::move(endingPadding), std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
