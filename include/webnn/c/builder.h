/* Building graphs. The functions of the operators are in webnn/c/operators.h. */
#ifndef WEBNN_C_BUILDER_H
#define WEBNN_C_BUILDER_H

#include "webnn/c/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A builder of one graph. */
WEBNN_C_API webnn_status webnn_builder_create(webnn_context* context, webnn_builder** builder,
                                              webnn_error** error);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_builder* webnn_builder_retain(webnn_builder* builder);
/* Gives back a reference; null is allowed. Its operands stay valid. */
WEBNN_C_API void webnn_builder_release(webnn_builder* builder);

/* The data type and shape; the list belongs to the operand. A dimension that has a name instead of
 * a size is 0; the list is absent where even the number of dimensions is open. */
WEBNN_C_API webnn_descriptor webnn_operand_descriptor(const webnn_operand* operand);
/* Whether sizes are known only when the graph runs: 1 if a dimension has a name, or if even their
 * number is open, else 0. */
WEBNN_C_API int32_t webnn_operand_is_open(const webnn_operand* operand);
/* Stores dimension i, whose name belongs to the operand, and returns 1; 0 beyond the last, and
 * where the number of dimensions is open. A name that no input has is that of a size which follows
 * from others. */
WEBNN_C_API int32_t webnn_operand_dimension(const webnn_operand* operand, size_t i,
                                            webnn_dimension* dimension);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_operand* webnn_operand_retain(webnn_operand* operand);
/* Gives back a reference; null is allowed. The graph keeps its values. */
WEBNN_C_API void webnn_operand_release(webnn_operand* operand);

/* An input of the graph, by a name that no other input of the builder has. */
WEBNN_C_API webnn_status webnn_builder_input(webnn_builder* builder, webnn_string name,
                                             const webnn_descriptor* descriptor,
                                             webnn_operand** operand, webnn_error** error);
/* The same with dimensions that may have names: each run chooses their sizes. Functions that get
 * such an operand return WEBNN_TYPE_ERROR only when no size is right; a run does when its own are
 * not. `dimensions` may be null when there are none. */
WEBNN_C_API webnn_status webnn_builder_input_dimensions(webnn_builder* builder, webnn_string name,
                                                        webnn_data_type data_type,
                                                        const webnn_dimension* dimensions,
                                                        size_t dimensions_length,
                                                        webnn_operand** operand,
                                                        webnn_error** error);
/* A constant with a copy of the values. */
WEBNN_C_API webnn_status webnn_builder_constant(webnn_builder* builder,
                                                const webnn_descriptor* descriptor,
                                                const void* data, size_t bytes,
                                                webnn_operand** operand, webnn_error** error);
/* A constant that shares the caller's memory, which stays as it is until `release`, if not null, is
 * called: once, on any thread, when nothing needs the values. When this fails, it is not called. */
WEBNN_C_API webnn_status webnn_builder_constant_shared(
    webnn_builder* builder, const webnn_descriptor* descriptor, const void* data, size_t bytes,
    void (*release)(void* user), void* user, webnn_operand** operand, webnn_error** error);
/* A scalar, converted to the data type: to nearest, ties to even, saturating. */
WEBNN_C_API webnn_status webnn_builder_constant_scalar(webnn_builder* builder,
                                                       webnn_data_type data_type,
                                                       webnn_number value, webnn_operand** operand,
                                                       webnn_error** error);
/* The values of a tensor of webnn_context_create_constant_tensor(). */
WEBNN_C_API webnn_status webnn_builder_constant_tensor(webnn_builder* builder, webnn_tensor* tensor,
                                                       webnn_operand** operand,
                                                       webnn_error** error);

/* Declares that `state_out` is the input `state_in` after a run, for example a cache with a new
 * row: a dispatch may then be given one tensor for both, and writes only what changes, where it
 * can. One open dimension with a bound may differ: the state grows along it, and
 * webnn_graph_create_state() makes its tensor. WEBNN_TYPE_ERROR: they are not an input and a result
 * of this builder, they differ in data type or otherwise in shape, or one is declared already; the
 * build fails if state_out is not an output. */
WEBNN_C_API webnn_status webnn_builder_update(webnn_builder* builder, webnn_operand* state_in,
                                              webnn_operand* state_out, webnn_error** error);

/* Declares a state, webnn_builder_update(), that the graph keeps: a run that is given neither its
 * input nor its output reads what the run before it has left, and the first one reads `initial`,
 * the elements of `state_in` in row-major order, or zeros if it is null. Such runs follow one
 * another. WEBNN_TYPE_ERROR: as for webnn_builder_update(); `state_in` has open dimensions, or
 * `byte_length` is not that of its elements. */
WEBNN_C_API webnn_status webnn_builder_keep_state(webnn_builder* builder, webnn_operand* state_in,
                                                  webnn_operand* state_out, const void* initial,
                                                  size_t byte_length, webnn_error** error);

/* An argument or option of an operator, by the name that the specification gives it. */
typedef int32_t webnn_attribute_kind;
enum {
  WEBNN_ATTRIBUTE_NUMBER = 0,   /* value.number: also booleans, as 0 and 1 */
  WEBNN_ATTRIBUTE_STRING = 1,   /* value.string: an enumerator, or the label */
  WEBNN_ATTRIBUTE_NUMBERS = 2,  /* value.numbers and length */
  WEBNN_ATTRIBUTE_STRINGS = 3,  /* value.strings and length */
  WEBNN_ATTRIBUTE_OPERAND = 4,  /* value.operand: null is absent */
  WEBNN_ATTRIBUTE_OPERANDS = 5, /* value.operands and length */
  WEBNN_ATTRIBUTE_DIMS = 6      /* value.dims and length */
};
typedef struct webnn_attribute {
  webnn_string name;
  webnn_attribute_kind kind;
  size_t length; /* of a list */
  union {
    webnn_number number;
    webnn_string string;
    const webnn_number* numbers;
    const webnn_string* strings;
    webnn_operand* operand;
    webnn_operand* const* operands;
    const uint32_t* dims;
  } value;
} webnn_attribute;

/* Adds any operator by the name of its method in the specification, "conv2d" for example, including
 * operators that are newer than this header. `operands` are its required operands in the order of
 * the arguments (all of a list, for concat); everything else is among the attributes, by name.
 *
 * Stores the results in `outputs`, which has room for `capacity`, and their number in
 * `outputs_length`. With more results than that it fails, and the operator stays in the builder
 * without readers. WEBNN_NOT_SUPPORTED_ERROR: there is no operator of that name. */
WEBNN_C_API webnn_status webnn_builder_op(webnn_builder* builder, webnn_string name,
                                          webnn_operand* const* operands, size_t operands_length,
                                          const webnn_attribute* attributes,
                                          size_t attributes_length, webnn_operand** outputs,
                                          size_t capacity, size_t* outputs_length,
                                          webnn_error** error);

typedef struct webnn_named_operand {
  webnn_string name;
  webnn_operand* operand;
} webnn_named_operand;

typedef struct webnn_build_options {
  size_t struct_size;
  webnn_stop* stop; /* ends the build; may be null */
  /* Called on the thread that builds: `stage` is "passes", "kernels", "weights". Returns 0 to go
   * on, else the build ends with WEBNN_ABORT_ERROR, and with it the builder. May be null. */
  int32_t (*progress)(void* user, webnn_string stage, size_t done, size_t total);
  void* user; /* of progress */
  /* The inputs of the graph in their order, by the names that they were made with, such as those of
   * a model. They include inputs that no output needs, which a run may give or leave out. Without a
   * list, the inputs are those that the outputs need. */
  const webnn_named_operand* inputs;
  size_t inputs_length;
  /* For a graph with open dimensions: the number of bytes of intermediate results that the sizes
   * that were run may keep together. The sizes that were not run for the longest time are dropped
   * first. 0: 256 MiB. */
  uint64_t specialization_bytes;
} webnn_build_options;
#define WEBNN_BUILD_OPTIONS_INIT \
  { sizeof(webnn_build_options), NULL, NULL, NULL, NULL, 0, 0 }

/* Validates, optimizes and compiles what the outputs need, and ends the builder, unless it returns
 * WEBNN_TYPE_ERROR. `options` may be null. */
WEBNN_C_API webnn_status webnn_builder_build(webnn_builder* builder,
                                             const webnn_named_operand* outputs,
                                             size_t outputs_length,
                                             const webnn_build_options* options,
                                             webnn_graph** graph, webnn_error** error);

/* Called once, with a graph or with an error. The graph is the callback's, which releases it; the
 * error belongs to the library and is valid until the callback returns. It is called on a thread of
 * the context, for which it must not wait, or, if the system does not start one, on the calling
 * thread before the function returns. */
typedef void (*webnn_build_callback)(void* user, const webnn_error* error, webnn_graph* graph);
/* Builds without waiting. When this returns an error, `done` is not called. */
WEBNN_C_API webnn_status webnn_builder_build_async(
    webnn_builder* builder, const webnn_named_operand* outputs, size_t outputs_length,
    const webnn_build_options* options, webnn_build_callback done, void* user, webnn_error** error);

#ifdef __cplusplus
}
#endif

#endif
