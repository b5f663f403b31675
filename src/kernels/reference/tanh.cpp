#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::tanh& op, const Node&) {
  return elementwise(op, each([](auto v) { return std::tanh(v); }), 60);
}

}  // namespace webnn::inline v0_1::reference
