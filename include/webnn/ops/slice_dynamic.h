// sliceDynamic: https://github.com/webmachinelearning/webnn/pull/945
#pragma once

#include "webnn/ops/slice.h"
#include "webnn/shape/values.h"

namespace webnn::inline v0_1::ops {

struct sliceDynamic {
  MLOperand input;
  MLOperand starts;
  MLOperand sizes;
  MLSliceOptions options{};

  static constexpr auto declaration =
      declare("sliceDynamic", operand<&sliceDynamic::input>("input", allow(types::any)),
              operand<&sliceDynamic::starts>("starts", allow(types::sizes, {1, 1})),
              operand<&sliceDynamic::sizes>("sizes", type_of("starts", {1, 1})),
              attribute<&MLSliceOptions::strides>("strides"), result("output", same_as("input")));
};

inline Result<Shapes> infer(const sliceDynamic& op) {
  const auto starts = shape::values(op.starts, "starts");
  if (!starts) return starts.failure();
  const auto sizes = shape::values(op.sizes, "sizes");
  if (!sizes) return sizes.failure();
  return infer(slice{op.input, *starts, *sizes, op.options});
}

struct SliceDynamicSection {
  using Operators = OpList<sliceDynamic>;

  template <class Self, class Out, class... First> struct Methods {
    /// The window of input, of any data type, that begins at starts and extends over sizes, as
    /// slice. starts and sizes are integers of 32 or 64 bits, one for each dimension, that follow
    /// from shapes and constants alone. Throws TypeError, or a run throws it, if they follow from
    /// the values of an input, or as slice does.
    Out sliceDynamic(First... input, const MLOperand& starts, const MLOperand& sizes,
                     MLSliceOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::sliceDynamic>(input..., starts, sizes,
                                                                        std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
