// expect: two rows have the same member
#ifndef FIXED
#define ROWS                                            \
  operand<&mine::input>("input", allow(types::floats)), \
      operand<&mine::input>("again", allow(types::floats)), result("output", same_as("input"))
#endif
#include "operator_form.h"
