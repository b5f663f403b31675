// Element-wise comparisons and logical operations:
// https://www.w3.org/TR/webnn/#api-mlgraphbuilder-logical
#pragma once

#include "webnn/ops/binary.h"

namespace webnn::inline v0_1::ops {

template <FixedString Name, DataTypes Allowed> struct Logical {
  MLOperand a, b;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare(Name.view(), operand<&Logical::a>("a", allow(Allowed)),
              operand<&Logical::b>("b", type_of("a")), result("output", allow(types::bytes)));
  static constexpr Traits traits{.element_wise = true};
};
template <FixedString N, DataTypes A> Result<Shapes> infer(const Logical<N, A>& op) {
  return infer_binary(op.a, op.b);
}

template <FixedString Name, DataTypes Allowed> struct LogicalUnary {
  MLOperand a;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare(Name.view(), operand<&LogicalUnary::a>("a", allow(Allowed)),
              result("output", allow(types::bytes).rank_of("a")));
  static constexpr Traits traits{.element_wise = true};
};
template <FixedString N, DataTypes A> Result<Shapes> infer(const LogicalUnary<N, A>& op) {
  return op.a.shape();
}

using equal = Logical<"equal", types::any>;
using notEqual = Logical<"notEqual", types::any>;
using greater = Logical<"greater", types::any>;
using greaterOrEqual = Logical<"greaterOrEqual", types::any>;
using lesser = Logical<"lesser", types::any>;
using lesserOrEqual = Logical<"lesserOrEqual", types::any>;
using logicalAnd = Logical<"logicalAnd", types::bytes>;
using logicalOr = Logical<"logicalOr", types::bytes>;
using logicalXor = Logical<"logicalXor", types::bytes>;
using logicalNot = LogicalUnary<"logicalNot", types::bytes>;
// differs from spec: the text's table allows any data type, its steps only these.
using isNaN = LogicalUnary<"isNaN", types::floats>;
using isInfinite = LogicalUnary<"isInfinite", types::floats>;

struct LogicalSection {
  using Operators = OpList<equal, notEqual, greater, greaterOrEqual, lesser, lesserOrEqual,
                           logicalAnd, logicalOr, logicalXor, logicalNot, isNaN, isInfinite>;
  using Options = MLOperatorOptions;

  /// The result is uint8, 1 for true and 0 for false; its shape is that of a, or the shape to which
  /// a and b broadcast. Throws TypeError if an operand has another data type, a and b have
  /// different data types, or their shapes do not broadcast.
  template <class Self, class Out, class... First> struct Methods {
    /// a == b, of one data type, which may be any; NaN is equal to nothing, -0 to +0.
    Out equal(First... a, const MLOperand& b, Options o = {}) {
      return logical<ops::equal>(a..., b, o);
    }
    /// a != b, of one data type, which may be any; NaN differs from everything.
    Out notEqual(First... a, const MLOperand& b, Options o = {}) {
      return logical<ops::notEqual>(a..., b, o);
    }
    /// a > b, of one data type, which may be any; false where either is NaN.
    Out greater(First... a, const MLOperand& b, Options o = {}) {
      return logical<ops::greater>(a..., b, o);
    }
    /// a >= b, of one data type, which may be any; false where either is NaN.
    Out greaterOrEqual(First... a, const MLOperand& b, Options o = {}) {
      return logical<ops::greaterOrEqual>(a..., b, o);
    }
    /// a < b, of one data type, which may be any; false where either is NaN.
    Out lesser(First... a, const MLOperand& b, Options o = {}) {
      return logical<ops::lesser>(a..., b, o);
    }
    /// a <= b, of one data type, which may be any; false where either is NaN.
    Out lesserOrEqual(First... a, const MLOperand& b, Options o = {}) {
      return logical<ops::lesserOrEqual>(a..., b, o);
    }
    /// a && b of uint8, where all but 0 is true.
    Out logicalAnd(First... a, const MLOperand& b, Options o = {}) {
      return logical<ops::logicalAnd>(a..., b, o);
    }
    /// a || b of uint8, where all but 0 is true.
    Out logicalOr(First... a, const MLOperand& b, Options o = {}) {
      return logical<ops::logicalOr>(a..., b, o);
    }
    /// a != b of uint8, after all but 0 has become true.
    Out logicalXor(First... a, const MLOperand& b, Options o = {}) {
      return logical<ops::logicalXor>(a..., b, o);
    }
    /// !a of uint8, where all but 0 is true.
    Out logicalNot(First... a, Options o = {}) { return test<ops::logicalNot>(a..., o); }
    /// Whether a, float32, float16 or bfloat16, is NaN.
    Out isNaN(First... a, Options o = {}) { return test<ops::isNaN>(a..., o); }
    /// Whether a, float32, float16 or bfloat16, is infinite, of either sign.
    Out isInfinite(First... a, Options o = {}) { return test<ops::isInfinite>(a..., o); }

   private:
    template <class Op> Out logical(First... a, const MLOperand& b, Options& o) {
      return static_cast<Self&>(*this).template call<Op>(a..., b, std::move(o));
    }
    template <class Op> Out test(First... a, Options& o) {
      return static_cast<Self&>(*this).template call<Op>(a..., std::move(o));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
