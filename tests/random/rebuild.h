// Copies of graphs with something changed.
#pragma once

#include <functional>

#include "tests/random/compare.h"

namespace webnn::inline v0_1::test {

/// What is different in the copy. Without anything set it is an equal graph.
struct Edit {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::vector<std::size_t> outputs{};  ///< those that stay, by index; all when empty
  /// Results that become inputs with these values, by the id of the operand.
  std::map<std::uint32_t, Tensor> cut{};
  /// This operator is left out: what reads its result reads its operand of that index.
  std::size_t bypassed = none, bypass = 0;
  /// This operator without its optional operand or with the default of its attribute, counted
  /// among those of the operator.
  std::size_t simplified = none, row = 0;
  /// Every dimension of that size, and every such number in attributes that are shapes.
  std::uint32_t from = 0, to = 0;
  /// Other values for an input or a constant: by the id of the operand.
  std::map<std::uint32_t, Tensor> values{};
};

/// Nothing if a builder refuses the copy.
std::optional<Case> rebuilt(Comparison& comparison, const Case& c, const Edit& edit);

/// The values of an input or a constant.
Tensor values_of(const Case& c, const MLOperand& x);

}  // namespace webnn::inline v0_1::test
