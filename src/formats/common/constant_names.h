// The constants of a graph, by names that say what they are for. Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "webnn/graph.h"

namespace webnn::inline v0_1::formats {

struct NamedConstant {
  std::string name;  ///< "stem.filter": the first operator that reads it, and as what; unique
  MLOperand operand;
};
/// In the order of use. Names are UTF-8. `name_of` names an operator that has no label, else it is
/// its name and index: "conv2d_3".
using NameOf = std::function<std::string(const Node& node)>;
[[gnu::visibility("hidden")]] std::vector<NamedConstant> constants_of(const Graph& graph,
                                                                      const NameOf& name_of = {});

[[gnu::visibility("hidden")]] bool is_utf8(std::string_view text);

}  // namespace webnn::inline v0_1::formats
