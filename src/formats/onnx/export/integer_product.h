// Products whose left operand is quantized by its own range in each run and whose right operand has
// constant integers: MatMulInteger and ConvInteger, whose sums become floats. Private.
#pragma once

#include "src/formats/onnx/export/lower.h"

namespace webnn::inline v0_1::onnx::exporter {

struct IntegerProduct {
  Value x{}, x_scale{}, x_zero{};  ///< the integers, and scalars; none: a scale of 1
  Value w{}, w_scale{};            ///< one scale, or one for each channel of the result; none: 1
  Value w_zero{};                  ///< one for all; none: zeros
  std::uint32_t channels = 0;
};
/// What ONNX's operators multiply for real operands x and w of 8 bits; nothing where one is not
/// dequantized from such integers, scale and zero point of x are constant, which QuantizeLinear is
/// for, or sums may exceed 32 bits. `axis`: that of w with the channels of the result.
std::optional<IntegerProduct> integer_product(LoweringContext& s, const MLOperand& x,
                                              const MLOperand& w, std::uint32_t axis);
/// The node with these operands, Cast, and Mul with the scales. `scales`: the shape of one for each
/// channel, as the result broadcasts it.
Value product_of_integers(Emitter& e, std::string_view node, const IntegerProduct& p, Value x,
                          Value w, const Dims& shape, const Dims& scales, Attributes attributes);

}  // namespace webnn::inline v0_1::onnx::exporter
