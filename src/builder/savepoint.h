// Restores a builder when adding a part of a graph fails midway.
#pragma once

#include "src/builder/builder_state.h"

namespace webnn::inline v0_1 {

/// Its destructor removes what was added since it was made, unless keep() was called. Operands made
/// since then must be destroyed before it. While it lives, other threads that use the builder wait.
class Savepoint {
 public:
  explicit Savepoint(BuilderState& state)
      : lock_(state.mutex),
        state_(state),
        operands_(state.data.operands.size()),
        nodes_(state.data.nodes.size()),
        inputs_(state.data.inputs.size()),
        dimensions_(state.data.dimensions.size()),
        tensors_(state.tensors.size()),
        updates_(state.updates.size()) {}
  Savepoint(const Savepoint&) = delete;
  ~Savepoint() {
    if (kept_) return;
    GraphData& data = state_.data;
    while (state_.tensors.size() > tensors_) state_.tensors.pop_back();
    while (state_.updates.size() > updates_) state_.updates.pop_back();
    for (; data.inputs.size() > inputs_; data.inputs.pop_back())
      state_.input_names.erase(data.inputs.back().name);
    while (data.nodes.size() > nodes_) data.nodes.pop_back();
    state_.values.forget(operands_);
    while (data.operands.size() > operands_) data.operands.pop_back();
    data.dimensions.resize(dimensions_);
    if (dimensions_ == 0) state_.trials.reset();
    else state_.trials->restart();
  }
  void keep() { kept_ = true; }

 private:
  const std::lock_guard<std::recursive_mutex> lock_;
  BuilderState& state_;
  std::size_t operands_, nodes_, inputs_, dimensions_, tensors_, updates_;
  bool kept_ = false;
};

}  // namespace webnn::inline v0_1
