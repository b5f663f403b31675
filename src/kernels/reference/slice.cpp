#include "src/kernels/reference/copy.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::slice& op, const Node& node) {
  auto strides = strides_of(op.input.shape());
  std::ptrdiff_t first = 0;
  for (std::size_t d = 0; d < op.starts.size(); ++d) {
    first += strides[d] * static_cast<std::ptrdiff_t>(op.starts[d]);
    // A stride beyond the dimension selects one element: nothing is multiplied that could overflow.
    if (op.options.strides && node.output().shape()[d] > 1) strides[d] *= (*op.options.strides)[d];
  }
  return strided_copy(node.output(), strides, first);
}

}  // namespace webnn::inline v0_1::reference
