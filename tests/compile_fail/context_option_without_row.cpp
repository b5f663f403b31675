// expect: each member of MLContextOptions has one row
#ifndef FIXED
#define accelerated forgotten = true, accelerated
#endif
#include "webnn/context.h"
#undef accelerated
#include "src/runtime/context_options.h"
