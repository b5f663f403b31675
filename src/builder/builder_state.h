// What an MLGraphBuilder stands for.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <unordered_set>

#include "src/builder/trials.h"
#include "webnn/context.h"

namespace webnn::inline v0_1 {

/// A constant with the values of a tensor of the context.
struct TensorConstant {
  MLOperand operand;
  std::function<bool()> is_destroyed;  // the tensor
};

/// An input whose value after a run is a result: webnn/state.h.
struct DeclaredUpdate {
  MLOperand in{}, out{};
  std::optional<Constant> initial{};  ///< that of a state that the graph keeps
};

/// What a builder's handle and its operands share. Of the context, which the layer above defines,
/// it has what it needs.
struct BuilderState {
  MLContext context;
  const std::atomic<bool>* lost;  // the context
  Rules rules = Rules::specification;
  Evaluate evaluate = nullptr;  // the reference kernels, which the layer above knows
  /// Guards what follows. Recursive: an importer holds it while it calls the builder's methods.
  mutable std::recursive_mutex mutex{};
  GraphData data{};
  KnownValues values{data, evaluate};
  std::unique_ptr<Trials> trials{};               // when an input has open dimensions
  std::unordered_set<std::string> input_names{};  // those that input() must not accept again
  std::vector<TensorConstant> tensors{};
  std::vector<DeclaredUpdate> updates{};
  bool built = false;
  bool reusable = false;  // build() does not end it: webnn/draft2023.h
};

}  // namespace webnn::inline v0_1
