// Which operators of a graph are quantized, and which tensors.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "webnn/quantize.h"

namespace webnn::inline v0_1 {

enum class Role {
  none,
  product,   // a product or convolution, for which the others are quantized
  follower,  // is quantized where its operands are
  mover      // works on integers with one scale for what goes in and out
};
Role role_of(const Node& node);

/// Operators that become one: a product or a sum with what follows it, or a single one.
struct Unit {
  std::size_t node = 0;
  std::vector<std::size_t> tail{};
  Role role = Role::none;

  std::size_t last() const { return tail.empty() ? node : tail.back(); }
};

struct Selection {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::vector<Unit> units{};           ///< in the order of the graph
  std::vector<std::size_t> unit_at{};  ///< by node; none for one that stays
  std::vector<bool> quantized{};       ///< by operand: between quantizeLinear and dequantizeLinear
  std::vector<bool> made_by_integers{};   ///< by operand: what a unit makes
  std::vector<std::uint32_t> scale_as{};  ///< by operand: that with the scale of all that share it
};

/// Of a graph of operators of WebNN. Nodes in `kept` stay. A selection with more of them has no
/// tensor that is quantized only there.
Selection select(const Graph& graph, const QuantizationOptions& options,
                 const std::set<std::size_t>& kept);

/// Whether an operand is a constant of floats.
bool is_float_constant(const MLOperand& x);
/// "conv2d 3", or its label.
std::string name_in_report(const Graph& graph, std::size_t node);

}  // namespace webnn::inline v0_1
