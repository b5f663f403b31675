// expect: differs from the number of arguments|consteval|constant expression
#ifndef FIXED
#define INFER                                                \
  inline Result<Shapes> infer(const mine& op) {              \
    return detail::fail("axis ({}) is {}", op.options.axis); \
  }
#endif
#include "operator_form.h"
