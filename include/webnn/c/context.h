/* Contexts, tensors, and running graphs. */
#ifndef WEBNN_C_CONTEXT_H
#define WEBNN_C_CONTEXT_H

#include "webnn/c/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A hint, which the library does not use. */
typedef int32_t webnn_power_preference;
enum {
  WEBNN_POWER_PREFERENCE_DEFAULT = 0,
  WEBNN_POWER_PREFERENCE_HIGH_PERFORMANCE = 1,
  WEBNN_POWER_PREFERENCE_LOW_POWER = 2
};

/* Whether building a graph measures which kernel of a chain of operators is the fastest, if several
 * backends have one. */
typedef int32_t webnn_tuning;
enum { WEBNN_TUNING_OFF = 0, WEBNN_TUNING_ONCE = 1 };

/* With WEBNN_ACCURACY_LEVEL_INT8, products with constant weights that are dequantized may quantize
 * the rows of their activations to int8, each block by its largest magnitude. With
 * WEBNN_ACCURACY_LEVEL_BFLOAT16, products, convolutions and attention of floats may round their
 * operands to bfloat16. */
typedef int32_t webnn_accuracy_level;
enum {
  WEBNN_ACCURACY_LEVEL_FLOAT32 = 0,
  WEBNN_ACCURACY_LEVEL_INT8 = 1,
  WEBNN_ACCURACY_LEVEL_BFLOAT16 = 2
};

/* Memory of the program for a context. */
typedef int32_t webnn_memory_purpose;
enum {
  WEBNN_MEMORY_RUNS = 0,    /* intermediate results and scratch of runs */
  WEBNN_MEMORY_WEIGHTS = 1, /* in the layouts of kernels */
  WEBNN_MEMORY_TENSORS = 2  /* of tensors and states */
};
typedef struct webnn_allocator {
  size_t struct_size;
  void* user; /* handed to the callbacks, which are called by any thread, and by several at once */
  /* Returns at least this many bytes, more than 0, at a multiple of the alignment, a power of 2.
   * Null if there are none: the call that needs them then fails. */
  void* (*allocate)(void* user, size_t bytes, size_t alignment, webnn_memory_purpose purpose);
  /* Takes back memory that was given for this many bytes and this purpose. */
  void (*deallocate)(void* user, void* memory, size_t bytes, webnn_memory_purpose purpose);
  /* Called once, on any thread, when nothing of the context holds memory any more. May be null. */
  void (*release)(void* user);
} webnn_allocator;
#define WEBNN_ALLOCATOR_INIT \
  { sizeof(webnn_allocator), NULL, NULL, NULL, NULL }

/* How much a message matters: it may be of interest, something is probably not as it was meant, or
 * something went wrong. */
typedef int32_t webnn_log_level;
enum { WEBNN_LOG_INFO = 0, WEBNN_LOG_WARNING = 1, WEBNN_LOG_ERROR = 2 };
/* Called by any thread, and by several at once. The message is valid until it returns. */
typedef void (*webnn_log_callback)(void* user, webnn_log_level level, webnn_string message);

/* An event: a thread has run a step of a graph, or some of its tiles. It belongs to the library,
 * and is valid until the callback returns. Later versions may have more members. */
typedef struct webnn_trace_event {
  webnn_string kernel;    /* with the name of its backend: "simd conv2d 3x3" */
  webnn_string operators; /* the operators that it runs: "conv2d+relu" */
  webnn_string label;     /* the label of the first operator */
  size_t step;            /* the index of the step in webnn_graph_report() */
  int32_t worker;         /* the index of the thread in the context; 0 is the calling one */
  int32_t tiles;          /* the number of tiles that it has run ... */
  int32_t tiles_of_step;  /* ... and the number of all tiles of the step */
  int64_t start;          /* nanoseconds of a steady clock */
  int64_t duration;       /* nanoseconds */
  uint64_t bytes;         /* the approximate number that these tiles read and write */
} webnn_trace_event;
/* Called on the thread that has run the tiles, and by several at once. */
typedef void (*webnn_trace_callback)(void* user, const webnn_trace_event* event);

typedef struct webnn_context_options {
  size_t struct_size;
  webnn_power_preference power_preference;
  int32_t accelerated; /* what webnn_context_accelerated() returns */
  /* The number of threads that work on a graph; 0: WEBNN_NUM_THREADS, else the number of cores that
   * the process may use: the cores of its affinity, and no more than the CPU quota of its control
   * groups, rounded up. */
  int32_t threads;
  int32_t runs;           /* the most calls of one graph at the same time; 0: as many as threads */
  uint64_t memory_limit;  /* bytes that the graphs may hold together; 0: any number */
  int32_t keep_constants; /* for webnn_graph_export() */
  int32_t tests2025;      /* 1: the rules of the W3C's tests of 2025 (webnn/rules.h) */
  /* The order in which backends are asked; none: WEBNN_BACKENDS, else all that were built in. */
  webnn_backend* const* backends;
  size_t backends_length;
  const webnn_thread_pool* thread_pool; /* threads of the caller; null: a team of the context */
  webnn_tuning tuning;
  /* The name of a file with a table of measurements; empty: WEBNN_TUNING, if anything. With
   * WEBNN_TUNING_ONCE it need not exist yet. */
  webnn_string tuning_file;
  webnn_accuracy_level accuracy_level;
  /* Operators of the caller that files may name: each name and version once. */
  webnn_custom_operator* const* operators;
  size_t operators_length;
  const webnn_allocator* allocator; /* of large memory; null: the library's own */
  /* Gets the messages of the library besides results and errors; null: there are no messages. This
   * and `trace` are called as long as the context, or anything that was made with it, lives. */
  webnn_log_callback log;
  void* log_user;
  webnn_trace_callback trace; /* null: nothing is measured */
  void* trace_user;
} webnn_context_options;
#define WEBNN_CONTEXT_OPTIONS_INIT                                                            \
  {                                                                                           \
    sizeof(webnn_context_options), WEBNN_POWER_PREFERENCE_DEFAULT, 1, 0, 0, 0, 0, 0, NULL, 0, \
        NULL, WEBNN_TUNING_OFF, {NULL, 0}, WEBNN_ACCURACY_LEVEL_FLOAT32, NULL, 0, NULL, NULL, \
        NULL, NULL, NULL                                                                      \
  }

/* A context: where graphs run. `options` may be null. When this fails, the release callbacks of the
 * thread pool and of the allocator are not called. */
WEBNN_C_API webnn_status webnn_context_create(const webnn_context_options* options,
                                              webnn_context** context, webnn_error** error);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_context* webnn_context_retain(webnn_context* context);
/* Gives back a reference; null is allowed. Builders, graphs, tensors and work that is under way
 * keep their context. */
WEBNN_C_API void webnn_context_release(webnn_context* context);
/* Destroys all graphs and tensors of the context. Calls that are under way or queued end with
 * WEBNN_INVALID_STATE_ERROR. The handle stays valid until it is released. */
WEBNN_C_API void webnn_context_destroy(webnn_context* context);
/* 1 after webnn_context_destroy(), else 0. */
WEBNN_C_API int32_t webnn_context_lost(const webnn_context* context);
/* The value that the options gave. */
WEBNN_C_API int32_t webnn_context_accelerated(const webnn_context* context);
/* The number of threads that work on a graph: fewer than were asked for when the system does not
 * start them all. */
WEBNN_C_API int32_t webnn_context_threads(const webnn_context* context);
/* The number of backends. */
WEBNN_C_API size_t webnn_context_backend_count(const webnn_context* context);
/* The name of backend i in their order, which belongs to the context; empty beyond the last. */
WEBNN_C_API webnn_string webnn_context_backend(const webnn_context* context, size_t i);
/* The names of the backends in their order, as a JSON list. */
WEBNN_C_API webnn_status webnn_context_backends(const webnn_context* context, webnn_text** json,
                                                webnn_error** error);
/* The measurements of the context and those of its `tuning_file`, as the text of a file for
 * `tuning_file`. */
WEBNN_C_API webnn_status webnn_context_tuning_table(const webnn_context* context,
                                                    webnn_text** table, webnn_error** error);
/* The limits of the operators, that is, what they accept and a backend supports, as a JSON object
 * of the form of the specification's MLOpSupportLimits. */
WEBNN_C_API webnn_status webnn_context_op_support_limits(const webnn_context* context,
                                                         webnn_text** json, webnn_error** error);

/* The limits of one tensor of an operator. This struct does not grow. */
typedef struct webnn_tensor_limits {
  uint32_t data_types; /* a bit for each: 1 << WEBNN_FLOAT32 and so on */
  uint32_t min_rank;
  uint32_t max_rank;
} webnn_tensor_limits;
/* Stores the limits of a tensor by the names of the operator and of the tensor in the
 * specification, "conv2d" and "bias", and returns 1. Without an operator the tensor is "input",
 * "constant" or "output". Returns 0 for other names, and when memory runs out. */
WEBNN_C_API int32_t webnn_context_tensor_limits(const webnn_context* context, webnn_string op,
                                                webnn_string tensor, webnn_tensor_limits* limits);
/* The largest number of bytes that a tensor may have. */
WEBNN_C_API uint64_t webnn_context_max_tensor_bytes(const webnn_context* context);

/* Tensors: memory of a context, read and written in the order of the calls. */

typedef struct webnn_tensor_options {
  size_t struct_size;
  int32_t readable; /* by webnn_context_read_tensor() */
  int32_t writable; /* by webnn_context_write_tensor() */
} webnn_tensor_options;
#define WEBNN_TENSOR_OPTIONS_INIT \
  { sizeof(webnn_tensor_options), 0, 0 }

/* A tensor of zeros. `options` may be null. */
WEBNN_C_API webnn_status webnn_context_create_tensor(webnn_context* context,
                                                     const webnn_descriptor* descriptor,
                                                     const webnn_tensor_options* options,
                                                     webnn_tensor** tensor, webnn_error** error);
/* A tensor with a copy of the values, for webnn_builder_constant_tensor(). */
WEBNN_C_API webnn_status webnn_context_create_constant_tensor(webnn_context* context,
                                                              const webnn_descriptor* descriptor,
                                                              const void* data, size_t bytes,
                                                              webnn_tensor** tensor,
                                                              webnn_error** error);
/* Copies the values before it returns; the tensor has them after the work that was queued before
 * this call. */
WEBNN_C_API webnn_status webnn_context_write_tensor(webnn_context* context, webnn_tensor* tensor,
                                                    const void* data, size_t bytes,
                                                    webnn_error** error);
/* Waits for the work that was queued before this call, and copies the values to `data`. */
WEBNN_C_API webnn_status webnn_context_read_tensor(webnn_context* context, webnn_tensor* tensor,
                                                   void* data, size_t bytes, webnn_error** error);

/* Called once, with the values or with an error; both belong to the library and are valid until it
 * returns. On a thread of the context, or on the calling one before the function returns. It may
 * use the context, but must not wait for other work of it. */
typedef void (*webnn_read_callback)(void* user, const webnn_error* error, const void* data,
                                    size_t bytes);
/* Reads without waiting. When this returns an error, `done` is not called. */
WEBNN_C_API webnn_status webnn_context_read_tensor_async(webnn_context* context,
                                                         webnn_tensor* tensor,
                                                         webnn_read_callback done, void* user,
                                                         webnn_error** error);

/* The data type and shape; the list belongs to the tensor. */
WEBNN_C_API webnn_descriptor webnn_tensor_descriptor(const webnn_tensor* tensor);
/* Frees the memory, at once or when the work that is queued for it has ended. */
WEBNN_C_API void webnn_tensor_destroy(webnn_tensor* tensor);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_tensor* webnn_tensor_retain(webnn_tensor* tensor);
/* Gives back a reference; null is allowed. Queued work keeps the tensors that it needs. */
WEBNN_C_API void webnn_tensor_release(webnn_tensor* tensor);

/* Running a graph. */

typedef struct webnn_named_tensor {
  webnn_string name; /* of an input or output of the graph */
  webnn_tensor* tensor;
} webnn_named_tensor;
typedef struct webnn_input_view {
  webnn_string name; /* of an input of the graph */
  const void* data;
  size_t bytes;
} webnn_input_view;
typedef struct webnn_output_view {
  webnn_string name; /* of an output of the graph */
  void* data;
  size_t bytes;
} webnn_output_view;

/* Queues one run of the graph and returns. `stop` may be null. An error of the run is returned by
 * webnn_context_read_tensor() of an output. */
WEBNN_C_API webnn_status webnn_context_dispatch(webnn_context* context, webnn_graph* graph,
                                                const webnn_named_tensor* inputs,
                                                size_t inputs_length,
                                                const webnn_named_tensor* outputs,
                                                size_t outputs_length, webnn_stop* stop,
                                                webnn_error** error);
/* Runs the graph on the calling thread and those of the context, and returns when the outputs are
 * written. Every input that an operator reads must be given; outputs may be left out. Nothing is
 * copied. `stop` may be null. */
WEBNN_C_API webnn_status webnn_context_compute(webnn_context* context, webnn_graph* graph,
                                               const webnn_input_view* inputs, size_t inputs_length,
                                               const webnn_output_view* outputs,
                                               size_t outputs_length, webnn_stop* stop,
                                               webnn_error** error);

/* How a graph runs. */
typedef struct webnn_run_options {
  size_t struct_size;
  webnn_stop* stop; /* ends the run; may be null */
  /* The shapes of inputs, if dimensions of the graph are open and the number of elements does not
   * determine their sizes. */
  const webnn_named_dims* shapes;
  size_t shapes_length;
} webnn_run_options;
#define WEBNN_RUN_OPTIONS_INIT \
  { sizeof(webnn_run_options), NULL, NULL, 0 }
/* webnn_context_compute() with options, which may be null. */
WEBNN_C_API webnn_status webnn_context_run(webnn_context* context, webnn_graph* graph,
                                           const webnn_input_view* inputs, size_t inputs_length,
                                           const webnn_output_view* outputs, size_t outputs_length,
                                           const webnn_run_options* options, webnn_error** error);

/* Called once; the error is null when all went well, belongs to the library and is valid until the
 * callback returns. On a thread of the context, or on the calling one before the function returns,
 * where the system does not start one. It may use the context, but must not wait for other work of
 * it. */
typedef void (*webnn_done_callback)(void* user, const webnn_error* error);
/* Computes without waiting. The memory of inputs and outputs stays valid, and unused, until `done`
 * is called. When this returns an error, `done` is not called. */
WEBNN_C_API webnn_status webnn_context_compute_async(
    webnn_context* context, webnn_graph* graph, const webnn_input_view* inputs,
    size_t inputs_length, const webnn_output_view* outputs, size_t outputs_length, webnn_stop* stop,
    webnn_done_callback done, void* user, webnn_error** error);
/* webnn_context_compute_async() with options, which may be null and are read before it returns. */
WEBNN_C_API webnn_status webnn_context_run_async(
    webnn_context* context, webnn_graph* graph, const webnn_input_view* inputs,
    size_t inputs_length, const webnn_output_view* outputs, size_t outputs_length,
    const webnn_run_options* options, webnn_done_callback done, void* user, webnn_error** error);
/* The median microseconds of each step of the graph over some runs on zeros, as a JSON list: the
 * steps of webnn_graph_report(). */
WEBNN_C_API webnn_status webnn_context_profile(webnn_context* context, webnn_graph* graph,
                                               int32_t runs, webnn_text** json,
                                               webnn_error** error);
/* Stores the same times in `microseconds`, which has room for as many numbers as the graph has
 * steps. */
WEBNN_C_API webnn_status webnn_context_profile_steps(webnn_context* context, webnn_graph* graph,
                                                     int32_t runs, double* microseconds,
                                                     size_t length, webnn_error** error);

#ifdef __cplusplus
}
#endif

#endif
