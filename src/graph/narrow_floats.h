// Floats that operators compute in float32: they are rounded where they leave the graph, or where
// something is decided by them. Private.
#pragma once

#include "src/graph/op.h"

namespace webnn::inline v0_1 {

/// The types of an operator's operands and results that are computed in float32. In quantizeLinear
/// and dequantizeLinear float8e4m3 is what a number is quantized to.
constexpr DataTypes narrow_floats(std::size_t kind) {
  const bool quantizes =
      kind == kind_of<ops::quantizeLinear> || kind == kind_of<ops::dequantizeLinear>;
  return quantizes ? DataTypes{float16, bfloat16} : DataTypes{float16, bfloat16, float8e4m3};
}
constexpr bool is_narrow_float(MLOperandDataType type) { return is_float(type) && type != float32; }

}  // namespace webnn::inline v0_1
