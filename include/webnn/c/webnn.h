/* The C interface of libwebnn, for C99 and everything that can call C: link with libwebnn_c.
 * webnn/c/types.h has the rules of ownership, threads and errors. */
#ifndef WEBNN_C_WEBNN_H
#define WEBNN_C_WEBNN_H

#include "webnn/c/backend.h"
#include "webnn/c/builder.h"
#include "webnn/c/context.h"
#include "webnn/c/graph.h"
#include "webnn/c/lm.h"
#include "webnn/c/operators.h"
#include "webnn/c/types.h"

#endif
