// Element-wise binary operations: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-binary
// The text leaves open: NaN in max and min (NaN), integers that overflow (they wrap) or are divided
// by 0 (0).
#pragma once

#include "webnn/shape/broadcast.h"

namespace webnn::inline v0_1::ops {

template <FixedString Name> struct Binary {
  MLOperand a, b;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare(Name.view(), operand<&Binary::a>("a", allow(types::any)),
              operand<&Binary::b>("b", type_of("a")), result("output", type_of("a")));
  static constexpr Traits traits{.element_wise = true};
};

inline Result<Shapes> infer_binary(const MLOperand& a, const MLOperand& b) {
  if (auto out = shape::broadcast(shape::sizes(a.shape()), shape::sizes(b.shape()))) return *out;
  return detail::fail("the shapes of a ({}) and b ({}) do not broadcast", a.shape(), b.shape());
}
template <FixedString N> Result<Shapes> infer(const Binary<N>& op) {
  return infer_binary(op.a, op.b);
}

using add = Binary<"add">;
using sub = Binary<"sub">;
using mul = Binary<"mul">;
using div = Binary<"div">;
using max = Binary<"max">;
using min = Binary<"min">;
using pow = Binary<"pow">;

struct BinarySection {
  using Operators = OpList<add, sub, mul, div, max, min, pow>;
  using Options = MLOperatorOptions;

  /// a and b have one data type, which may be any, and broadcast with each other; the result has
  /// that type. Throws TypeError if a and b have different data types, or their shapes do not
  /// broadcast.
  template <class Self, class Out, class... First> struct Methods {
    /// a + b; integers wrap.
    Out add(First... a, const MLOperand& b, Options o = {}) { return binary<ops::add>(a..., b, o); }
    /// a - b; integers wrap.
    Out sub(First... a, const MLOperand& b, Options o = {}) { return binary<ops::sub>(a..., b, o); }
    /// a * b; integers wrap.
    Out mul(First... a, const MLOperand& b, Options o = {}) { return binary<ops::mul>(a..., b, o); }
    /// a / b; integers truncate toward 0, and x / 0 is 0.
    Out div(First... a, const MLOperand& b, Options o = {}) { return binary<ops::div>(a..., b, o); }
    /// The larger of a and b; NaN if either is.
    Out max(First... a, const MLOperand& b, Options o = {}) { return binary<ops::max>(a..., b, o); }
    /// The smaller of a and b; NaN if either is.
    Out min(First... a, const MLOperand& b, Options o = {}) { return binary<ops::min>(a..., b, o); }
    /// a to the power of b; NaN for a negative float with a fraction as exponent.
    Out pow(First... a, const MLOperand& b, Options o = {}) { return binary<ops::pow>(a..., b, o); }

   private:
    template <class Op> Out binary(First... a, const MLOperand& b, Options& o) {
      return static_cast<Self&>(*this).template call<Op>(a..., b, std::move(o));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
