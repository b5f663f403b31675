// Reductions: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reduce
#pragma once

#include "webnn/shape/dims.h"

namespace webnn {

struct MLReduceOptions {
  OptionalList<std::uint32_t> axes = std::nullopt;  // all when absent, none when empty
  bool keepDimensions = false;
  std::string label{};
};

}  // namespace webnn

namespace webnn::ops {

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

static_assert(Operator<reduceL1> && Operator<reduceMax>);

struct ReduceSection {
  using Operators = OpList<reduceL1, reduceL2, reduceLogSum, reduceLogSumExp, reduceMax, reduceMean,
                           reduceMin, reduceProduct, reduceSum, reduceSumSquare>;
  using Options = MLReduceOptions;

  template <class Self, class Out, class... First> struct Methods {
    Out reduceL1(First... x, Options o = {}) { return reduce<ops::reduceL1>(x..., o); }
    Out reduceL2(First... x, Options o = {}) { return reduce<ops::reduceL2>(x..., o); }
    Out reduceLogSum(First... x, Options o = {}) { return reduce<ops::reduceLogSum>(x..., o); }
    Out reduceLogSumExp(First... x, Options o = {}) {
      return reduce<ops::reduceLogSumExp>(x..., o);
    }
    Out reduceMax(First... x, Options o = {}) { return reduce<ops::reduceMax>(x..., o); }
    Out reduceMean(First... x, Options o = {}) { return reduce<ops::reduceMean>(x..., o); }
    Out reduceMin(First... x, Options o = {}) { return reduce<ops::reduceMin>(x..., o); }
    Out reduceProduct(First... x, Options o = {}) { return reduce<ops::reduceProduct>(x..., o); }
    Out reduceSum(First... x, Options o = {}) { return reduce<ops::reduceSum>(x..., o); }
    Out reduceSumSquare(First... x, Options o = {}) {
      return reduce<ops::reduceSumSquare>(x..., o);
    }

   private:
    template <class Op> Out reduce(First... x, Options& o) {
      return static_cast<Self&>(*this).template call<Op>(x..., std::move(o));
    }
  };
};

}  // namespace webnn::ops
