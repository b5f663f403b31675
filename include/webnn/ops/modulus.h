// Element-wise remainders, an extension: https://github.com/webmachinelearning/webnn/pull/945
// The proposal leaves open: integers that are divided by 0 (0, as in NumPy), the sign of a zero
// (the one that other results have), and the bits of a NaN (quiet, positive).
#pragma once

#include "webnn/ops/binary.h"

namespace webnn::inline v0_1::ops {

using modulusFloor = Binary<"modulusFloor">;
using modulusTruncate = Binary<"modulusTruncate">;

struct ModulusSection {
  using Operators = OpList<modulusFloor, modulusTruncate>;
  using Options = MLOperatorOptions;

  /// a and b have one data type, which may be any, and broadcast with each other; the result has
  /// that type. Throws TypeError if a and b have different data types, or their shapes do not
  /// broadcast.
  template <class Self, class Out, class... First> struct Methods {
    /// a - floor(a / b) * b, with the sign of b, as % of Python and NumPy. For floats it is
    /// modulusTruncate(a, b), plus b where the signs differ, rounded once; x % 0 of integers is 0.
    Out modulusFloor(First... a, const MLOperand& b, Options o = {}) {
      return modulus<ops::modulusFloor>(a..., b, o);
    }
    /// a - trunc(a / b) * b, with the sign of a, as fmod() and % of C. For floats it is exact: a
    /// where b is infinite, NaN where a is infinite or b is 0; x % 0 of integers is 0.
    Out modulusTruncate(First... a, const MLOperand& b, Options o = {}) {
      return modulus<ops::modulusTruncate>(a..., b, o);
    }

   private:
    template <class Op> Out modulus(First... a, const MLOperand& b, Options& o) {
      return static_cast<Self&>(*this).template call<Op>(a..., b, std::move(o));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
