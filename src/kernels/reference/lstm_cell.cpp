#include "src/kernels/reference/recurrent.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::lstmCell& op, const Node&) { return lstm_kernel(recurrent_of(op)); }

}  // namespace webnn::inline v0_1::reference
