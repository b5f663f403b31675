// What xnnpack.h needs of pthreadpool, where the distribution's XNNPACK comes without its header:
// the name of a type that we only ever pass a null pointer for.
#pragma once

typedef struct pthreadpool* pthreadpool_t;
