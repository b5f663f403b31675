// opSupportLimits: what each operator accepts, derived from the declarations.
#pragma once

#include "webnn/ops/sections.h"

namespace webnn {

struct MLTensorLimits {
  DataTypes dataTypes;
  ops::Ranks rankRange;
  bool operator==(const MLTensorLimits&) const = default;
};

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

  MLInputOperandLayout preferredInputLayout = MLInputOperandLayout::nchw;
  std::uint64_t maxTensorByteLength = max_tensor_byte_length;
  /// Of a graph's inputs, constants and outputs.
  MLTensorLimits input{types::stored, {0, max_rank}}, constant = input, output = input;

  /// limits("conv2d", "bias"), as the spec's dictionary conv2d.bias.
  const MLTensorLimits* find(std::string_view op, std::string_view row) const;
  std::span<const Entry> entries() const { return entries_; }

 private:
  friend MLOpSupportLimits support_limits();
  std::vector<Entry> entries_;
};

MLOpSupportLimits support_limits();

}  // namespace webnn
