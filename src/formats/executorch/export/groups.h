// Operators that become one node: with the clamp that follows, and with the dequantizeLinear before
// and the quantizeLinear behind. Private.
#pragma once

#include <map>

#include "src/formats/executorch/export/emitter.h"

namespace webnn::executorch::exporter {

struct Group {
  std::size_t op = 0;    ///< the operator itself
  std::size_t last = 0;  ///< the one whose result the group has
  Limits limits{};
  std::optional<Quantizer> quantizer{};  ///< of the result of a quantized group
};

struct Groups {
  std::map<std::size_t, Group> by_last{};
  std::vector<bool> absorbed{};  ///< by operator: part of a group, and not its last
};
Groups find_groups(const Graph& graph);

}  // namespace webnn::executorch::exporter
