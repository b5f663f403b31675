#include "src/kernels/reference/recurrent.h"

namespace webnn::reference {

Candidate make(const ops::gru& op, const Node&) { return gru_kernel(recurrent_of(op)); }

}  // namespace webnn::reference
