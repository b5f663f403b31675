// triangular: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-triangular
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::inline v0_1 {

struct MLTriangularOptions {
  bool upper = true;          ///< which part to keep
  std::int32_t diagonal = 0;  ///< how far the kept part begins to the right of the main diagonal
  std::string label{};        ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct triangular {
  MLOperand input;
  MLTriangularOptions options{};

  static constexpr auto declaration = declare(
      "triangular", operand<&triangular::input>("input", allow(types::any, {.min = 2})),
      attribute<&MLTriangularOptions::upper>("upper"),
      attribute<&MLTriangularOptions::diagonal>("diagonal"), result("output", same_as("input")));
  static constexpr Traits traits{.moves = true};
};

inline Result<Shapes> infer(const triangular& op) { return op.input.shape(); }

struct TriangularSection {
  using Operators = OpList<triangular>;

  template <class Self, class Out, class... First> struct Methods {
    /// Keeps the upper (column >= row + diagonal) or lower (column <= row + diagonal) part of the
    /// matrices in the last two dimensions and makes the rest 0. Any data type, any sizes; the
    /// diagonal may lie outside. Throws TypeError if the rank is below 2.
    Out triangular(First... input, MLTriangularOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::triangular>(input..., std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
