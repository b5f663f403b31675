#include "src/kernels/reference/recurrent.h"

namespace webnn::reference {

Table<ops::LstmCellSection> kernels(ops::LstmCellSection) {
  return table<ops::LstmCellSection>(
      [](const auto& op, const Node&) { return lstm_kernel(recurrent_of(op)); });
}

}  // namespace webnn::reference
