// expect: no match|invalid operands
#include "webnn/fluent.h"
webnn::MLOperand f(const webnn::MLOperand& x) {
#ifdef FIXED
  return x * 1;
#else
  return x * true;
#endif
}
