// The constants of a graph, by names that say what they are for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "webnn/graph.h"

namespace webnn::tool {

struct NamedConstant {
  std::string name;  ///< "stem.filter": the first operator that reads it, and as what; unique
  MLOperand operand;
};
/// In the order of use.
std::vector<NamedConstant> constants_of(const Graph& graph);

/// A .safetensors file of them.
std::vector<std::byte> write_weights(const MLGraph& graph);

}  // namespace webnn::tool
