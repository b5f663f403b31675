// Operators of a program outside of delegates, as far as they only move elements. Private.
#pragma once

#include "src/formats/executorch/import/tensor.h"

namespace webnn::inline v0_1::executorch {

/// Whether moved() makes the result of an operator of this name, "aten::view_copy.out".
bool is_supported(std::string_view name);

struct OperatorCall {
  std::string name{};
  std::span<const std::int32_t> args{};  ///< values: the operand, options, the result at the end
  const pte::ExecutionPlan& plan;
};

/// The result of an operator. Operand and result have the order of their elements in memory.
/// Raises.
MLOperand moved(Import&, const OperatorCall&, const MLOperand& x, const TensorInfo& from,
                const TensorInfo& to);

}  // namespace webnn::inline v0_1::executorch
