// Graphs with open dimensions whose nodes in ONNX take more sizes than WebNN's operators, or follow
// from sizes: what is exported computes the same, and refuses what the graph refuses.
#pragma once

#include "tests/formats/onnx/open.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::onnx::test {

using OpenInputs = std::map<std::string, Tensor>;

struct OpenExport {
  std::string name{};
  std::function<NamedOperands(MLGraphBuilder)> build{};
  std::vector<OpenInputs> taken{}, refused{};  ///< inputs at sizes
};

std::vector<OpenExport> open_exports();

}  // namespace webnn::inline v0_1::onnx::test
