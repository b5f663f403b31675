// Quantizations in a graph that is exported. Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include <optional>
#include <vector>

#include "webnn/graph.h"

namespace webnn::inline v0_1::formats {

/// The quantization of a tensor: one scale and zero point, or one of each for every index of axis.
struct Quantizer {
  std::vector<float> scale{};
  std::vector<std::int64_t> zero_point{};
  std::int32_t axis = 0;

  bool per_tensor() const { return scale.size() == 1; }
  bool operator==(const Quantizer&) const = default;
};

/// The quantization that scale and zeroPoint stand for, if they are constants, one of each or one
/// for every index of one dimension of x.
[[gnu::visibility("hidden")]] std::optional<Quantizer> quantizer_of(const MLOperand& x,
                                                                    const MLOperand& scale,
                                                                    const MLOperand& zero_point);
/// The dequantizeLinear that x is the result of, if it has such a quantization.
[[gnu::visibility("hidden")]] const ops::dequantizeLinear* dequantized(const Graph& graph,
                                                                       const MLOperand& x);
/// The elements of a constant of float32, of 8-bit or of 32-bit integers; none of another type.
[[gnu::visibility("hidden")]] std::vector<double> elements_of(const MLOperand& constant);

/// By operand: the quantization of 8-bit elements. It is that of the dequantizeLinear or
/// quantizeLinear at one end of a sequence of operators that only move elements.
[[gnu::visibility("hidden")]] std::vector<std::optional<Quantizer>> find_quantizers(
    const Graph& graph);

/// That of the bias of a product: the product of the scales.
[[gnu::visibility("hidden")]] Quantizer bias_quantizer(const Quantizer& input,
                                                       const Quantizer& filter);
/// A constant in units of that.
[[gnu::visibility("hidden")]] std::vector<std::int32_t> quantized_bias(const MLOperand& constant,
                                                                       const Quantizer& q);

/// Whether there is a quantizeLinear.
[[gnu::visibility("hidden")]] bool quantizes(const Graph& graph);

}  // namespace webnn::inline v0_1::formats
