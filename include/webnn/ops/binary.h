// Element-wise binary operations: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-binary
#pragma once

#include "webnn/shape/broadcast.h"

namespace webnn::ops {

template <FixedString Name> struct Binary {
  MLOperand a, b;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare(Name.view(), operand<&Binary::a>("a", allow(types::any)),
              operand<&Binary::b>("b", type_of("a")), result("output", type_of("a")));
};

template <FixedString N> Result<Shapes> infer(const Binary<N>& op) {
  if (auto out = shape::broadcast(shape::sizes(op.a.shape()), shape::sizes(op.b.shape())))
    return *out;
  return fail("the shapes of a ({}) and b ({}) do not broadcast", op.a.shape(), op.b.shape());
}

using add = Binary<"add">;
using sub = Binary<"sub">;
using mul = Binary<"mul">;
using div = Binary<"div">;
using max = Binary<"max">;
using min = Binary<"min">;
using pow = Binary<"pow">;

static_assert(Operator<add>);

struct BinarySection {
  using Operators = OpList<add, sub, mul, div, max, min, pow>;
  using Options = MLOperatorOptions;

  template <class Self, class Out, class... First> struct Methods {
    Out add(First... a, MLOperand b, Options o = {}) { return binary<ops::add>(a..., b, o); }
    Out sub(First... a, MLOperand b, Options o = {}) { return binary<ops::sub>(a..., b, o); }
    Out mul(First... a, MLOperand b, Options o = {}) { return binary<ops::mul>(a..., b, o); }
    Out div(First... a, MLOperand b, Options o = {}) { return binary<ops::div>(a..., b, o); }
    Out max(First... a, MLOperand b, Options o = {}) { return binary<ops::max>(a..., b, o); }
    Out min(First... a, MLOperand b, Options o = {}) { return binary<ops::min>(a..., b, o); }
    Out pow(First... a, MLOperand b, Options o = {}) { return binary<ops::pow>(a..., b, o); }

   private:
    template <class Op> Out binary(First... a, MLOperand b, Options& o) {
      return static_cast<Self&>(*this).template call<Op>(a..., b, std::move(o));
    }
  };
};

}  // namespace webnn::ops
