#include "src/kernels/reference/copy.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::reshape&, const Node& node) { return plain_copy(node.output()); }

}  // namespace webnn::inline v0_1::reference
