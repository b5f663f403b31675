#include "src/kernels/reference/recurrent.h"

namespace webnn::reference {

Table<ops::GruSection> kernels(ops::GruSection) {
  return table<ops::GruSection>(
      [](const auto& op, const Node&) { return gru_kernel(recurrent_of(op)); });
}

}  // namespace webnn::reference
