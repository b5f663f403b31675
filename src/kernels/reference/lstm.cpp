#include "src/kernels/reference/recurrent.h"

namespace webnn::reference {

Table<ops::LstmSection> kernels(ops::LstmSection) {
  return table<ops::LstmSection>(
      [](const auto& op, const Node&) { return lstm_kernel(recurrent_of(op)); });
}

}  // namespace webnn::reference
