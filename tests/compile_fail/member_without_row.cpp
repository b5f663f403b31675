// expect: FullyDeclared
#ifndef FIXED
#define MEMBER            \
  std::uint32_t axis = 0; \
  float forgotten = 0;
#endif
#include "operator_form.h"
