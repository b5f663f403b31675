// matmul: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-matmul
#pragma once

#include "webnn/shape/broadcast.h"

namespace webnn::inline v0_1::ops {

struct matmul {
  MLOperand a;
  MLOperand b;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("matmul", operand<&matmul::a>("a", allow(types::floats, {.min = 2})),
              operand<&matmul::b>("b", type_of("a", {.min = 2})),
              result("output", type_of("a", {.min = 2})));
};

/// spec: "calculate matmul output sizes"
inline Result<Shapes> infer(const matmul& op) {
  const Dims &a = op.a.shape(), &b = op.b.shape();
  if (a.end()[-1] != b.end()[-2])
    return detail::fail("the columns ({}) of a are not the rows ({}) of b", a.end()[-1],
                        b.end()[-2]);
  const Sizes batch_a(a.begin(), a.end() - 2), batch_b(b.begin(), b.end() - 2);
  auto out = shape::broadcast(batch_a, batch_b);
  if (!out)
    return detail::fail("the batch dimensions of a ({}) and b ({}) do not broadcast", batch_a,
                        batch_b);
  out->insert(out->end(), {a.end()[-2], b.end()[-1]});
  return *out;
}

struct MatmulSection {
  using Operators = OpList<matmul>;

  template <class Self, class Out, class... First> struct Methods {
    /// The products of the matrices in the last two dimensions of a and b; the dimensions before
    /// them broadcast. float32, float16 or bfloat16, one type for both, rank 2 or more. Throws
    /// TypeError if a does not have as many columns as b has rows, or the batches do not broadcast.
    Out matmul(First... a, const MLOperand& b, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::matmul>(a..., b, std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
