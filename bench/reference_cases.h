// What bench/reference measures: an example, or a few, of every operator.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "webnn/webnn.h"

namespace webnn::inline v0_1::bench {

using Operands = std::span<const MLOperand>;
using List = std::vector<MLOperand>;
using Build = std::function<List(MLGraphBuilder&, Operands)>;

struct Case {
  std::string name, shape;
  std::vector<MLOperandDescriptor> inputs;
  Build build;
};

std::vector<Case> reference_cases();

}  // namespace webnn::inline v0_1::bench
