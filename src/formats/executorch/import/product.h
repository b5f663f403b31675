// Inputs and filters of products and convolutions. Private.
#pragma once

#include "src/formats/executorch/import/node.h"

namespace webnn::inline v0_1::executorch {

/// Numbers, or for an input that is quantized in every run its integers and those of the filter:
/// XNNPACK multiplies integers and scales their sum.
struct Factors {
  MLOperand x, filter;
  std::optional<MLOperand> scale{};         ///< one for each row of x
  std::optional<MLOperand> filter_scale{};  ///< [channels]; none: the filter is dequantized
};
/// `rows`: how many scales the products can be scaled with, one after the other. With others the
/// factors are numbers.
Factors factors_of(const NodeCall& c, std::uint32_t x, std::uint32_t filter, std::uint64_t rows);

/// y * the scales + bias where there are scales; the first dimensions of y are those of the rows.
MLOperand rescaled(const NodeCall& c, const Factors& f, MLOperand y,
                   const std::optional<MLOperand>& bias);

}  // namespace webnn::inline v0_1::executorch
