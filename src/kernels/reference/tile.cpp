#include "src/kernels/reference/copy.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::tile& op, const Node& node) {
  // Two dimensions for each: over the repetitions, which do not advance, and over the elements.
  const auto own = strides_of(op.input.shape());
  Dims shape;
  CopyStrides strides{};
  for (std::size_t d = 0; d < op.repetitions.size(); ++d) {
    shape.push_back(op.repetitions[d]);
    strides[shape.size()] = own[d];
    shape.push_back(op.input.shape()[d]);
  }
  return strided_copy(node.output(), CopyLoop(shape, {strides}));
}

}  // namespace webnn::inline v0_1::reference
