// One graph for each kind of node and each way of quantization, with what it computes.
#pragma once

#include "tests/formats/executorch/run.h"

namespace webnn::inline v0_1::executorch::test {

struct Case {
  std::string name;
  GraphWriter graph;
  std::vector<Tensor> inputs;
  /// From the inputs, by plain loops in double.
  std::function<std::vector<Tensor>(const std::vector<Tensor>&)> expected;
  double tolerance = 1e-5;  ///< for an element, absolute; for quantized results one step is added
};

std::vector<Case> all_cases(Place place = Place::behind_header);

}  // namespace webnn::inline v0_1::executorch::test
