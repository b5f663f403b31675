// Loops whose number of iterations follows from open dimensions, while a graph is built. Private.
#pragma once

#include "src/builder/builder_state.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1 {

/// The body is added to the builder once, with operands in place of the number of the iteration and
/// of the states. finish() makes an operator of all that follows from them; other operators are
/// those of the graph, and run once.
class LoopRecorder {
 public:
  /// The builder has an input with open dimensions. `trips`: an int64 scalar, `condition` a uint8
  /// one, both of which follow from shapes and constants.
  LoopRecorder(MLGraphBuilder& b, MLOperand trips, MLOperand condition);

  /// Begins to record, or begins anew and forgets the states.
  void begin();
  /// An int64 scalar, which follows from shapes.
  const MLOperand& iteration() const { return iteration_; }
  /// What stands for a state of the loop. Along the axes its size changes from iteration to
  /// iteration.
  MLOperand state(const MLOperand& initial, std::vector<std::uint32_t> axes = {});
  /// The states after the last iteration, and the sequences, along axis 0. `next` has a state for
  /// each, `sequences` elements with a first dimension of 1, `condition` is a uint8 scalar, if
  /// there is one. Throws TypeError where no sizes are found that are right.
  std::vector<MLOperand> finish(const std::vector<MLOperand>& next,
                                const std::vector<MLOperand>& sequences,
                                const std::optional<MLOperand>& condition, std::string label);

 private:
  MLGraphBuilder& b_;
  MLOperand trips_, condition_, middle_, iteration_{};
  std::vector<MLOperand> states_{}, initial_{};
};

/// Whether an operator is a part of the bodies of loops that were recorded, by its place in the
/// graph under construction: such as only finish() needs.
std::vector<bool> parts_of_loops(const GraphData& data);

/// Adds an operator that programs do not have to a builder with an open dimension.
std::vector<MLOperand> append_internal(MLGraphBuilder& b, Op op);

}  // namespace webnn::inline v0_1
