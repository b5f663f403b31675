// opSupportLimits: what each operator accepts, derived from the declarations and the backends.
#pragma once

#include "webnn/ops/sections.h"

namespace webnn::inline v0_1 {

struct MLTensorLimits {
  DataTypes dataTypes;
  ops::Ranks rankRange;
  bool operator==(const MLTensorLimits&) const = default;
};

/// By operator and row. https://www.w3.org/TR/webnn/#dictdef-mlopsupportlimits
class MLOpSupportLimits {
 public:
  struct Row {
    std::string_view name;
    MLTensorLimits limits;
  };
  struct Entry {
    std::string_view op;
    std::vector<Row> rows;
  };

  /// The layout in which images are processed; the other one costs transposes.
  MLInputOperandLayout preferredInputLayout = MLInputOperandLayout::nhwc;
  std::uint64_t maxTensorByteLength = max_tensor_byte_length;
  /// What inputs, constants and outputs of a graph may be.
  MLTensorLimits input{types::stored, {0, max_rank}};
  MLTensorLimits constant = input, output = input;

  /// limits("conv2d", "bias"), as the spec's dictionary conv2d.bias; null when there is none.
  const MLTensorLimits* find(std::string_view op, std::string_view row) const;
  /// Every operator, in the spec's order. Its sets of data types are empty when no backend of the
  /// context takes it.
  std::span<const Entry> entries() const { return entries_; }

 private:
  friend MLOpSupportLimits support_limits(std::span<const DataTypes>, Rules);
  std::vector<Entry> entries_;
};

/// The limits of the declarations under the rules. With `supported`, which has data types for the
/// first operand of each operator of ops::AllOps, the limits are reduced to these.
MLOpSupportLimits support_limits(std::span<const DataTypes> supported = {},
                                 Rules rules = Rules::specification);

}  // namespace webnn::inline v0_1
