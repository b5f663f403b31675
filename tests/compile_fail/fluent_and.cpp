// expect: deleted
#include "webnn/fluent.h"
webnn::MLOperand f(const webnn::MLOperand& x, const webnn::MLOperand& y) {
#ifdef FIXED
  return x & y;
#else
  return x && y ? x : y;
#endif
}
