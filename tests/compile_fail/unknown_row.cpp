// expect: a row refers to no earlier row
#ifndef FIXED
#define ROWS                                                                                   \
  operand<&mine::input>("input", allow(types::floats)), attribute<&mineOptions::axis>("axis"), \
      result("output", same_as("inptu"))
#endif
#include "operator_form.h"
