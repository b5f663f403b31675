#include "src/kernels/reference/convolution.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::convTranspose2d& op, const Node& node) {
  return convolution_kernel(op, node, slot<&MLConvTranspose2dOptions::bias>(op));
}

}  // namespace

Table<ops::ConvTranspose2dSection> kernels(ops::ConvTranspose2dSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
