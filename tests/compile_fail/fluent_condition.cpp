// expect: deleted
#include "webnn/fluent.h"
int f(const webnn::MLOperand& x, const webnn::MLOperand& y) {
#ifdef FIXED
  if (x.is(y)) return 1;
#else
  if (x == y) return 1;
#endif
  return 0;
}
