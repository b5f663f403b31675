/* Custom operators. */
#ifndef WEBNN_C_CUSTOM_H
#define WEBNN_C_CUSTOM_H

#include "webnn/c/builder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One use of a custom operator, as its callbacks see it. Borrowed: valid during the callback that
 * got it, and what belongs to it as long. */
typedef struct webnn_custom_call webnn_custom_call;

/* The label of the caller, or an empty string. */
WEBNN_C_API webnn_string webnn_custom_call_label(const webnn_custom_call* call);
/* The number of operands. */
WEBNN_C_API size_t webnn_custom_call_input_count(const webnn_custom_call* call);
/* Stores input i, whose sizes are all known, and returns 1; 0 beyond the last. In infer and lower,
 * a constant has its values, unless they are no longer in memory. */
WEBNN_C_API int32_t webnn_custom_call_input(const webnn_custom_call* call, size_t i,
                                            webnn_value* value);
/* The number of results; in infer, the number of those that were added so far. */
WEBNN_C_API size_t webnn_custom_call_output_count(const webnn_custom_call* call);
/* Stores the data type and shape of result i and returns 1; 0 beyond the last. */
WEBNN_C_API int32_t webnn_custom_call_output(const webnn_custom_call* call, size_t i,
                                             webnn_descriptor* descriptor);
/* Stores an attribute and returns 1; 0 if the operator has none of that name. Integers have the
 * kind WEBNN_NUMBER_INT64, other numbers WEBNN_NUMBER_FLOAT64; an attribute that was not given has
 * its default. / */
WEBNN_C_API int32_t webnn_custom_call_attribute(const webnn_custom_call* call, webnn_string name,
                                                webnn_attribute* attribute);
/* An attribute that is one number, converted; `absent` if there is none. */
WEBNN_C_API double webnn_custom_call_number(const webnn_custom_call* call, webnn_string name,
                                            double absent);
/* For infer: adds a result with a copy of the shape. Returns 0, and the operator is refused, for
 * wrong descriptors; 1 otherwise. */
WEBNN_C_API int32_t webnn_custom_call_add_output(webnn_custom_call* call,
                                                 const webnn_descriptor* descriptor);

/* An operator: a pure function of its operands and attributes, unless it says otherwise. The
 * callbacks may be called by several threads at once, and while the builder or the context is
 * locked: they must use neither. A callback that refuses stores the reason in `refusal` and returns
 * 0; the reason is read when the callback has returned, and becomes an error that names the
 * operator and its label. */
typedef struct webnn_custom_operator_callbacks {
  size_t struct_size;
  void* user; /* handed to the callbacks */
  /* Letters, digits, `_`, `-`, `.` and `:`; none of the names of WebNN's operators. In .onnx files
   * the part before the last dot is the domain. */
  webnn_string name;
  uint32_t version; /* of the meaning that the name has in files; at least 1 */
  /* All attributes with their defaults: numbers, strings and lists of them. A number of the kind
   * WEBNN_NUMBER_ABSENT has to be given, with any type. */
  const webnn_attribute* attributes;
  size_t attributes_length;
  /* Adds the results, at least one, with webnn_custom_call_add_output(), and returns 1. They depend
   * only on data types, shapes, attributes, and the values of constants. With open dimensions it is
   * called many times, with sizes that are tried. */
  int32_t (*infer)(void* user, webnn_custom_call* call, webnn_string* refusal);
  /* Computes all results, row-major, on one thread, and returns 1. May be null with lower. */
  int32_t (*compute)(void* user, const webnn_custom_call* call, const void* const* inputs,
                     void* const* outputs, webnn_string* refusal);
  /* A kernel of tiles, which runs on all threads, as webnn_backend_callbacks::lower makes it; if it
   * returns 0, compute runs. Its inputs are the operands in their order. May be null. */
  int32_t (*lower)(void* user, const webnn_custom_call* call, webnn_kernel* kernel,
                   webnn_string* refusal);
  int32_t impure;    /* equal operands do not always give equal results */
  int32_t exclusive; /* two runs of a graph must not call compute at the same time */
  /* Called once, when the operator and all graphs with it are gone, on any thread. May be null. */
  void (*release)(void* user);
} webnn_custom_operator_callbacks;
#define WEBNN_CUSTOM_OPERATOR_CALLBACKS_INIT                                                      \
  {                                                                                               \
    sizeof(webnn_custom_operator_callbacks), NULL, {NULL, 0}, 1, NULL, 0, NULL, NULL, NULL, 0, 0, \
        NULL                                                                                      \
  }

/* An operator, for webnn_builder_custom() and webnn_context_options::operators. When this fails,
 * release is not called. */
WEBNN_C_API webnn_status
webnn_custom_operator_create(const webnn_custom_operator_callbacks* callbacks,
                             webnn_custom_operator** custom_operator, webnn_error** error);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_custom_operator* webnn_custom_operator_retain(
    webnn_custom_operator* custom_operator);
/* Gives back a reference; null is allowed. Contexts and graphs keep their operators. */
WEBNN_C_API void webnn_custom_operator_release(webnn_custom_operator* custom_operator);

/* The results of a custom operator: stores them in `outputs`, which has room for `capacity`, and
 * their number in `outputs_length`. Attributes that are not given have their defaults. */
WEBNN_C_API webnn_status webnn_builder_custom(
    webnn_builder* builder, webnn_custom_operator* custom_operator, webnn_operand* const* operands,
    size_t operands_length, const webnn_attribute* attributes, size_t attributes_length,
    webnn_string label, webnn_operand** outputs, size_t capacity, size_t* outputs_length,
    webnn_error** error);
/* The same for one of webnn_context_options::operators: the highest version of that name. */
WEBNN_C_API webnn_status webnn_builder_custom_named(webnn_builder* builder, webnn_string name,
                                                    webnn_operand* const* operands,
                                                    size_t operands_length,
                                                    const webnn_attribute* attributes,
                                                    size_t attributes_length, webnn_string label,
                                                    webnn_operand** outputs, size_t capacity,
                                                    size_t* outputs_length, webnn_error** error);

#ifdef __cplusplus
}
#endif

#endif
