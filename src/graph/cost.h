// What an operator has to compute and to move.
#pragma once

#include "webnn/graph.h"

namespace webnn::inline v0_1 {

struct Cost {
  double macs = 0;               ///< multiplications with accumulation, as they are usually counted
  double products = 0;           ///< those of them that are not with padding
  double operations = 0;         ///< two for each of these, one for each other element of a result
  double read = 0, written = 0;  ///< bytes of operands and results

  Cost& operator+=(const Cost& other);
};

Cost cost_of(const Node& node);
/// The cost of operators that run as one: what they hand to one another is neither read nor
/// written.
Cost cost_of(std::span<const Node> chain);
Cost cost_of(const Graph& graph);

}  // namespace webnn::inline v0_1
