// gemm: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gemm
#pragma once

#include "webnn/shape/broadcast.h"

namespace webnn::inline v0_1 {

struct MLGemmOptions {
  std::optional<MLOperand> c{};  ///< broadcasts to the result
  double alpha = 1.0;            ///< converted to the data type of a
  double beta = 1.0;             ///< converted as alpha is
  bool aTranspose = false;       ///< a is given transposed
  bool bTranspose = false;       ///< b is given transposed
  std::string label{};           ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct gemm {
  MLOperand a;
  MLOperand b;
  MLGemmOptions options{};

  static constexpr auto declaration = declare(
      "gemm", operand<&gemm::a>("a", allow(types::floats, {2, 2})),
      operand<&gemm::b>("b", type_of("a", {2, 2})),
      operand<&MLGemmOptions::c>("c", type_of("a", {0, 2})),
      attribute<&MLGemmOptions::alpha>("alpha"), attribute<&MLGemmOptions::beta>("beta"),
      attribute<&MLGemmOptions::aTranspose>("aTranspose"),
      attribute<&MLGemmOptions::bTranspose>("bTranspose"), result("output", type_of("a", {2, 2})));
};

inline Result<Shapes> infer(const gemm& op) {
  Sizes a = shape::sizes(op.a.shape()), b = shape::sizes(op.b.shape());
  if (op.options.aTranspose) std::swap(a[0], a[1]);
  if (op.options.bTranspose) std::swap(b[0], b[1]);
  if (a[1] != b[0])
    return detail::fail("the columns ({}) of a are not the rows ({}) of b", a[1], b[0]);
  const Sizes out{a[0], b[1]};
  if (op.options.c && !shape::broadcasts_to(shape::sizes(op.options.c->shape()), out))
    return detail::fail("the shape ({}) of c does not broadcast to {}", op.options.c->shape(), out);
  return out;
}

struct GemmSection {
  using Operators = OpList<gemm>;

  template <class Self, class Out, class... First> struct Methods {
    /// alpha * a * b + beta * c: matrices of rank 2, which aTranspose and bTranspose transpose
    /// first; float32, float16 or bfloat16, one type for all. Throws TypeError if a does not have
    /// as many columns as b has rows, c does not broadcast to the result, or alpha or beta is not
    /// finite.
    Out gemm(First... a, const MLOperand& b, MLGemmOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::gemm>(a..., b, std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
