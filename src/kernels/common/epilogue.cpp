#include "src/kernels/common/epilogue.h"

namespace webnn::inline v0_1 {

std::string Epilogue::text() const {
  std::string s = residual >= 0 ? "+residual" : "";
  if (activation != Activation::none) s.append("+").append(name_of(activation));
  return s;
}

}  // namespace webnn::inline v0_1
