// What an MLGraphBuilder stands for.
#pragma once

#include <mutex>
#include <unordered_set>

#include "src/graph/graph_data.h"
#include "webnn/context.h"

namespace webnn {

/// What a builder's handle and its operands share.
struct BuilderState {
  MLContext context;
  /// Guards what follows. Recursive: an importer holds it while it calls the builder's methods.
  mutable std::recursive_mutex mutex{};
  GraphData data{};
  std::unordered_set<std::string> input_names{};  // those that input() must not accept again
  std::vector<std::pair<MLOperand, MLTensor>> tensors{};   // constants that are tensors
  std::vector<std::pair<MLOperand, MLOperand>> updates{};  // input and result: webnn/state.h
  bool built = false;
  bool reusable = false;  // build() does not end it: webnn/draft2023.h
  Rules rules = Rules::specification;
};

}  // namespace webnn
