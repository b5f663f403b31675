// Reading and writing tensors that grow.
#pragma once

#include "src/runtime/context_state.h"
#include "src/runtime/tensor.h"

namespace webnn::inline v0_1 {

/// The rows that are there, contiguous. On the timeline.
Constant gathered(const TensorState& state, std::uint32_t rows);
/// Queues the rows that the tensor has now. The values have its byte length.
void write_growing(std::shared_ptr<ContextState> context, Use<TensorState> state,
                   std::span<const std::byte> values);
/// Waits for the rows that the tensor has now, with ContextState::states held by `lock`.
void read_growing(const std::shared_ptr<ContextState>& context, Use<TensorState> state,
                  std::span<std::byte> values, std::unique_lock<std::recursive_mutex> lock);

/// Held while the size of a tensor that grows is used.
std::unique_lock<std::recursive_mutex> lock_of(const TensorState& state, ContextState& context);

}  // namespace webnn::inline v0_1
