// Element-wise unary operations: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-unary
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::ops {

template <FixedString Name, DataTypes Allowed> struct Unary {
  MLOperand input;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare(Name.view(), operand<&Unary::input>("input", allow(Allowed)),
              result("output", same_as("input")));
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

static_assert(Operator<abs> && Operator<tan>);

struct UnarySection {
  using Operators = OpList<abs, ceil, cos, erf, exp, floor, identity, log, neg, reciprocal,
                           roundEven, sign, sin, sqrt, tan>;
  using Options = MLOperatorOptions;

  template <class Self, class Out, class... First> struct Methods {
    Out abs(First... x, Options o = {}) { return unary<ops::abs>(x..., o); }
    Out ceil(First... x, Options o = {}) { return unary<ops::ceil>(x..., o); }
    Out cos(First... x, Options o = {}) { return unary<ops::cos>(x..., o); }
    Out erf(First... x, Options o = {}) { return unary<ops::erf>(x..., o); }
    Out exp(First... x, Options o = {}) { return unary<ops::exp>(x..., o); }
    Out floor(First... x, Options o = {}) { return unary<ops::floor>(x..., o); }
    Out identity(First... x, Options o = {}) { return unary<ops::identity>(x..., o); }
    Out log(First... x, Options o = {}) { return unary<ops::log>(x..., o); }
    Out neg(First... x, Options o = {}) { return unary<ops::neg>(x..., o); }
    Out reciprocal(First... x, Options o = {}) { return unary<ops::reciprocal>(x..., o); }
    Out roundEven(First... x, Options o = {}) { return unary<ops::roundEven>(x..., o); }
    Out sign(First... x, Options o = {}) { return unary<ops::sign>(x..., o); }
    Out sin(First... x, Options o = {}) { return unary<ops::sin>(x..., o); }
    Out sqrt(First... x, Options o = {}) { return unary<ops::sqrt>(x..., o); }
    Out tan(First... x, Options o = {}) { return unary<ops::tan>(x..., o); }

   private:
    template <class Op> Out unary(First... x, Options& o) {
      return static_cast<Self&>(*this).template call<Op>(x..., std::move(o));
    }
  };
};

}  // namespace webnn::ops
