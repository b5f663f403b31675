#include "src/kernels/reference/recurrent.h"

namespace webnn::reference {

Table<ops::LstmCellSection> kernels(ops::LstmCellSection s) {
  return table(s, [](const auto& op, const Node&) { return lstm_kernel(recurrent_of(op)); });
}

}  // namespace webnn::reference
