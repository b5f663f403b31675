#include "src/kernels/reference/copy.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::transpose& op, const Node& node) {
  const auto from = strides_of(op.input.shape());
  const Dims permutation = ops::permutation_of(op);
  std::array<std::ptrdiff_t, max_rank> strides{};
  for (std::size_t d = 0; d < permutation.size(); ++d) strides[d] = from[permutation[d]];
  return strided_copy(node.output(), strides);
}

}  // namespace webnn::inline v0_1::reference
