/* Threads and kernels of the caller. */
#ifndef WEBNN_C_BACKEND_H
#define WEBNN_C_BACKEND_H

#include "webnn/c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Threads that a program lends to a context, in place of a team of its own. */
typedef struct webnn_thread_pool {
  size_t struct_size;
  void* user;      /* handed to the callbacks */
  int32_t threads; /* the largest number of workers, at least 1 */
  /* Calls body(argument, worker) with distinct workers from 0 to threads - 1, one of them on the
   * calling thread, and returns when all of these calls have returned. It need not call all
   * workers: a single call does all the work. Called by several threads at once. */
  void (*run)(void* user, void (*body)(void* argument, int worker), void* argument);
  /* Whether a worker other than the calling thread should return although there may be work left,
   * because other callers need its core. Asked between steps. May be null. */
  int32_t (*should_leave)(void* user, int32_t worker);
  /* Called once, when the last context with this pool is gone, on any thread. May be null. */
  void (*release)(void* user);
} webnn_thread_pool;
#define WEBNN_THREAD_POOL_INIT \
  { sizeof(webnn_thread_pool), NULL, 1, NULL, NULL, NULL }

/* A backend that is built in: simd, onednn, xnnpack or reference. Whether this build has it is
 * checked when a context is created. */
WEBNN_C_API webnn_status webnn_backend_named(webnn_string name, webnn_backend** backend,
                                             webnn_error** error);

/* Operators that follow one another, which a backend is asked to run with one kernel. Borrowed:
 * valid during the callback that got it, and what belongs to it as long. */
typedef struct webnn_chain webnn_chain;

/* An operand of a chain. */
typedef struct webnn_value {
  webnn_descriptor descriptor;
  const void* constant; /* the values of a constant, else null */
  size_t constant_bytes;
} webnn_value;

/* The number of operators, at least 1. */
WEBNN_C_API size_t webnn_chain_length(const webnn_chain* chain);
/* The name of operator i, as in the specification; empty beyond the last. */
WEBNN_C_API webnn_string webnn_chain_operator(const webnn_chain* chain, size_t i);
/* Its label, or an empty string. */
WEBNN_C_API webnn_string webnn_chain_label(const webnn_chain* chain, size_t i);
/* An attribute of operator i as text, such as `[2, 2]` or `"nhwc"`; empty where it has its
 * default. */
WEBNN_C_API webnn_string webnn_chain_attribute(const webnn_chain* chain, size_t i,
                                               webnn_string name);
/* How many operands the kernel will read: for each operator those that the chain does not make.
 * webnn_chain_operand_in() says which of them is which. */
WEBNN_C_API size_t webnn_chain_input_count(const webnn_chain* chain);
/* Stores input i and returns 1; 0 beyond the last. */
WEBNN_C_API int32_t webnn_chain_input(const webnn_chain* chain, size_t i, webnn_value* value);

/* Where an operand of an operator of a chain comes from. */
typedef int32_t webnn_operand_origin;
enum {
  WEBNN_ORIGIN_INPUT = 0,   /* it is an input of the chain, which may be a constant */
  WEBNN_ORIGIN_OPERATOR = 1 /* it is the result of an earlier operator of the chain */
};

/* An operand of an operator of a chain. */
typedef struct webnn_chain_operand {
  size_t struct_size;
  /* Which operand it is: "filter", "scale", the name in the specification. The operands of a list
   * all have the name of the list. */
  webnn_string row;
  webnn_value value;
  webnn_operand_origin origin;
  size_t index; /* of webnn_chain_input() and webnn_kernel_run::inputs, or that of the operator */
} webnn_chain_operand;
#define WEBNN_CHAIN_OPERAND_INIT \
  { sizeof(webnn_chain_operand), {NULL, 0}, {{0, {NULL, 0}}, NULL, 0}, WEBNN_ORIGIN_INPUT, 0 }

/* How many operands operator i has; 0 beyond the last operator. Options that are absent do not
 * count. */
WEBNN_C_API size_t webnn_chain_operand_count(const webnn_chain* chain, size_t i);
/* Stores operand n of operator i, in the order of the specification, and returns 1; 0 beyond the
 * last. */
WEBNN_C_API int32_t webnn_chain_operand_at(const webnn_chain* chain, size_t i, size_t n,
                                           webnn_chain_operand* operand);
/* Stores the operand of operator i in that row, or operand n of a list, and returns 1; 0 if there
 * is none. For an operand that is not a list, n is 0. */
WEBNN_C_API int32_t webnn_chain_operand_in(const webnn_chain* chain, size_t i, webnn_string row,
                                           size_t n, webnn_chain_operand* operand);

/* How many results the last operator has. */
WEBNN_C_API size_t webnn_chain_output_count(const webnn_chain* chain);
/* Stores result i and returns 1; 0 beyond the last. */
WEBNN_C_API int32_t webnn_chain_output(const webnn_chain* chain, size_t i, webnn_value* value);

/* The memory of one run of a kernel. */
typedef struct webnn_kernel_run {
  const void* const* inputs; /* in the order of webnn_chain_input() */
  void* const* outputs;
  void* shared;  /* webnn_kernel::shared bytes, the same in all rounds */
  void* scratch; /* webnn_kernel::scratch bytes of this worker */
  int32_t begin; /* the first tile, and the end of the tiles */
  int32_t end;
  int32_t round; /* below webnn_kernel::rounds */
} webnn_kernel_run;

/* Work for the threads of a context, cut into tiles. The number of tiles follows from the shapes
 * alone, and an element of a result has the same bits whichever ranges its tile is run in. */
typedef struct webnn_kernel {
  size_t struct_size;
  void* user;        /* handed to the callbacks */
  webnn_string name; /* for explain() */
  int32_t tiles;
  int32_t grain;    /* ranges of fewer tiles waste work */
  int32_t rounds;   /* how many times all tiles are run, one round after the other */
  int32_t in_place; /* the input whose memory the first result may take over; -1: none */
  size_t scratch;   /* bytes for each worker, aligned to 64 */
  size_t shared;    /* bytes for all tiles of a run */
  size_t packed;    /* bytes of weights that the kernel holds, for reports */
  /* Computes a range of tiles. Called at the same time for disjoint ranges, and for several runs
   * of a graph. Must not allocate, and must not start threads. */
  void (*run)(void* user, const webnn_kernel_run* run);
  /* Called once, when the graph is gone, on any thread. May be null. */
  void (*release)(void* user);
} webnn_kernel;
#define WEBNN_KERNEL_INIT \
  { sizeof(webnn_kernel), NULL, {NULL, 0}, 1, 1, 1, -1, 0, 0, 0, NULL, NULL }

/* A backend of the caller. */
typedef struct webnn_backend_callbacks {
  size_t struct_size;
  void* user; /* handed to the callbacks */
  webnn_string name;
  /* Fills `kernel`, which has its defaults, and returns 1; or stores in `refusal` the reason why
   * there is no kernel, and returns 0. The reason is read when the callback has returned. Called by
   * one thread at a time for each context. */
  int32_t (*lower)(void* user, const webnn_chain* chain, webnn_kernel* kernel,
                   webnn_string* refusal);
  /* The data types that the first operand of an operator may have, as bits 1 << webnn_data_type:
   * what webnn_context_op_support_limits() says. Null: all. */
  uint32_t (*supported_types)(void* user, webnn_string op);
  /* Called once, when the backend and all contexts and graphs with it are gone, on any thread.
   * May be null. */
  void (*release)(void* user);
} webnn_backend_callbacks;
#define WEBNN_BACKEND_CALLBACKS_INIT \
  { sizeof(webnn_backend_callbacks), NULL, {NULL, 0}, NULL, NULL, NULL }

/* A backend of the caller, for webnn_context_options::backends. When this fails, release is not
 * called. */
WEBNN_C_API webnn_status webnn_backend_create(const webnn_backend_callbacks* callbacks,
                                              webnn_backend** backend, webnn_error** error);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_backend* webnn_backend_retain(webnn_backend* backend);
/* Gives back a reference; null is allowed. Contexts keep the backends that they were given. */
WEBNN_C_API void webnn_backend_release(webnn_backend* backend);

#ifdef __cplusplus
}
#endif

#endif
