// MLTensor: memory of a context, read and written in the order of its timeline.
#pragma once

#include <memory>

#include "webnn/operand.h"

namespace webnn::inline v0_1 {

/// Data type, shape and use of a tensor. https://www.w3.org/TR/webnn/#dictdef-mltensordescriptor
struct MLTensorDescriptor {
  MLOperandDataType dataType = MLOperandDataType::float32;  ///< the type of the elements
  Dims shape{};           ///< the sizes of the dimensions; empty for a scalar
  bool readable = false;  ///< readTensor() may read it
  bool writable = false;  ///< writeTensor() may write it
};

struct TensorState;  // private: src/runtime/tensor.h

/// Memory of a context. https://www.w3.org/TR/webnn/#mltensor A handle: copies name the same
/// tensor, whose memory is freed with the last of them or by destroy(), once queued work is done.
/// Any thread may use it.
class MLTensor {
 public:
  MLTensor() = default;

  MLOperandDataType dataType() const;
  const Dims& shape() const;
  bool readable() const;
  bool writable() const;
  bool constant() const;
  bool destroyed() const;  ///< by destroy() or with its context
  /// Idempotent. Frees the memory: at once, or when the work that is queued for it has ended.
  void destroy();

  explicit operator bool() const { return state_ != nullptr; }

 private:
  friend struct detail::Access;
  explicit MLTensor(std::shared_ptr<TensorState> state) : state_(std::move(state)) {}

  std::shared_ptr<TensorState> state_;
};

}  // namespace webnn::inline v0_1
