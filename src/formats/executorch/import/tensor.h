// What a program says of a tensor, checked. Private.
#pragma once

#include "src/formats/executorch/import/importer.h"

namespace webnn::inline v0_1::executorch {

struct TensorInfo {
  MLOperandDescriptor descriptor{};  ///< in the order of its elements in memory
  /// Which of the tensor's sizes each dimension of the descriptor is, outermost first.
  Dims order{};
  std::vector<bool> fixed{};  ///< whether a dimension is not open up to a bound
  std::string_view name{};
  bool is_static = true;
  bool is_bool = false;  ///< uint8 with 0 and 1

  Dims sizes() const;           ///< the descriptor's shape in the order of the tensor's sizes
  Dims order_of_sizes() const;  ///< the inverse of `order`
};

/// `subject` names the tensor in messages, "value 7"; raises.
TensorInfo read_tensor_info(const Import&, const pte::Tensor&, const std::string& subject);

}  // namespace webnn::inline v0_1::executorch
