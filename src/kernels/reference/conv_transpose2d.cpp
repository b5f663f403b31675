#include "src/kernels/reference/convolution.h"

namespace webnn::reference {

Candidate make(const ops::convTranspose2d& op, const Node& node) {
  return convolution_kernel(op, node, slot<&MLConvTranspose2dOptions::bias>(op));
}

}  // namespace webnn::reference
