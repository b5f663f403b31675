// expect: an operator needs a result
#ifndef FIXED
#define ROWS \
  operand<&mine::input>("input", allow(types::floats)), attribute<&mineOptions::axis>("axis")
#endif
#include "operator_form.h"
