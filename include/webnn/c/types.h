/* Types that all of the C interface shares: strings, numbers, lists, status codes, errors.
 *
 * Rules, unless a function says otherwise:
 *  - A handle that a function stores through an output parameter is new: the caller owns one
 *    reference to it and gives it back with the release function of its type. Functions that take
 *    a handle borrow it for the call; what they need for longer they retain themselves.
 *  - Strings, lists and structs that a function takes are read before it returns. A webnn_string
 *    that a function returns belongs to the handle that was asked, and is valid as long as it.
 *  - Any thread may call any function with any handle, also at the same time with the same one.
 *    Only the last release must not run at the same time as another use.
 *  - A function that can fail returns a webnn_status, and stores an error through its last
 *    parameter, which may be null. Then it stores nothing else, and has no effect.
 *  - No C++ exception leaves a function. Callbacks must not throw, longjmp or end the thread.
 */
#ifndef WEBNN_C_TYPES_H
#define WEBNN_C_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#define WEBNN_C_API __declspec(dllimport)
#else
#define WEBNN_C_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* UTF-8, without a zero at the end. {NULL, 0} is the empty string. */
typedef struct webnn_string {
  const char* data;
  size_t length; /* bytes */
} webnn_string;

/* A list of sizes or indices. {NULL, 0} is an absent list: an option then has its default. The
 * empty list has a pointer that is not null. */
typedef struct webnn_dims {
  const uint32_t* data;
  size_t length;
} webnn_dims;

/* A list of numbers, absent or empty as webnn_dims is. */
typedef struct webnn_floats {
  const float* data;
  size_t length;
} webnn_floats;

/* A list of enumerators, absent or empty as webnn_dims is. */
typedef struct webnn_enums {
  const int32_t* data;
  size_t length;
} webnn_enums;

#ifndef __cplusplus
/* A literal as a webnn_string, and a list that lives as long as the block around it. */
#define WEBNN_STRING(literal) ((webnn_string){"" literal, sizeof(literal) - 1})
#define WEBNN_DIMS(...)                          \
  ((webnn_dims){(const uint32_t[]){__VA_ARGS__}, \
                sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)})
#endif

/* A number that keeps its kind: 64-bit integers are exact. */
typedef int32_t webnn_number_kind;
enum {
  WEBNN_NUMBER_ABSENT = 0, /* an option then has its default */
  WEBNN_NUMBER_FLOAT64 = 1,
  WEBNN_NUMBER_INT64 = 2,
  WEBNN_NUMBER_UINT64 = 3
};
typedef struct webnn_number {
  webnn_number_kind kind;
  union {
    double float64;
    int64_t int64;
    uint64_t uint64;
  } value;
} webnn_number;

/* Data types of elements. Two elements of int4 and uint4 share a byte. */
typedef int32_t webnn_data_type;
enum {
  WEBNN_FLOAT32 = 0,
  WEBNN_FLOAT16 = 1,
  WEBNN_INT32 = 2,
  WEBNN_UINT32 = 3,
  WEBNN_INT64 = 4,
  WEBNN_UINT64 = 5,
  WEBNN_INT8 = 6,
  WEBNN_UINT8 = 7,
  WEBNN_INT4 = 8,
  WEBNN_UINT4 = 9,
  WEBNN_BFLOAT16 = 10,
  WEBNN_FLOAT8E4M3 = 11
};
/* The name of a data type in the specification: "float32". It belongs to the library; empty for a
 * number that is not an enumerator. */
WEBNN_C_API webnn_string webnn_data_type_name(webnn_data_type type);
/* The number of bits of an element; 0 for a number that is not an enumerator. */
WEBNN_C_API int32_t webnn_data_type_bits(webnn_data_type type);

/* Data type and shape of a value. A scalar has no dimensions. This struct does not grow. */
typedef struct webnn_descriptor {
  webnn_data_type data_type;
  webnn_dims shape;
} webnn_descriptor;

/* A dimension of an input: a size, or a name, for which each run of the graph chooses a size, the
 * same for all dimensions of that name. This struct does not grow. */
typedef struct webnn_dimension {
  webnn_string name; /* empty: `size` is the size */
  uint32_t size;     /* 0 where there is a name */
  /* The bounds of the sizes that a name may have. With both 0, they are 1 and 2147483647; a
   * max_size of 0 is 2147483647. A min_size of 0 admits an empty tensor. */
  uint32_t min_size;
  uint32_t max_size;
} webnn_dimension;

#ifndef __cplusplus
/* A webnn_dimension that has a size, and one that has a name, a literal. */
#define WEBNN_DIMENSION_SIZE(size) ((webnn_dimension){{NULL, 0}, (size), 0, 0})
#define WEBNN_DIMENSION_NAME(literal) \
  ((webnn_dimension){{"" literal, sizeof(literal) - 1}, 0, 0, 0})
#endif

/* The shape of an input or output, by its name. */
typedef struct webnn_named_dims {
  webnn_string name;
  webnn_dims shape;
} webnn_named_dims;

/* A number of equal parts, or the sizes of the parts where `sizes` is not absent. */
typedef struct webnn_splits {
  uint32_t count;
  webnn_dims sizes;
} webnn_splits;

/* Handles. Each is counted: retain adds a reference, release gives one back. */
typedef struct webnn_error webnn_error;
typedef struct webnn_text webnn_text;       /* a string that a function made */
typedef struct webnn_context webnn_context; /* MLContext */
typedef struct webnn_builder webnn_builder; /* MLGraphBuilder */
typedef struct webnn_operand webnn_operand; /* MLOperand */
typedef struct webnn_graph webnn_graph;     /* MLGraph */
typedef struct webnn_tensor webnn_tensor;   /* MLTensor */
typedef struct webnn_plan webnn_plan;       /* kernels and memory of a graph */
typedef struct webnn_backend webnn_backend; /* a kernel library: built in, or of the caller */
typedef struct webnn_custom_operator webnn_custom_operator; /* an operator of the caller */
typedef struct webnn_model webnn_model;   /* what an importer has added to a builder */
typedef struct webnn_stop webnn_stop;     /* asks calls to end */
typedef struct webnn_shapes webnn_shapes; /* those of the outputs of a graph */

/* What a function returns: 0, or why it failed, by the names of the specification. */
typedef int32_t webnn_status;
enum {
  WEBNN_OK = 0,
  WEBNN_TYPE_ERROR = 1,          /* an argument breaks a rule */
  WEBNN_INVALID_STATE_ERROR = 2, /* a handle was destroyed, or its context */
  WEBNN_NOT_SUPPORTED_ERROR = 3, /* a backend, format or feature is missing or not supported */
  WEBNN_OPERATION_ERROR = 4,     /* building or running failed */
  WEBNN_UNKNOWN_ERROR = 5,       /* a tensor could not be made, or another error */
  WEBNN_DATA_ERROR = 6,          /* a file is wrong */
  WEBNN_ABORT_ERROR = 7,         /* work stopped because it was asked to stop */
  WEBNN_OUT_OF_MEMORY = 8        /* std::bad_alloc */
};

/* "TypeError" for WEBNN_TYPE_ERROR, and so on; "" for a number that is not a status. The string is
 * constant. */
WEBNN_C_API webnn_string webnn_status_name(webnn_status status);

/* The status that the function returned. */
WEBNN_C_API webnn_status webnn_error_status(const webnn_error* error);
/* The whole message: `conv2d [edges]: groups is zero.` The strings belong to the error. */
WEBNN_C_API webnn_string webnn_error_message(const webnn_error* error);
/* The operator or method that failed, or an empty string. */
WEBNN_C_API webnn_string webnn_error_operator(const webnn_error* error);
/* The label of the operator or the name of the file, or an empty string. */
WEBNN_C_API webnn_string webnn_error_label(const webnn_error* error);
/* The message without operator and label. */
WEBNN_C_API webnn_string webnn_error_reason(const webnn_error* error);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_error* webnn_error_retain(webnn_error* error);
/* Gives back a reference; null is allowed. */
WEBNN_C_API void webnn_error_release(webnn_error* error);

/* The characters, with a zero behind them; they belong to the text. */
WEBNN_C_API webnn_string webnn_text_string(const webnn_text* text);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_text* webnn_text_retain(webnn_text* text);
/* Gives back a reference; null is allowed. */
WEBNN_C_API void webnn_text_release(webnn_text* text);

/* A new stop, with one reference for the caller; null when memory runs out. */
WEBNN_C_API webnn_stop* webnn_stop_create(void);
/* Asks every call that was given this stop, and every later one, to end with WEBNN_ABORT_ERROR
 * before its next step. Does not wait. */
WEBNN_C_API void webnn_stop_request(webnn_stop* stop);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_stop* webnn_stop_retain(webnn_stop* stop);
/* Gives back a reference; null is allowed, and calls that were given the stop go on. */
WEBNN_C_API void webnn_stop_release(webnn_stop* stop);

/* "0.1.0": the version of the library that was loaded. The string is constant. */
WEBNN_C_API webnn_string webnn_version(void);
/* The bytes of a tensor: row-major, without padding. */
WEBNN_C_API webnn_status webnn_byte_length(const webnn_descriptor* descriptor, uint64_t* bytes,
                                           webnn_error** error);

#ifdef __cplusplus
}

/* In C++, what WEBNN_STRING and WEBNN_DIMS are in C: views of a literal, of a std::string or a
 * std::string_view, and of a std::vector<uint32_t> or a std::array, which have to live as long. */
template <size_t N> webnn_string webnn_string_of(const char (&literal)[N]) {
  return {literal, N - 1};
}
template <class Text> webnn_string webnn_string_of(const Text& text) {
  return {text.data(), text.size()};
}
template <class List> webnn_dims webnn_dims_of(const List& list) {
  static const uint32_t none = 0; /* the empty list has a pointer that is not null */
  return {list.size() ? list.data() : &none, list.size()};
}
#endif

#endif
