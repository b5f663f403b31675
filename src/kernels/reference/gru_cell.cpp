#include "src/kernels/reference/recurrent.h"

namespace webnn::reference {

Table<ops::GruCellSection> kernels(ops::GruCellSection s) {
  return table(s, [](const auto& op, const Node&) { return gru_kernel(recurrent_of(op)); });
}

}  // namespace webnn::reference
