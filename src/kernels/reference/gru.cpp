#include "src/kernels/reference/recurrent.h"

namespace webnn::reference {

Table<ops::GruSection> kernels(ops::GruSection s) {
  return table(s, [](const auto& op, const Node&) { return gru_kernel(recurrent_of(op)); });
}

}  // namespace webnn::reference
