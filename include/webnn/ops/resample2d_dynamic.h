// resample2dDynamic: https://github.com/webmachinelearning/webnn/pull/945
#pragma once

#include "webnn/ops/resample2d.h"
#include "webnn/shape/values.h"

namespace webnn::inline v0_1 {

struct MLResample2dDynamicOptions {
  MLInterpolationMode mode =
      MLInterpolationMode::nearest_neighbor;  ///< how elements are interpolated
  std::vector<float> scales{1, 1};            ///< one for each of axes
  std::optional<MLOperand> sizes{};           ///< takes precedence over scales
  Dims axes{2, 3};                            ///< in any order
  std::string label{};                        ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct resample2dDynamic {
  MLOperand input;
  MLResample2dDynamicOptions options{};

  static constexpr auto declaration = declare(
      "resample2dDynamic",
      operand<&resample2dDynamic::input>("input", allow(types::resampled, {4, 4})),
      operand<&MLResample2dDynamicOptions::sizes>("sizes", allow(types::sizes, {1, 1})),
      attribute<&MLResample2dDynamicOptions::mode>("mode"),
      attribute<&MLResample2dDynamicOptions::scales>("scales"),
      attribute<&MLResample2dDynamicOptions::axes>("axes"), result("output", same_as("input")));
};

/// The operator with the values of `sizes`.
inline Result<resample2d> with_sizes(const resample2dDynamic& op) {
  const auto& [mode, scales, given, axes, label] = op.options;
  resample2d fixed{op.input, {.mode = mode, .scales = scales, .axes = axes, .label = label}};
  if (!given) return fixed;
  const auto sizes = shape::values(*given, "sizes");
  if (!sizes) return sizes.failure();
  fixed.options.sizes = *sizes;
  return fixed;
}

inline Result<Shapes> infer(const resample2dDynamic& op) {
  const auto fixed = with_sizes(op);
  if (!fixed) return fixed.failure();
  return infer(*fixed);
}

struct Resample2dDynamicSection {
  using Operators = OpList<resample2dDynamic>;

  template <class Self, class Out, class... First> struct Methods {
    /// input resized along two axes as by resample2d, to sizes or by scales. sizes are two integers
    /// of 32 or 64 bits that follow from shapes and constants alone. Rank 4; float32, float16,
    /// bfloat16, int8 or uint8. Throws TypeError, or a run throws it, if sizes follow from the
    /// values of an input, or as resample2d does.
    Out resample2dDynamic(First... input, MLResample2dDynamicOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::resample2dDynamic>(input...,
                                                                             std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
