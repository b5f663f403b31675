// Element-wise unary operations: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary
// The text leaves the absolute value and the negative of the least integer open: they wrap to it.
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::inline v0_1::ops {

template <FixedString Name, DataTypes Allowed> struct Unary {
  MLOperand input;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare(Name.view(), operand<&Unary::input>("input", allow(Allowed)),
              result("output", same_as("input")));
  static constexpr Traits traits{.element_wise = true,
                                 .moves = Name.view() == "identity",
                                 .rearranges = Name.view() == "identity"};
};

template <FixedString N, DataTypes A> Result<Shapes> infer(const Unary<N, A>& op) {
  return op.input.shape();
}

using abs = Unary<"abs", types::signed_numbers>;
using ceil = Unary<"ceil", types::floats>;
using cos = Unary<"cos", types::floats>;
using erf = Unary<"erf", types::floats>;
using exp = Unary<"exp", types::floats>;
using floor = Unary<"floor", types::floats>;
using identity = Unary<"identity", types::any>;
using log = Unary<"log", types::floats>;
using neg = Unary<"neg", types::signed_numbers>;
using reciprocal = Unary<"reciprocal", types::floats>;
using roundEven = Unary<"roundEven", types::floats>;
using sign = Unary<"sign", types::signed_numbers>;
using sin = Unary<"sin", types::floats>;
using sqrt = Unary<"sqrt", types::floats>;
using tan = Unary<"tan", types::floats>;

struct UnarySection {
  using Operators = OpList<abs, ceil, cos, erf, exp, floor, identity, log, neg, reciprocal,
                           roundEven, sign, sin, sqrt, tan>;
  using Options = MLOperatorOptions;

  /// Element by element. The result has the shape and data type of input: float32, float16 or
  /// bfloat16, for abs, neg and sign also int8, int32 and int64, for identity any. Throws TypeError
  /// if input has another data type.
  template <class Self, class Out, class... First> struct Methods {
    /// The absolute value; that of the least integer is itself.
    Out abs(First... x, Options o = {}) { return unary<ops::abs>(x..., o); }
    /// The next integer that is not less.
    Out ceil(First... x, Options o = {}) { return unary<ops::ceil>(x..., o); }
    /// The cosine, of radians.
    Out cos(First... x, Options o = {}) { return unary<ops::cos>(x..., o); }
    /// The error function.
    Out erf(First... x, Options o = {}) { return unary<ops::erf>(x..., o); }
    /// e to the power of x.
    Out exp(First... x, Options o = {}) { return unary<ops::exp>(x..., o); }
    /// The next integer that is not greater.
    Out floor(First... x, Options o = {}) { return unary<ops::floor>(x..., o); }
    /// A copy; makes an input or a constant an output.
    Out identity(First... x, Options o = {}) { return unary<ops::identity>(x..., o); }
    /// The natural logarithm.
    Out log(First... x, Options o = {}) { return unary<ops::log>(x..., o); }
    /// The negative; that of the least integer is itself.
    Out neg(First... x, Options o = {}) { return unary<ops::neg>(x..., o); }
    /// 1 / x.
    Out reciprocal(First... x, Options o = {}) { return unary<ops::reciprocal>(x..., o); }
    /// The nearest integer; halfway between two, the even one.
    Out roundEven(First... x, Options o = {}) { return unary<ops::roundEven>(x..., o); }
    /// 1, 0 or -1; 0 for NaN.
    Out sign(First... x, Options o = {}) { return unary<ops::sign>(x..., o); }
    /// The sine, of radians.
    Out sin(First... x, Options o = {}) { return unary<ops::sin>(x..., o); }
    /// The square root.
    Out sqrt(First... x, Options o = {}) { return unary<ops::sqrt>(x..., o); }
    /// The tangent, of radians.
    Out tan(First... x, Options o = {}) { return unary<ops::tan>(x..., o); }

   private:
    template <class Op> Out unary(First... x, Options& o) {
      return static_cast<Self&>(*this).template call<Op>(x..., std::move(o));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
