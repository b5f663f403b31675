// expect: the data type of a result is not determined
#ifndef FIXED
#define ROWS                                                                                   \
  operand<&mine::input>("input", allow(types::floats)), attribute<&mineOptions::axis>("axis"), \
      result("output", allow(types::floats))
#endif
#include "operator_form.h"
