#include "tools/webnn/model/weights.h"

#include "src/formats/common/constant_names.h"

namespace webnn::inline v0_1::tool {

Weights weights_of(const Graph& graph) {
  Weights w;
  for (const formats::NamedConstant& c : formats::constants_of(graph)) {
    ++w.count;
    w.parameters += static_cast<double>(element_count(c.operand.shape()));
    w.bytes += static_cast<double>(byte_length(c.operand.descriptor()));
  }
  return w;
}

}  // namespace webnn::inline v0_1::tool
