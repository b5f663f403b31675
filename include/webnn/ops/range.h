// range: https://github.com/webmachinelearning/webnn/pull/945
// The proposal leaves open what a delta of 0 means: it is refused.
#pragma once

#include "webnn/shape/values.h"

namespace webnn::inline v0_1::ops {

struct range {
  MLOperand start;
  MLOperand limit;
  MLOperand delta;
  MLOperatorOptions options{};

  static constexpr auto declaration = declare(
      "range", operand<&range::start>("start", allow(types::ranges, {0, 0})),
      operand<&range::limit>("limit", same_as("start")),
      operand<&range::delta>("delta", same_as("start")), result("output", type_of("start")));
};

inline Result<Shapes> infer(const range& op) {
  const auto count = shape::range_count(op.start, op.limit, op.delta);
  if (!count) return count.failure();
  return Sizes{*count};
}

struct RangeSection {
  using Operators = OpList<range>;

  template <class Self, class Out, class... First> struct Methods {
    /// The numbers start, start + delta, ... before limit: ceil((limit - start) / delta) of them.
    /// Three scalars of one data type, float32 or an integer of 32 or 64 bits, which follow from
    /// shapes and constants alone. Throws TypeError if delta is 0, or if there is no number in the
    /// range.
    Out range(First... start, const MLOperand& limit, const MLOperand& delta,
              MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::range>(start..., limit, delta,
                                                                 std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
