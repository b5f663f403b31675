// Operands of data types that a format does not have. Private.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "webnn/graph.h"

namespace webnn::inline v0_1::formats {

/// What cannot be written because the format has no such type: inputs, and operators that read or
/// write one. `is_computed` says which operators are none, because they become constants.
template <class F>
std::vector<std::string> refusals_of_types(const Graph& graph, DataTypes absent,
                                           std::string_view format_name, F is_computed) {
  std::vector<std::string> all;
  const auto text_of = [&](MLOperandDataType type) {
    return ": " + std::string(format_name) + " has no tensors of " + std::string(name_of(type));
  };
  for (const auto& [name, x] : graph.inputs())
    if (absent.contains(x.dataType()))
      all.push_back("input " + escaped(name) + text_of(x.dataType()));
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    std::optional<MLOperandDataType> found;
    for (const MLOperand& y : node.outputs())
      if (absent.contains(y.dataType())) found = y.dataType();
    if (!found && is_computed(node)) continue;
    for (const MLOperand& x : node.inputs())
      if (!found && absent.contains(x.dataType())) found = x.dataType();
    if (found) all.push_back(name_and_label(node) + text_of(*found));
  }
  return all;
}

}  // namespace webnn::inline v0_1::formats
