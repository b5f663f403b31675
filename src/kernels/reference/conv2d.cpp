#include "src/kernels/reference/convolution.h"

namespace webnn::reference {

Candidate make(const ops::conv2d& op, const Node& node) {
  return convolution_kernel(op, node, slot<&MLConv2dOptions::bias>(op));
}

}  // namespace webnn::reference
