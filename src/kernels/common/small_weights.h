// Constants of 4, 8 or 16 bits that become floats: dequantizeLinear, or a cast of narrow floats.
#pragma once

#include <array>
#include <optional>

#include "webnn/backend.h"
#include "webnn/float16.h"

namespace webnn::inline v0_1 {

/// Element i of a constant of 4 or 8 bits; 4 bits are two elements a byte, the first in the lower
/// half.
std::int32_t integer_at(MLOperandDataType type, const std::byte* bytes, std::size_t i);

/// Real value = scale * (integer - zero), which scales of float16 round to float16; or scale *
/// float8e4m3; or the value of a narrow float.
struct SmallWeights {
  MLOperandDataType type{};  ///< int4, uint4, int8, uint8, float16, bfloat16 or float8e4m3
  Dims shape{};
  std::span<const std::byte> bytes{};
  Dims scale_shape{};  ///< of the same rank; each element counts for a block of the shape
  std::span<const float> float_scales{};
  std::span<const Float16> float16_scales{};  ///< one of both has elements
  std::span<const std::byte> zero{};          ///< of the same type as the weights

  bool scaled() const { return !scale_shape.empty(); }
  bool has_integers() const { return !is_float(type); }
  std::int32_t integer(std::size_t i) const { return integer_at(type, bytes.data(), i); }
  float scale(std::size_t i) const {
    return float16_scales.empty() ? float_scales[i] : static_cast<float>(float16_scales[i]);
  }
  std::int32_t zero_at(std::size_t i) const { return integer_at(type, zero.data(), i); }
};

/// The cast that the node is, if its result is float32; else null.
const ops::cast* casts_to_float32(const Node& node);
/// Whether the node makes floats of a constant of these types: float32 of narrow floats, or with
/// constant scales of that type; or float16 of integers, which a cast is to make float32.
bool expands_small_weights(const Node& node);
/// Whether the results of such a node are float16.
inline bool makes_float16(const Node& node) { return node.output().dataType() == float16; }
/// How many operators at the front of a chain, others behind them, make float32 of small weights.
std::size_t expanding_operators(Chain chain);
/// The operator that makes floats of the small weights that x is in float32, if it is: it makes x,
/// or what a cast makes x of.
std::optional<Node> expanding_operator(const Graph& graph, const MLOperand& x);
/// The weights of such a node.
SmallWeights small_weights_of(const Node& node);
/// The same without their values: types and shapes.
SmallWeights small_weights_form(const Node& node);
/// The operand that a product, a convolution without groups or a gather reads such weights as; null
/// for other operators, and for what is too small to matter.
const MLOperand* small_weights_operand(const Node& node);
/// The dimensions of such an operand, or of the filter of convTranspose2d, along which terms are
/// summed, and along which columns of the result, or rows of a table, are counted. Of a filter, k
/// are the input channels.
struct WeightAxes {
  std::size_t k, column;
  std::optional<std::array<std::size_t, 2>> window{};  ///< height and width of a filter
};
WeightAxes weight_axes(const Node& node);
/// The number of operands of the node that makes floats of them.
inline int small_weights_inputs(const Node& node) { return node.as<ops::cast>() ? 1 : 3; }

}  // namespace webnn::inline v0_1
