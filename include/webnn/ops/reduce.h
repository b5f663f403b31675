// Reductions: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reduce
// The text leaves open: NaN in reduceMax and reduceMin (NaN), integers that overflow (they wrap).
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1 {

struct MLReduceOptions {
  OptionalList<std::uint32_t> axes = std::nullopt;  ///< all when absent, none when empty
  bool keepDimensions = false;                      ///< reduced dimensions remain, with size 1
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

template <FixedString Name, DataTypes Allowed> struct Reduce {
  MLOperand input;
  MLReduceOptions options{};

  static constexpr auto declaration =
      declare(Name.view(), operand<&Reduce::input>("input", allow(Allowed)),
              attribute<&MLReduceOptions::axes>("axes"),
              attribute<&MLReduceOptions::keepDimensions>("keepDimensions"),
              result("output", type_of("input")));
};

inline Result<Shapes> infer_reduce(const MLOperand& input, const MLReduceOptions& options) {
  if (!options.axes) return Sizes(options.keepDimensions ? input.rank() : 0, 1);
  if (auto bad = shape::check_axes(*options.axes, input)) return *bad;
  return shape::reduced(input.shape(), *options.axes, options.keepDimensions);
}
template <FixedString N, DataTypes A> Result<Shapes> infer(const Reduce<N, A>& op) {
  return infer_reduce(op.input, op.options);
}

using reduceL1 = Reduce<"reduceL1", types::sums>;
using reduceL2 = Reduce<"reduceL2", types::floats>;
using reduceLogSum = Reduce<"reduceLogSum", types::floats>;
using reduceLogSumExp = Reduce<"reduceLogSumExp", types::floats>;
using reduceMax = Reduce<"reduceMax", types::any>;
using reduceMean = Reduce<"reduceMean", types::floats>;
using reduceMin = Reduce<"reduceMin", types::any>;
using reduceProduct = Reduce<"reduceProduct", types::sums>;
using reduceSum = Reduce<"reduceSum", types::sums>;
using reduceSumSquare = Reduce<"reduceSumSquare", types::sums>;

struct ReduceSection {
  using Operators = OpList<reduceL1, reduceL2, reduceLogSum, reduceLogSumExp, reduceMax, reduceMean,
                           reduceMin, reduceProduct, reduceSum, reduceSumSquare>;
  using Options = MLReduceOptions;

  /// Reduces axes, all by default; without axes, each element is a set of its own. The result has
  /// the data type of input. Integers wrap. Throws TypeError if input has another data type, or an
  /// axis occurs twice or is not below the rank.
  template <class Self, class Out, class... First> struct Methods {
    /// The sum of absolute values; floats and integers of 32 or 64 bits.
    Out reduceL1(First... x, Options o = {}) { return reduce<ops::reduceL1>(x..., o); }
    /// The square root of the sum of squares; floats.
    Out reduceL2(First... x, Options o = {}) { return reduce<ops::reduceL2>(x..., o); }
    /// The natural logarithm of the sum; floats.
    Out reduceLogSum(First... x, Options o = {}) { return reduce<ops::reduceLogSum>(x..., o); }
    /// The natural logarithm of the sum of exponentials, which does not overflow; floats.
    Out reduceLogSumExp(First... x, Options o = {}) {
      return reduce<ops::reduceLogSumExp>(x..., o);
    }
    /// The largest element, NaN if one is; any data type.
    Out reduceMax(First... x, Options o = {}) { return reduce<ops::reduceMax>(x..., o); }
    /// The mean; floats.
    Out reduceMean(First... x, Options o = {}) { return reduce<ops::reduceMean>(x..., o); }
    /// The smallest element, NaN if one is; any data type.
    Out reduceMin(First... x, Options o = {}) { return reduce<ops::reduceMin>(x..., o); }
    /// The product; floats and integers of 32 or 64 bits.
    Out reduceProduct(First... x, Options o = {}) { return reduce<ops::reduceProduct>(x..., o); }
    /// The sum; floats and integers of 32 or 64 bits.
    Out reduceSum(First... x, Options o = {}) { return reduce<ops::reduceSum>(x..., o); }
    /// The sum of squares; floats and integers of 32 or 64 bits.
    Out reduceSumSquare(First... x, Options o = {}) {
      return reduce<ops::reduceSumSquare>(x..., o);
    }

   private:
    template <class Op> Out reduce(First... x, Options& o) {
      return static_cast<Self&>(*this).template call<Op>(x..., std::move(o));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
