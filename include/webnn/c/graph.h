/* Graphs that are built, models and compiled graphs in files. */
#ifndef WEBNN_C_GRAPH_H
#define WEBNN_C_GRAPH_H

#include "webnn/c/builder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_graph* webnn_graph_retain(webnn_graph* graph);
/* Gives back a reference; null is allowed. Work that is queued keeps its graph. */
WEBNN_C_API void webnn_graph_release(webnn_graph* graph);
/* Frees what the graph holds, at once or when the work that is queued has ended. */
WEBNN_C_API void webnn_graph_destroy(webnn_graph* graph);

/* An input or output of a graph. What it refers to belongs to the graph. A dimension whose size
 * each run chooses is 0. */
typedef struct webnn_named_descriptor {
  webnn_string name;
  webnn_descriptor descriptor;
} webnn_named_descriptor;
/* The number of inputs: those that the outputs need, or that webnn_build_options lists. */
WEBNN_C_API size_t webnn_graph_input_count(const webnn_graph* graph);
/* Stores input i and returns 1; 0 beyond the last. */
WEBNN_C_API int32_t webnn_graph_input(const webnn_graph* graph, size_t i,
                                      webnn_named_descriptor* input);
/* The number of outputs. */
WEBNN_C_API size_t webnn_graph_output_count(const webnn_graph* graph);
/* Stores output i and returns 1; 0 beyond the last. */
WEBNN_C_API int32_t webnn_graph_output(const webnn_graph* graph, size_t i,
                                       webnn_named_descriptor* output);

/* Whether inputs have dimensions whose sizes each run chooses: 1 or 0. */
WEBNN_C_API int32_t webnn_graph_is_open(const webnn_graph* graph);
/* A new reference to the operand of input i, whose dimensions have names; null beyond the last,
 * when the graph is destroyed, or when memory runs out. */
WEBNN_C_API webnn_operand* webnn_graph_input_operand(const webnn_graph* graph, size_t i);
/* The same of output i. */
WEBNN_C_API webnn_operand* webnn_graph_output_operand(const webnn_graph* graph, size_t i);

/* The shapes of the outputs in a run with these shapes of the inputs; inputs without open
 * dimensions may be left out. WEBNN_TYPE_ERROR for an unknown or missing name, a shape that the
 * input does not have, two sizes of one dimension, and sizes that an operator of the graph refuses:
 * the message names it. */
WEBNN_C_API webnn_status webnn_graph_compute_shapes(const webnn_graph* graph,
                                                    const webnn_named_dims* inputs,
                                                    size_t inputs_length, webnn_shapes** shapes,
                                                    webnn_error** error);
/* The number of outputs. */
WEBNN_C_API size_t webnn_shapes_count(const webnn_shapes* shapes);
/* Stores the name, data type and shape of output i, which belong to `shapes`, and returns 1; 0
 * beyond the last. */
WEBNN_C_API int32_t webnn_shapes_get(const webnn_shapes* shapes, size_t i,
                                     webnn_named_descriptor* output);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_shapes* webnn_shapes_retain(webnn_shapes* shapes);
/* Gives back a reference; null is allowed. */
WEBNN_C_API void webnn_shapes_release(webnn_shapes* shapes);

/* Prepares runs with these shapes, as the first such run would: kernels are chosen and memory is
 * planned. `prepared`, which may be null, gets the graph of these sizes alone, which can run and be
 * explained and profiled like any other. Errors are those of webnn_graph_compute_shapes() and of
 * webnn_builder_build(). */
WEBNN_C_API webnn_status webnn_graph_prepare(const webnn_graph* graph,
                                             const webnn_named_dims* inputs, size_t inputs_length,
                                             webnn_graph** prepared, webnn_error** error);

/* A tensor of zeros for a state of the graph (webnn_builder_update()), by the name of its input:
 * readable and writable. `shape` is the shape of the input in the next run; it may be null if no
 * other dimension than the one along which the state grows is open, whose size then is the smallest
 * one. The tensor of a state that grows has memory for the bound, a dispatch that gets it as the
 * input and the output makes it longer, and webnn_tensor_descriptor() has the shape of the next
 * run; a dispatch that would exceed the bound fails with WEBNN_TYPE_ERROR. WEBNN_TYPE_ERROR: the
 * input is not a state, or cannot have the shape. */
WEBNN_C_API webnn_status webnn_graph_create_state(const webnn_graph* graph, webnn_string input,
                                                  const webnn_dims* shape, webnn_tensor** state,
                                                  webnn_error** error);
/* Sets the states that the graph keeps (webnn_builder_keep_state()) to their initial values after
 * the runs that are already queued. */
WEBNN_C_API webnn_status webnn_graph_reset_states(const webnn_graph* graph, webnn_error** error);
/* Sets the size of the dimension along which a state grows: 0 empties the state, a smaller size
 * keeps its first rows, and rows that are added are zero. WEBNN_TYPE_ERROR: the tensor does not
 * grow, or the size is beyond its bound. */
WEBNN_C_API webnn_status webnn_tensor_resize_state(webnn_tensor* state, uint32_t size,
                                                   webnn_error** error);
/* Joins the states of several sequences into one tensor, which has them one after the other along
 * dimension 0. A dispatch that gets such a tensor as the input and as the output of each growing
 * state adds to each state its row of the result. The states also remain separate tensors.
 * WEBNN_TYPE_ERROR: there is none, or one of them does not grow, has another type, shape or context
 * than the first one, or is given twice. */
WEBNN_C_API webnn_status webnn_join_states(const webnn_tensor* const* states, size_t length,
                                           webnn_tensor** joined, webnn_error** error);
/* Stores `length` new states in `forks`, with the rows that these states have now. Where the system
 * can do so, both share the memory of equal rows until one of them is changed. WEBNN_TYPE_ERROR:
 * one of them does not grow, or is joined. */
WEBNN_C_API webnn_status webnn_fork_states(const webnn_tensor* const* states, size_t length,
                                           webnn_tensor** forks, webnn_error** error);
/* The bound of the dimension along which a state grows; 0 for other tensors. */
WEBNN_C_API uint32_t webnn_tensor_state_capacity(const webnn_tensor* state);

/* A text for people that names the kernel of each operator, and says why the other ones do not run
 * it. `microseconds`, if not null, has the time of each step. */
WEBNN_C_API webnn_status webnn_graph_explain(const webnn_graph* graph, const double* microseconds,
                                             size_t microseconds_length, webnn_text** text,
                                             webnn_error** error);
/* Gives what webnn_graph_explain() prints as a JSON object: steps, passes and memory. */
WEBNN_C_API webnn_status webnn_graph_report(const webnn_graph* graph, webnn_text** json,
                                            webnn_error** error);
/* The content of webnn_graph_report() as structs, at the time of the call. */
WEBNN_C_API webnn_status webnn_graph_plan(const webnn_graph* graph, webnn_plan** plan,
                                          webnn_error** error);
/* Sizes are bytes. */
typedef struct webnn_plan_summary {
  size_t struct_size;      /* set by the caller, as the INIT macro does */
  size_t steps;            /* their number */
  size_t passes;           /* their number */
  uint64_t arena;          /* the size of all intermediate results of a run together ... */
  uint64_t arena_at_least; /* ... and the most that is in use at one time */
  uint64_t packed;         /* weights that kernels hold */
  uint64_t scratch;        /* the memory that each thread needs */
  int32_t threads;         /* the number of threads that work on a dispatch */
  int32_t threads_asked;   /* the number that was asked for */
  double build_ms;         /* milliseconds that the build took */
} webnn_plan_summary;
#define WEBNN_PLAN_SUMMARY_INIT \
  { sizeof(webnn_plan_summary), 0, 0, 0, 0, 0, 0, 0, 0, 0 }
WEBNN_C_API webnn_status webnn_plan_get(const webnn_plan* plan, webnn_plan_summary* summary,
                                        webnn_error** error);
/* A step: a kernel, and the operators that it runs. Texts belong to the plan. This struct does not
 * grow. */
typedef struct webnn_plan_step {
  webnn_string backend;
  webnn_string kernel;
  int32_t tiles;    /* into which the work is divided */
  uint64_t packed;  /* bytes of weights that the kernel holds */
  size_t operators; /* their number */
  size_t others;    /* the number of reasons why not other backends */
} webnn_plan_step;
/* Stores step i, in the order in which they run, and returns 1; 0 beyond the last. */
WEBNN_C_API int32_t webnn_plan_get_step(const webnn_plan* plan, size_t i, webnn_plan_step* step);
/* Stores the name and the label of an operator of a step and returns 1; 0 beyond the last. Either
 * pointer may be null. */
WEBNN_C_API int32_t webnn_plan_get_operator(const webnn_plan* plan, size_t step, size_t i,
                                            webnn_string* name, webnn_string* label);
/* The reason why another backend does not run the step: "onednn: only float32"; empty beyond the
 * last. */
WEBNN_C_API webnn_string webnn_plan_other(const webnn_plan* plan, size_t step, size_t i);
/* The effect of a pass on the graph. Its name belongs to the library. This struct does not grow. */
typedef struct webnn_plan_pass {
  webnn_string name;
  size_t before; /* operators */
  size_t after;
} webnn_plan_pass;
/* Stores pass i of those that ran and returns 1; 0 beyond the last. */
WEBNN_C_API int32_t webnn_plan_get_pass(const webnn_plan* plan, size_t i, webnn_plan_pass* pass);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_plan* webnn_plan_retain(webnn_plan* plan);
/* Gives back a reference; null is allowed. */
WEBNN_C_API void webnn_plan_release(webnn_plan* plan);

/* The memory of a graph, in bytes. */
typedef struct webnn_memory {
  size_t struct_size; /* set by the caller, as the INIT macro does */
  uint64_t packed;    /* weights that kernels hold */
  uint64_t shared;    /* the part of them that other graphs of this process hold too */
  uint64_t constants; /* copies of constants that kernels read as they are */
  uint64_t arena;     /* intermediate results of all runs */
  uint64_t scratch;   /* the sum over all threads of all runs */
  uint64_t runs;      /* the number of runs at the same time for which there is memory */
} webnn_memory;
#define WEBNN_MEMORY_INIT \
  { sizeof(webnn_memory), 0, 0, 0, 0, 0, 0 }
WEBNN_C_API webnn_status webnn_graph_memory(const webnn_graph* graph, webnn_memory* memory,
                                            webnn_error** error);
/* A line for each operand and operator of the graph as it was built. */
WEBNN_C_API webnn_status webnn_graph_text(const webnn_graph* graph, webnn_text** text,
                                          webnn_error** error);

typedef struct webnn_weight_quantization {
  size_t struct_size;
  webnn_data_type type; /* WEBNN_INT4, WEBNN_INT8 or WEBNN_FLOAT16 */
  uint32_t block;       /* how many summed elements share a scale; 0: a whole column */
} webnn_weight_quantization;
#define WEBNN_WEIGHT_QUANTIZATION_INIT \
  { sizeof(webnn_weight_quantization), WEBNN_INT8, 32 }

/* The graph as it was built, with the weights of its products, 1x1 convolutions and tables in fewer
 * bits, built in `context`. The graph was built with webnn_context_options::keep_constants.
 * `options` may be null. `json`, which may be null, gets a list with an object for each constant
 * that was replaced: "reader", "dataType", "shape", "block", "relativeError" (the root mean square
 * of the errors over that of the weights) and "bytes". */
WEBNN_C_API webnn_status webnn_graph_quantize_weights(const webnn_graph* graph,
                                                      webnn_context* context,
                                                      const webnn_weight_quantization* options,
                                                      webnn_graph** quantized, webnn_text** json,
                                                      webnn_error** error);

/* Files. */

/* The names, extensions and directions of the file formats of this build, as a JSON list of objects
 * with "name", "about", "extensions", "reads" and "writes". */
WEBNN_C_API webnn_status webnn_formats(webnn_text** json, webnn_error** error);

typedef struct webnn_named_size {
  webnn_string name;
  uint32_t size;
} webnn_named_size;
/* The values of an input; a dimension may be 0. */
typedef struct webnn_named_values {
  webnn_string name;
  webnn_dims shape;
  const void* data;
  size_t bytes; /* as many as the shape and the type of the input have */
} webnn_named_values;

/* An option that the format of the file does not have is a WEBNN_TYPE_ERROR. */
typedef struct webnn_import_options {
  size_t struct_size;
  const webnn_named_dims* shapes; /* of inputs, where the file leaves dimensions open */
  size_t shapes_length;
  const webnn_named_size* dimensions; /* that have a name in the file */
  size_t dimensions_length;
  webnn_string
      signature;   /* of a .tflite file, or the method of an ExecuTorch program; empty: none */
  size_t subgraph; /* of a .tflite file with several */
  /* Values of inputs, which become constants if shapes or other facts of the graph follow from
   * them. Otherwise the input remains an input. */
  const webnn_named_values* values;
  size_t values_length;
  const webnn_string*
      outputs; /* names of values that become the outputs; none: those of the file */
  size_t outputs_length;
  webnn_string weights; /* a .safetensors file, if it is not beside the .webnn or .json file */
  uint64_t max_bytes;   /* of memory that is not shared with the file; 0: the limit of the format */
} webnn_import_options;
#define WEBNN_IMPORT_OPTIONS_INIT \
  { sizeof(webnn_import_options), NULL, 0, NULL, 0, {NULL, 0}, 0, NULL, 0, NULL, 0, {NULL, 0}, 0 }

/* Adds the model of a file to a builder. `format` is a name that webnn_formats() lists; if it is
 * empty, the extension of the path or the content decides. Weights stay in the mapped file, which
 * must not be shortened as long as anything made from it lives. A file is not trusted. `options`
 * may be null. */
WEBNN_C_API webnn_status webnn_builder_import(webnn_builder* builder, webnn_string format,
                                              webnn_string path,
                                              const webnn_import_options* options,
                                              webnn_model** model, webnn_error** error);
/* The same from memory, which is copied. If `format` is empty, the content decides. Weights in
 * files beside the model are refused, except for a file that the options name. */
WEBNN_C_API webnn_status webnn_builder_import_bytes(webnn_builder* builder, webnn_string format,
                                                    const void* data, size_t bytes,
                                                    const webnn_import_options* options,
                                                    webnn_model** model, webnn_error** error);
/* The name of the format of the file. */
WEBNN_C_API webnn_string webnn_model_format(const webnn_model* model);
/* The description in the file; it belongs to the model. */
WEBNN_C_API webnn_string webnn_model_description(const webnn_model* model);
/* Stores the scale and the zero point of input i and returns 1: the value of an element q is scale
 * * (q - zero_point). Returns 0 if the file has none, and beyond the last. */
WEBNN_C_API int32_t webnn_model_input_quantization(const webnn_model* model, size_t i, float* scale,
                                                   int32_t* zero_point);
/* The same of output i. */
WEBNN_C_API int32_t webnn_model_output_quantization(const webnn_model* model, size_t i,
                                                    float* scale, int32_t* zero_point);
/* The number of inputs of the file. */
WEBNN_C_API size_t webnn_model_input_count(const webnn_model* model);
/* The name of input i, which belongs to the model; empty beyond the last. */
WEBNN_C_API webnn_string webnn_model_input_name(const webnn_model* model, size_t i);
/* A new reference to the operand of input i; null beyond the last, or when memory runs out. */
WEBNN_C_API webnn_operand* webnn_model_input(const webnn_model* model, size_t i);
/* The number of outputs of the file. */
WEBNN_C_API size_t webnn_model_output_count(const webnn_model* model);
/* The name of output i, which belongs to the model; empty beyond the last. */
WEBNN_C_API webnn_string webnn_model_output_name(const webnn_model* model, size_t i);
/* A new reference to the operand of output i; null beyond the last, or when memory runs out. */
WEBNN_C_API webnn_operand* webnn_model_output(const webnn_model* model, size_t i);
/* Declares the caches of an imported decoder as states, webnn_builder_update(), by the names that
 * exporters give them: an input with "past" or "past_key_values" in its name, and the output that
 * has "present" there instead. `max_size` becomes the bound of the dimension along which they grow,
 * unless it has a smaller one. webnn_graph_create_state() makes their tensors. WEBNN_TYPE_ERROR:
 * there is no such pair, no sizes up to the bound are right, or webnn_builder_update() refuses a
 * pair; the builder then is as it was. */
WEBNN_C_API webnn_status webnn_builder_update_caches(webnn_builder* builder, webnn_model* model,
                                                     uint32_t max_size, webnn_error** error);
/* The number of caches that webnn_builder_update_caches() has declared. */
WEBNN_C_API size_t webnn_model_cache_count(const webnn_model* model);
/* The name of the input of cache i, which belongs to the model; empty beyond the last. */
WEBNN_C_API webnn_string webnn_model_cache_past(const webnn_model* model, size_t i);
/* The name of the output that takes its place. */
WEBNN_C_API webnn_string webnn_model_cache_present(const webnn_model* model, size_t i);
/* Returns its argument, to which the caller then owns one more reference. */
WEBNN_C_API webnn_model* webnn_model_retain(webnn_model* model);
/* Gives back a reference; null is allowed. The builder keeps what was imported. */
WEBNN_C_API void webnn_model_release(webnn_model* model);

/* Writes the graph as it was built to a file, and its weights to a second file if the format keeps
 * them there. Each file is replaced when all of its bytes have been written. The graph was built
 * with webnn_context_options::keep_constants. `format` as in webnn_builder_import(). */
WEBNN_C_API webnn_status webnn_graph_export(const webnn_graph* graph, webnn_string format,
                                            webnn_string path, webnn_error** error);

/* The bytes of the file that webnn_graph_export() would write, with the weights in it;
 * webnn_text_string() has them. */
WEBNN_C_API webnn_status webnn_graph_export_bytes(const webnn_graph* graph, webnn_string format,
                                                  webnn_text** bytes, webnn_error** error);

/* Compiled graphs: .webnnc files, for the machine and the build of the library that made them. In a
 * library that was built without them these functions return WEBNN_NOT_SUPPORTED_ERROR. */

/* Writes a graph with its kernels and packed weights, at the same time as other threads run it. The
 * file is replaced when all of its bytes have been written: graphs that were loaded from the old
 * one keep its contents. Some kernels are made from their constants again when they are loaded:
 * WEBNN_NOT_SUPPORTED_ERROR: the graph was built without webnn_context_options::keep_constants and
 * has dropped these. */
WEBNN_C_API webnn_status webnn_graph_save(const webnn_graph* graph, webnn_string path,
                                          webnn_error** error);

/* Which checksums of a file are compared. */
typedef int32_t webnn_verify;
enum {
  WEBNN_VERIFY_SMALL = 0, /* not those of weights of 64 KiB and more */
  WEBNN_VERIFY_FULL = 1   /* all: the whole file is read */
};
typedef struct webnn_load_options {
  size_t struct_size;
  webnn_verify verify;
} webnn_load_options;
#define WEBNN_LOAD_OPTIONS_INIT \
  { sizeof(webnn_load_options), WEBNN_VERIFY_SMALL }

/* The graph of such a file, as one that was built in `context`: it runs there and has the results
 * of the graph that was saved. Its weights stay in the mapped file, which processes share, and
 * which must not be changed or shortened as long as the graph lives; a file may take its place. A
 * file is not trusted: WEBNN_DATA_ERROR if it is damaged, or if it was made for another machine,
 * library, or order of backends. `options` may be null. */
WEBNN_C_API webnn_status webnn_context_load_graph(webnn_context* context, webnn_string path,
                                                  const webnn_load_options* options,
                                                  webnn_graph** graph, webnn_error** error);
/* The same from memory, which is copied. */
WEBNN_C_API webnn_status webnn_context_load_graph_bytes(webnn_context* context, const void* data,
                                                        size_t bytes,
                                                        const webnn_load_options* options,
                                                        webnn_graph** graph, webnn_error** error);

/* Quantized graphs. */

/* How the range of a tensor follows from its elements in all samples: from the least to the
 * largest; without the elements farthest outside; or so that the distribution changes least
 * (entropy). */
typedef int32_t webnn_calibration_method;
enum {
  WEBNN_CALIBRATION_METHOD_MIN_MAX = 0,
  WEBNN_CALIBRATION_METHOD_PERCENTILE = 1,
  WEBNN_CALIBRATION_METHOD_ENTROPY = 2
};
typedef struct webnn_quantization_options {
  size_t struct_size;
  /* Only products and convolutions are quantized; their inputs are quantized by their range in each
   * run. */
  int32_t dynamic;
  int32_t per_channel;         /* weights have a scale for each output channel */
  webnn_data_type activations; /* WEBNN_UINT8 or WEBNN_INT8 */
  webnn_data_type weights;     /* WEBNN_INT8, with the zero point 0, or WEBNN_UINT8 */
  int32_t symmetric;           /* the zero point of activations is in the middle */
  int32_t reduce_range;        /* weights have 7 bits, for runtimes whose sums saturate */
  webnn_calibration_method calibration;
  double percentile; /* above 50, at most 100 */
  /* The kinds of operators that are quantized, such as "conv2d"; none: all that can be
   * quantized. */
  const webnn_string* operators;
  size_t operators_length;
  /* The names, in the report, of operators that stay in float. */
  const webnn_string* keep_float;
  size_t keep_float_length;
  const double* min_snr; /* operators whose own ratio in dB is lower stay in float; or null */
  size_t worst_in_float; /* this many operators, those with the lowest ratios, stay in float */
  /* Called on the calling thread: `stage` is "calibration" or "measurement"; `total` is 0 in the
   * first pass. Returns 0 to go on, else the call ends with WEBNN_ABORT_ERROR. May be null. */
  int32_t (*progress)(void* user, webnn_string stage, size_t done, size_t total);
  void* user;       /* of progress */
  webnn_stop* stop; /* ends the call with WEBNN_ABORT_ERROR; may be null */
} webnn_quantization_options;
#define WEBNN_QUANTIZATION_OPTIONS_INIT                                                      \
  {                                                                                          \
    sizeof(webnn_quantization_options), 0, 0, WEBNN_UINT8, WEBNN_INT8, 0, 0,                 \
        WEBNN_CALIBRATION_METHOD_MIN_MAX, 99.99, NULL, 0, NULL, 0, NULL, 0, NULL, NULL, NULL \
  }
/* The inputs of one run. Where the input has no open dimensions, a shape without dimensions is that
 * of the input. */
typedef struct webnn_calibration_sample {
  const webnn_named_values* inputs;
  size_t inputs_length;
} webnn_calibration_sample;

/* The graph as it was built, with quantized products, convolutions and what lies between them,
 * built in `context`, which runs it on the samples; with `dynamic` there may be none. The graph was
 * built with webnn_context_options::keep_constants. `options` may be null. `json`, which may be
 * null, gets an object: "operators", a list of objects with "name", "kind", "quantized", "ownSnr",
 * "networkSnr" and "weightsSnr"; "outputs" with "name", "snr" and "maxError"; and "samples". Ratios
 * of signal to noise are in dB, and null where nothing differs or nothing was measured. */
WEBNN_C_API webnn_status webnn_graph_quantize(const webnn_graph* graph, webnn_context* context,
                                              const webnn_calibration_sample* samples,
                                              size_t samples_length,
                                              const webnn_quantization_options* options,
                                              webnn_graph** quantized, webnn_text** json,
                                              webnn_error** error);

#ifdef __cplusplus
}
#endif

#endif
