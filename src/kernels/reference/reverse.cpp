#include "src/kernels/reference/copy.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::reverse& op, const Node& node) {
  const Dims& shape = op.input.shape();
  const auto& axes = op.options.axes;
  auto strides = strides_of(shape);
  std::ptrdiff_t first = 0;
  for (std::uint32_t d = 0; d < shape.size(); ++d) {
    if (axes && std::find(axes->begin(), axes->end(), d) == axes->end()) continue;
    first += (shape[d] - 1) * strides[d];
    strides[d] = -strides[d];
  }
  return strided_copy(node.output(), strides, first);
}

}  // namespace webnn::inline v0_1::reference
