// The shapes of operands as data: https://github.com/webmachinelearning/webnn/pull/945
// rank and dimension are extensions of this library.
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1::ops {

/// Its name is that of a namespace.
struct shapeOf {
  MLOperand input;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("shape", operand<&shapeOf::input>("input", allow(types::stored, {.min = 1})),
              result("output", allow({uint32})));
};
inline Result<Shapes> infer(const shapeOf& op) { return Sizes{op.input.rank()}; }

struct rank {
  MLOperand input;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("rank", operand<&rank::input>("input", allow(types::stored)),
              result("output", allow({uint32})));
};
inline Result<Shapes> infer(const rank&) { return Sizes{}; }

struct dimension {
  MLOperand input;
  std::uint32_t axis = 0;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("dimension", operand<&dimension::input>("input", allow(types::stored, {.min = 1})),
              attribute<&dimension::axis>("axis"), result("output", allow({uint32})));
};
inline Result<Shapes> infer(const dimension& op) {
  if (auto bad = shape::check_axis(op.axis, op.input)) return *bad;
  return Sizes{};
}

struct ShapeSection {
  using Operators = OpList<shapeOf, rank, dimension>;

  /// The results are known when the sizes of the inputs are known: operators on them and on
  /// constants make the shapes that reshapeDynamic and similar operators need. input has any data
  /// type.
  template <class Self, class Out, class... First> struct Methods {
    /// The sizes of the dimensions of input, which has at least one: uint32 [rank].
    Out shape(First... input, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::shapeOf>(input..., std::move(options));
    }
    /// The number of dimensions of input: a uint32 scalar.
    Out rank(First... input, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::rank>(input..., std::move(options));
    }
    /// The size of one dimension of input: a uint32 scalar. Throws TypeError if the axis is not
    /// below the rank.
    Out dimension(First... input, std::uint32_t axis, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::dimension>(input..., axis,
                                                                     std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
