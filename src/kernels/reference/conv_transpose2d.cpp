#include "src/kernels/reference/convolution.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::convTranspose2d& op, const Node& node) {
  return convolution_kernel(op, node, slot<&MLConvTranspose2dOptions::bias>(op));
}

}  // namespace webnn::inline v0_1::reference
