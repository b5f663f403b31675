#include "src/kernels/reference/convolution.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::conv2d& op, const Node& node) {
  return convolution_kernel(op, node, slot<&MLConv2dOptions::bias>(op));
}

}  // namespace

Table<ops::Conv2dSection> kernels(ops::Conv2dSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
