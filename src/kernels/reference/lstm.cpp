#include "src/kernels/reference/recurrent.h"

namespace webnn::reference {

Table<ops::LstmSection> kernels(ops::LstmSection s) {
  return table(s, [](const auto& op, const Node&) { return lstm_kernel(recurrent_of(op)); });
}

}  // namespace webnn::reference
