#include "src/kernels/reference/copy.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::expand& op, const Node& node) {
  return strided_copy(node.output(), broadcast_strides(op.input.shape(), node.output().shape()));
}

}  // namespace webnn::inline v0_1::reference
