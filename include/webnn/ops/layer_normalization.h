// layerNormalization: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-layernorm
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1 {

struct MLLayerNormalizationOptions {
  std::optional<MLOperand> scale{};  ///< the sizes of axes, in their order; 1 when absent
  std::optional<MLOperand> bias{};   ///< the sizes of axes, in their order; 0 when absent
  OptionalList<std::uint32_t> axes = std::nullopt;  ///< all but the first when absent, in any order
  double epsilon = 1e-5;                            ///< converted to the data type of input
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct layerNormalization {
  MLOperand input;
  MLLayerNormalizationOptions options{};

  static constexpr auto declaration = declare(
      "layerNormalization", operand<&layerNormalization::input>("input", allow(types::floats)),
      operand<&MLLayerNormalizationOptions::scale>("scale", type_of("input")),
      operand<&MLLayerNormalizationOptions::bias>("bias", type_of("input")),
      attribute<&MLLayerNormalizationOptions::axes>("axes"),
      attribute<&MLLayerNormalizationOptions::epsilon>("epsilon"),
      result("output", same_as("input")));
};

/// The axes given, or the default: all but the first.
inline Dims axes_of(const layerNormalization& op) {
  if (op.options.axes) return *op.options.axes;
  Dims axes;
  for (std::uint32_t d = 1; d < op.input.rank(); ++d) axes.push_back(d);
  return axes;
}

inline Result<Shapes> infer(const layerNormalization& op) {
  if (op.options.epsilon < 0) return detail::fail("epsilon ({}) is negative", op.options.epsilon);
  const auto& [scale, bias, given, epsilon, label] = op.options;
  const Dims axes = axes_of(op);
  if (auto bad = shape::check_axes(axes, op.input)) return *bad;
  for (const auto& [name, x] : {std::pair("scale", &scale), std::pair("bias", &bias)})
    if (*x && (*x)->rank() != axes.size())
      return detail::fail("the rank ({}) of {} is not the number ({}) of axes", (*x)->rank(), name,
                          axes.size());
  Sizes normalized;
  for (std::uint32_t axis : axes) normalized.push_back(op.input.shape()[axis]);
  if (auto bad = shape::check_shape("scale", scale, normalized)) return *bad;
  if (auto bad = shape::check_shape("bias", bias, normalized)) return *bad;
  return op.input.shape();
}

struct LayerNormalizationSection {
  using Operators = OpList<layerNormalization>;

  template <class Self, class Out, class... First> struct Methods {
    /// scale * (x - mean) / sqrt(variance + epsilon) + bias, where mean and (population) variance
    /// are taken over axes; with no axes the result is bias, or 0. input, scale and bias are
    /// float32, float16 or bfloat16, the shape of scale and bias is that of input at axes, in the
    /// order given. Throws TypeError if an axis occurs twice or is not below the rank, scale or
    /// bias has another shape, or epsilon is negative or not finite.
    Out layerNormalization(First... input, MLLayerNormalizationOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::layerNormalization>(input...,
                                                                              std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
