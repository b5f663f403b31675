// expect: duplicate base type|specified more than once as a direct base
#ifndef FIXED
#define ROWS                                            \
  operand<&mine::input>("input", allow(types::floats)), \
      operand<&mine::input>("again", allow(types::floats)), result("output", same_as("input"))
#endif
#include "operator_form.h"
