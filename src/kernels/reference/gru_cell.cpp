#include "src/kernels/reference/recurrent.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::gruCell& op, const Node&) { return gru_kernel(recurrent_of(op)); }

}  // namespace webnn::inline v0_1::reference
