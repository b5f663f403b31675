// What an MLGraphBuilder stands for.
#pragma once

#include "src/graph/graph_data.h"
#include "webnn/context.h"

namespace webnn {

/// What a builder's handle and its operands share.
struct BuilderState {
  MLContext context;
  GraphData data{};
  std::vector<std::pair<MLOperand, MLTensor>> tensors{};  // constants that are tensors
  bool built = false;
  bool many = false;  // builds any number of graphs: webnn/draft2023.h
  Rules rules = Rules::specification;
};

}  // namespace webnn
