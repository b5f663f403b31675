#include "src/kernels/reference/convolution.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::conv2d& op, const Node& node) {
  return convolution_kernel(op, node, slot<&MLConv2dOptions::bias>(op));
}

}  // namespace webnn::inline v0_1::reference
