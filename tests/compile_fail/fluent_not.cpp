// expect: deleted
#include "webnn/fluent.h"
int f(const webnn::MLOperand& x) {
#ifdef FIXED
  const webnn::MLOperand y = !x;
  return y ? 1 : 0;
#else
  if (!x) return 1;
  return 0;
#endif
}
