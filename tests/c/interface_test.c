/* The C interface from C99: graphs, constants, tensors, errors, callbacks, files. */
#include <math.h>

#include "tests/c/check.h"

static webnn_error* error = NULL;

static webnn_context* new_context(void) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context* context = NULL;
  options.threads = 1;
  options.keep_constants = 1;
  OK(webnn_context_create(&options, &context, &error));
  return context;
}
static webnn_descriptor floats(webnn_dims shape) {
  webnn_descriptor d;
  d.data_type = WEBNN_FLOAT32;
  d.shape = shape;
  return d;
}
static webnn_operand* input(webnn_builder* b, const char* name, webnn_dims shape) {
  const webnn_descriptor d = floats(shape);
  webnn_string s;
  webnn_operand* x = NULL;
  s.data = name;
  s.length = strlen(name);
  OK(webnn_builder_input(b, s, &d, &x, &error));
  return x;
}
static webnn_graph* build(webnn_builder* b, webnn_operand* y) {
  webnn_named_operand output;
  webnn_graph* graph = NULL;
  output.name = WEBNN_STRING("y");
  output.operand = y;
  OK(webnn_builder_build(b, &output, 1, NULL, &graph, &error));
  return graph;
}
static void compute(webnn_context* context, webnn_graph* graph, const float* x, size_t x_count,
                    float* y, size_t y_count) {
  webnn_input_view in;
  webnn_output_view out;
  in.name = WEBNN_STRING("x");
  in.data = x;
  in.bytes = x_count * sizeof(float);
  out.name = WEBNN_STRING("y");
  out.data = y;
  out.bytes = y_count * sizeof(float);
  OK(webnn_context_compute(context, graph, &in, 1, &out, 1, NULL, &error));
}

static int released = 0;
/* Whether this build has the format of .webnn files. */
static int reads_text(void) {
  int found;
  webnn_text* formats = NULL;
  OK(webnn_formats(&formats, &error));
  found = contains(webnn_text_string(formats), "\"webnn\"");
  webnn_text_release(formats);
  return found;
}

static void count_release(void* user) { *(int*)user += 1; }

/* y = relu(conv2d(x, filter) + bias), and the constants belong to this program. */
static void test_conv2d(void) {
  static const float filter[] = {1, 0, 0, -1};
  static const float bias = 0.5f;
  const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, -9};
  float y[4];
  webnn_context* context = new_context();
  webnn_builder* b = NULL;
  webnn_operand *in, *weights = NULL, *plus = NULL, *conv = NULL, *relu = NULL;
  webnn_conv2d_options options = WEBNN_CONV2D_OPTIONS_INIT;
  webnn_descriptor d = floats(WEBNN_DIMS(1, 1, 2, 2));
  webnn_named_descriptor named;
  webnn_text* text = NULL;
  webnn_graph* graph;

  OK(webnn_builder_create(context, &b, &error));
  in = input(b, "x", WEBNN_DIMS(1, 1, 3, 3));
  OK(webnn_builder_constant_shared(b, &d, filter, sizeof filter, count_release, &released, &weights,
                                   &error));
  d.shape = WEBNN_DIMS(1);
  OK(webnn_builder_constant(b, &d, &bias, sizeof bias, &plus, &error));
  options.bias = plus;
  options.label = WEBNN_STRING("edges");
  options.strides = WEBNN_DIMS(1, 1);
  OK(webnn_builder_conv2d(b, in, weights, &options, &conv, &error));
  CHECK(webnn_operand_descriptor(conv).shape.length == 4);
  CHECK(webnn_operand_descriptor(conv).shape.data[2] == 2);
  OK(webnn_builder_relu(b, conv, NULL, &relu, &error));
  graph = build(b, relu);

  /* The graph needs none of them. */
  webnn_operand_release(in);
  webnn_operand_release(weights);
  webnn_operand_release(plus);
  webnn_operand_release(conv);
  webnn_operand_release(relu);
  webnn_builder_release(b);

  compute(context, graph, x, 9, y, 4);
  CHECK(y[0] == 0 && y[1] == 0 && y[2] == 0 && y[3] == 14.5f);

  CHECK(webnn_graph_input_count(graph) == 1 && webnn_graph_output_count(graph) == 1);
  CHECK(webnn_graph_input(graph, 0, &named) && equal(named.name, "x"));
  CHECK(named.descriptor.data_type == WEBNN_FLOAT32 && named.descriptor.shape.length == 4);
  CHECK(!webnn_graph_input(graph, 1, &named));
  OK(webnn_graph_explain(graph, NULL, 0, &text, &error));
  CHECK(contains(webnn_text_string(text), "edges"));
  webnn_text_release(text);
  OK(webnn_graph_report(graph, &text, &error));
  CHECK(contains(webnn_text_string(text), "{\"name\":\"conv2d\",\"label\":\"edges\"}"));
  webnn_text_release(text);
  OK(webnn_context_op_support_limits(context, &text, &error));
  CHECK(contains(webnn_text_string(text), "\"conv2d\":{\"input\":{\"dataTypes\":[\"float32\""));
  webnn_text_release(text);
  OK(webnn_context_profile(context, graph, 3, &text, &error));
  CHECK(webnn_text_string(text).data[0] == '[');
  webnn_text_release(text);

  CHECK(released == 0);
  webnn_graph_release(graph);
  webnn_context_release(context);
  CHECK(released == 1);
}

/* An attribute that this header might not know, and a list of results. */
static void test_op(void) {
  const float x[] = {1, 2, 3, 4, 5, 6};
  float y[2];
  webnn_context* context = new_context();
  webnn_builder* b = NULL;
  webnn_operand *in, *parts[3] = {NULL, NULL, NULL}, *one = NULL;
  webnn_attribute attributes[2];
  webnn_split_options split = WEBNN_SPLIT_OPTIONS_INIT;
  webnn_splits splits;
  size_t count = 0;
  webnn_graph* graph;
  OK(webnn_builder_create(context, &b, &error));
  in = input(b, "x", WEBNN_DIMS(2, 3));

  memset(attributes, 0, sizeof attributes);
  attributes[0].name = WEBNN_STRING("splits");
  attributes[0].kind = WEBNN_ATTRIBUTE_NUMBER;
  attributes[0].value.number.kind = WEBNN_NUMBER_FLOAT64;
  attributes[0].value.number.value.float64 = 3;
  attributes[1].name = WEBNN_STRING("axis");
  attributes[1].kind = WEBNN_ATTRIBUTE_NUMBER;
  attributes[1].value.number.kind = WEBNN_NUMBER_UINT64;
  attributes[1].value.number.value.uint64 = 1;
  OK(webnn_builder_op(b, WEBNN_STRING("split"), &in, 1, attributes, 2, parts, 3, &count, &error));
  CHECK(count == 3);
  CHECK(webnn_operand_descriptor(parts[0]).shape.data[1] == 1);
  webnn_operand_release(parts[0]);
  webnn_operand_release(parts[1]);
  webnn_operand_release(parts[2]);

  FAILS(webnn_builder_op(b, WEBNN_STRING("split"), &in, 1, attributes, 2, parts, 2, &count, &error),
        WEBNN_TYPE_ERROR, "split", "capacity (2) is less than the number (3) of results");
  FAILS(
      webnn_builder_op(b, WEBNN_STRING("splitt"), &in, 1, attributes, 2, parts, 3, &count, &error),
      WEBNN_NOT_SUPPORTED_ERROR, "splitt", "there is no operator of this name");
  FAILS(webnn_builder_op(b, WEBNN_STRING("split"), &in, 1, attributes + 1, 1, parts, 3, &count,
                         &error),
        WEBNN_TYPE_ERROR, "split", "splits is missing");
  FAILS(
      webnn_builder_op(b, WEBNN_STRING("split"), NULL, 0, attributes, 2, parts, 3, &count, &error),
      WEBNN_TYPE_ERROR, "split", "input is missing");
  attributes[1].name = WEBNN_STRING("axes");
  FAILS(webnn_builder_op(b, WEBNN_STRING("split"), &in, 1, attributes, 2, parts, 3, &count, &error),
        WEBNN_TYPE_ERROR, "split", "axes is not an attribute of the operator");
  attributes[1].name = WEBNN_STRING("axis");
  attributes[1].kind = WEBNN_ATTRIBUTE_STRING;
  attributes[1].value.string = WEBNN_STRING("left");
  FAILS(webnn_builder_op(b, WEBNN_STRING("split"), &in, 1, attributes, 2, parts, 3, &count, &error),
        WEBNN_TYPE_ERROR, "split", "axis: \"left\" is not");

  splits.count = 3;
  splits.sizes.data = NULL;
  splits.sizes.length = 0;
  split.axis = 1;
  OK(webnn_builder_split(b, in, splits, &split, parts, 3, &count, &error));
  webnn_operand_release(parts[0]);
  webnn_operand_release(parts[1]);
  OK(webnn_builder_neg(b, parts[2], NULL, &one, &error));
  webnn_operand_release(parts[2]);
  graph = build(b, one);
  compute(context, graph, x, 6, y, 2);
  CHECK(y[0] == -3 && y[1] == -6);
  webnn_operand_release(one);
  webnn_operand_release(in);
  webnn_builder_release(b);
  webnn_graph_release(graph);
  webnn_context_release(context);
}

/* A table of measurements: asked for, given, and damaged. */
static void test_tuning(const char* folder) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context* context = NULL;
  webnn_text* table = NULL;
  char path[4096];
  FILE* file = NULL;
  snprintf(path, sizeof path, "%s/tuning.txt", folder);
  remove(path);
  options.threads = 1;
  options.tuning_file.data = path;
  options.tuning_file.length = strlen(path);
  FAILS(webnn_context_create(&options, &context, &error), WEBNN_DATA_ERROR, "tuning",
        "there is no such file");
  options.tuning = 2;
  FAILS(webnn_context_create(&options, &context, &error), WEBNN_TYPE_ERROR, "createContext",
        "tuning (2) is not one of its enumerators");
  options.tuning = WEBNN_TUNING_ONCE;
  OK(webnn_context_create(&options, &context, &error));
  OK(webnn_context_tuning_table(context, &table, &error));
  CHECK(equal(webnn_text_string(table), "webnn tuning 1\nend\n"));
  webnn_text_release(table);
  webnn_context_release(context);
  file = fopen(path, "wb");
  CHECK(file != NULL);
  fputs("webnn tuning 1\nhello\n", file);
  fclose(file);
  FAILS(webnn_context_create(&options, &context, &error), WEBNN_DATA_ERROR, "tuning", "line 2: ");
  remove(path);
}

/* The level is one of its enumerators. */
static void test_accuracy_level(void) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context* context = NULL;
  CHECK(options.accuracy_level == WEBNN_ACCURACY_LEVEL_FLOAT32);
  options.threads = 1;
  options.accuracy_level = 3;
  FAILS(webnn_context_create(&options, &context, &error), WEBNN_TYPE_ERROR, "createContext",
        "accuracy_level (3) is not one of its enumerators");
  options.accuracy_level = WEBNN_ACCURACY_LEVEL_INT8;
  OK(webnn_context_create(&options, &context, &error));
  webnn_context_release(context);
  options.accuracy_level = WEBNN_ACCURACY_LEVEL_BFLOAT16;
  OK(webnn_context_create(&options, &context, &error));
  webnn_context_release(context);
}

static void test_errors(void) {
  webnn_context* context = new_context();
  webnn_builder* b = NULL;
  webnn_operand *x, *y = NULL;
  webnn_graph* graph = NULL;
  webnn_named_operand output;
  webnn_backend* backend = NULL;
  webnn_context* other = NULL;
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_descriptor d = floats(WEBNN_DIMS(2, 2));
  OK(webnn_builder_create(context, &b, &error));
  x = input(b, "x", WEBNN_DIMS(2, 2));
  FAILS(webnn_builder_softmax(b, x, 7, NULL, &y, &error), WEBNN_TYPE_ERROR, "softmax",
        "axis (7) is not less than the rank (2) of input");
  CHECK(webnn_builder_softmax(b, x, 7, NULL, &y, NULL) == WEBNN_TYPE_ERROR);
  {
    webnn_operator_options label = WEBNN_OPERATOR_OPTIONS_INIT;
    label.label = WEBNN_STRING("probabilities");
    CHECK(webnn_builder_softmax(b, x, 7, &label, &y, &error) == WEBNN_TYPE_ERROR);
    CHECK(equal(webnn_error_label(error), "probabilities"));
    CHECK(equal(webnn_error_message(error),
                "softmax [probabilities]: axis (7) is not less than the rank (2) of input."));
    CHECK(equal(webnn_error_reason(error), "axis (7) is not less than the rank (2) of input"));
    CHECK(webnn_error_retain(error) == error);
    webnn_error_release(error);
    webnn_error_release(error);
  }
  CHECK(equal(webnn_status_name(WEBNN_ABORT_ERROR), "AbortError"));
  CHECK(equal(webnn_status_name(99), ""));

  /* Null, and numbers that are no enumerator. */
  FAILS(webnn_builder_relu(b, NULL, NULL, &y, &error), WEBNN_TYPE_ERROR, "relu", "input is null");
  FAILS(webnn_builder_relu(NULL, x, NULL, &y, &error), WEBNN_TYPE_ERROR, "relu", "builder is null");
  FAILS(webnn_builder_relu(b, x, NULL, NULL, &error), WEBNN_TYPE_ERROR, "relu", "output is null");
  FAILS(webnn_builder_cast(b, x, 77, NULL, &y, &error), WEBNN_TYPE_ERROR, "cast",
        "dataType (77) is not one of its enumerators");
  d.shape.data = NULL;
  FAILS(webnn_builder_input(b, WEBNN_STRING("z"), &d, &y, &error), WEBNN_TYPE_ERROR, "input",
        "descriptor is null, but its length is 2");

  /* Options of an older and of a newer header. */
  {
    struct {
      webnn_elu_options known;
      double later;
    } newer;
    webnn_elu_options elu = WEBNN_ELU_OPTIONS_INIT;
    memset(&newer, 0, sizeof newer);
    newer.known = elu;
    newer.known.struct_size = sizeof newer;
    OK(webnn_builder_elu(b, x, &newer.known, &y, &error));
    webnn_operand_release(y);
    newer.later = 1;
    FAILS(webnn_builder_elu(b, x, &newer.known, &y, &error), WEBNN_NOT_SUPPORTED_ERROR, "elu",
          "this version of the library does not have");
    elu.struct_size = sizeof(size_t) + sizeof(webnn_string);
    elu.alpha = NAN; /* is not read */
    OK(webnn_builder_elu(b, x, &elu, &y, &error));
    webnn_operand_release(y);
    elu.struct_size = 0;
    FAILS(webnn_builder_elu(b, x, &elu, &y, &error), WEBNN_TYPE_ERROR, "elu", "struct_size");
  }

  output.name = WEBNN_STRING("y");
  output.operand = x;
  FAILS(webnn_builder_build(b, &output, 1, NULL, &graph, &error), WEBNN_TYPE_ERROR, "build",
        "the output is an input or a constant");
  FAILS(webnn_builder_build(b, NULL, 0, NULL, &graph, &error), WEBNN_TYPE_ERROR, "build", "");

  OK(webnn_backend_named(WEBNN_STRING("gpu"), &backend, &error));
  options.backends = &backend;
  options.backends_length = 1;
  FAILS(webnn_context_create(&options, &other, &error), WEBNN_NOT_SUPPORTED_ERROR, "MLContext",
        "gpu");
  webnn_backend_release(backend);

  webnn_context_destroy(context);
  CHECK(webnn_context_lost(context));
  FAILS(webnn_builder_relu(b, x, NULL, &y, &error), WEBNN_INVALID_STATE_ERROR, "relu", "");
  webnn_operand_release(x);
  webnn_builder_release(b);
  webnn_context_release(context);
  webnn_context_release(NULL);
  webnn_operand_release(NULL);
  webnn_error_release(NULL);
}

/* One tensor is the input and the output of a dispatch. */
static void test_update(void) {
  const float first[] = {1, 2};
  float now[2];
  int i;
  webnn_context* context = new_context();
  webnn_builder* b = NULL;
  webnn_operand *past, *present = NULL;
  webnn_tensor* state = NULL;
  webnn_tensor_options options = WEBNN_TENSOR_OPTIONS_INIT;
  webnn_descriptor d = floats(WEBNN_DIMS(2));
  webnn_named_tensor in, out;
  webnn_graph* graph;
  OK(webnn_builder_create(context, &b, &error));
  past = input(b, "past", d.shape);
  OK(webnn_builder_add(b, past, past, NULL, &present, &error));
  FAILS(webnn_builder_update(b, present, present, &error), WEBNN_TYPE_ERROR, "update",
        "state_in is not an input of this builder");
  FAILS(webnn_builder_update(b, past, NULL, &error), WEBNN_TYPE_ERROR, "update", "state_out");
  OK(webnn_builder_update(b, past, present, &error));
  graph = build(b, present);
  options.readable = options.writable = 1;
  OK(webnn_context_create_tensor(context, &d, &options, &state, &error));
  OK(webnn_context_write_tensor(context, state, first, sizeof first, &error));
  in.name = WEBNN_STRING("past");
  out.name = WEBNN_STRING("y");
  in.tensor = out.tensor = state;
  for (i = 0; i < 3; ++i) OK(webnn_context_dispatch(context, graph, &in, 1, &out, 1, NULL, &error));
  OK(webnn_context_read_tensor(context, state, now, sizeof now, &error));
  CHECK(now[0] == 8 && now[1] == 16);
  webnn_tensor_release(state);
  webnn_operand_release(past);
  webnn_operand_release(present);
  webnn_builder_release(b);
  webnn_graph_release(graph);
  webnn_context_release(context);
}

static void test_files(const char* folder) {
  char path[512];
  const float x[] = {-1, 2};
  float y[2];
  webnn_context* context = new_context();
  webnn_builder* b = NULL;
  webnn_operand *in, *out = NULL;
  webnn_graph* graph;
  webnn_model* model = NULL;
  webnn_string file;
  const webnn_string none = {NULL, 0};
  if (!reads_text()) {
    webnn_context_release(context);
    return;
  }
  OK(webnn_builder_create(context, &b, &error));
  in = input(b, "x", WEBNN_DIMS(2));
  OK(webnn_builder_relu(b, in, NULL, &out, &error));
  graph = build(b, out);
  webnn_operand_release(in);
  webnn_operand_release(out);
  webnn_builder_release(b);
  snprintf(path, sizeof path, "%s/c_interface.webnn", folder);
  file.data = path;
  file.length = strlen(path);
  OK(webnn_graph_export(graph, none, file, &error));
  webnn_graph_release(graph);

  OK(webnn_builder_create(context, &b, &error));
  OK(webnn_builder_import(b, none, file, NULL, &model, &error));
  CHECK(webnn_model_input_count(model) == 1 && equal(webnn_model_input_name(model, 0), "x"));
  CHECK(webnn_model_output_count(model) == 1 && equal(webnn_model_output_name(model, 0), "y"));
  CHECK(webnn_model_output(model, 1) == NULL);
  out = webnn_model_output(model, 0);
  graph = build(b, out);
  compute(context, graph, x, 2, y, 2);
  CHECK(y[0] == 0 && y[1] == 2);
  webnn_operand_release(out);
  webnn_model_release(model);
  webnn_graph_release(graph);
  webnn_builder_release(b);

  OK(webnn_builder_create(context, &b, &error));
  FAILS(webnn_builder_import(b, WEBNN_STRING("keras"), file, NULL, &model, &error),
        WEBNN_NOT_SUPPORTED_ERROR, "import", "there is no format \"keras\"");
  FAILS(webnn_builder_import(b, none, WEBNN_STRING("net.xyz"), NULL, &model, &error),
        WEBNN_NOT_SUPPORTED_ERROR, "import", "\"xyz\"");
  webnn_builder_release(b);
  webnn_context_release(context);
}

/* A file with the inputs a, b and c, of which nothing reads c: the graph has the list of the file,
 * and a caller by place gives what belongs there. */
static void test_inputs_of_files(const char* folder) {
  static const char text[] =
      "webnn_graph \"inputs\" v1 { inputs { a: f32[2]; b: f32[2]; c: i32[3]; }\n"
      "nodes { y = sub(b, a); } outputs { y; } }\n";
  static const char* const names[] = {"a", "b", "c"};
  char path[512];
  const float a[] = {1, 2}, b_values[] = {5, 7};
  const int32_t c[] = {0, 0, 0};
  float y[2] = {0, 0};
  size_t i;
  webnn_context* context = new_context();
  webnn_builder* b = NULL;
  webnn_model* model = NULL;
  webnn_graph* graph = NULL;
  webnn_build_options options = WEBNN_BUILD_OPTIONS_INIT;
  webnn_named_operand inputs[3], output;
  webnn_input_view in[3];
  webnn_output_view out;
  webnn_named_descriptor d;
  webnn_string file;
  const webnn_string none = {NULL, 0};
  FILE* stream;
  if (!reads_text()) {
    webnn_context_release(context);
    return;
  }
  snprintf(path, sizeof path, "%s/c_inputs.webnn", folder);
  stream = fopen(path, "w");
  CHECK(stream != NULL);
  fputs(text, stream);
  fclose(stream);
  file.data = path;
  file.length = strlen(path);
  OK(webnn_builder_create(context, &b, &error));
  OK(webnn_builder_import(b, none, file, NULL, &model, &error));
  CHECK(webnn_model_input_count(model) == 3);
  for (i = 0; i < 3; ++i) {
    inputs[i].name = webnn_model_input_name(model, i);
    inputs[i].operand = webnn_model_input(model, i);
  }
  output.name = webnn_model_output_name(model, 0);
  output.operand = webnn_model_output(model, 0);
  options.inputs = inputs;
  options.inputs_length = 1;
  FAILS(webnn_builder_build(b, &output, 1, &options, &graph, &error), WEBNN_TYPE_ERROR, "build",
        "not in the list of inputs");
  options.inputs_length = 3;
  OK(webnn_builder_build(b, &output, 1, &options, &graph, &error));
  CHECK(webnn_graph_input_count(graph) == 3);
  for (i = 0; i < 3; ++i) {
    CHECK(webnn_graph_input(graph, i, &d) == 1 && equal(d.name, names[i]));
    in[i].name = d.name;
    webnn_operand_release(inputs[i].operand);
  }
  in[0].data = a;
  in[1].data = b_values;
  in[2].data = c;
  in[0].bytes = in[1].bytes = sizeof a;
  in[2].bytes = sizeof c;
  out.name = output.name;
  out.data = y;
  out.bytes = sizeof y;
  OK(webnn_context_compute(context, graph, in, 3, &out, 1, NULL, &error));
  CHECK(y[0] == 4 && y[1] == 5);
  y[0] = y[1] = 0;
  OK(webnn_context_compute(context, graph, in, 2, &out, 1, NULL, &error));
  CHECK(y[0] == 4 && y[1] == 5);
  webnn_operand_release(output.operand);
  webnn_model_release(model);
  webnn_graph_release(graph);
  webnn_builder_release(b);
  webnn_context_release(context);
}

/* A model from memory, with the options of an import. */
static void test_models_in_memory(void) {
  static const char text[] =
      "webnn_graph \"net\" v1 { inputs { x: f32[dyn(\"n\", 8)]; }\n"
      "nodes { d = neg(x); y = relu(d); } outputs { y; } }\n";
  const float x[] = {-1, 2};
  float y[2] = {0, 0}, scale = 0;
  int32_t zero_point = 0;
  webnn_context* context = new_context();
  webnn_builder* b = NULL;
  webnn_model* model = NULL;
  webnn_graph *graph, *again;
  webnn_operand* out;
  webnn_text* file = NULL;
  webnn_named_size size;
  webnn_import_options options = WEBNN_IMPORT_OPTIONS_INIT;
  const webnn_string none = {NULL, 0};
  webnn_string output = WEBNN_STRING("d"), bytes;
  if (!reads_text()) {
    webnn_context_release(context);
    return;
  }
  size.name = WEBNN_STRING("n");
  size.size = 2;
  options.dimensions = &size;
  options.dimensions_length = 1;
  options.outputs = &output;
  options.outputs_length = 1;
  OK(webnn_builder_create(context, &b, &error));
  FAILS(webnn_builder_import_bytes(b, none, "hello", 5, NULL, &model, &error),
        WEBNN_NOT_SUPPORTED_ERROR, "import", "does not show their format");
  OK(webnn_builder_import_bytes(b, none, text, sizeof text - 1, &options, &model, &error));
  CHECK(equal(webnn_model_format(model), "webnn") && equal(webnn_model_description(model), "net"));
  CHECK(webnn_model_output_count(model) == 1 && equal(webnn_model_output_name(model, 0), "d"));
  CHECK(webnn_model_input_quantization(model, 0, &scale, &zero_point) == 0);
  CHECK(webnn_model_output_quantization(model, 5, &scale, &zero_point) == 0);
  out = webnn_model_output(model, 0);
  graph = build(b, out);
  compute(context, graph, x, 2, y, 2);
  CHECK(y[0] == 1 && y[1] == -2);
  webnn_operand_release(out);
  webnn_model_release(model);
  webnn_builder_release(b);

  FAILS(webnn_graph_export_bytes(graph, WEBNN_STRING("keras"), &file, &error),
        WEBNN_NOT_SUPPORTED_ERROR, "export", "there is no format \"keras\"");
  OK(webnn_graph_export_bytes(graph, WEBNN_STRING("webnn"), &file, &error));
  bytes = webnn_text_string(file);
  webnn_graph_release(graph);
  OK(webnn_builder_create(context, &b, &error));
  OK(webnn_builder_import_bytes(b, WEBNN_STRING("webnn"), bytes.data, bytes.length, NULL, &model,
                                &error));
  out = webnn_model_output(model, 0);
  again = build(b, out);
  compute(context, again, x, 2, y, 2);
  CHECK(y[0] == 1 && y[1] == -2);
  webnn_operand_release(out);
  webnn_model_release(model);
  webnn_builder_release(b);
  webnn_graph_release(again);
  webnn_text_release(file);
  webnn_context_release(context);
}

/* A matrix of 4 bits: the same sums but for what the report says. */
static void test_quantized_weights(void) {
  enum { rows = 64, columns = 96 };
  static float weights[rows * columns];
  webnn_context* context = new_context();
  webnn_weight_quantization options = WEBNN_WEIGHT_QUANTIZATION_INIT;
  const uint32_t shape[] = {rows, columns};
  webnn_dims dims;
  webnn_descriptor d;
  webnn_builder* b = NULL;
  webnn_operand *x, *w = NULL, *y = NULL;
  webnn_graph *graph, *smaller = NULL;
  webnn_text* json = NULL;
  float in[rows], plain[columns], quantized[columns], off = 0;
  int i;
  for (i = 0; i < rows * columns; ++i) weights[i] = (float)(i * 37 % 101 - 50) / 50;
  for (i = 0; i < rows; ++i) in[i] = (float)(i % 7 - 3) / 3;
  dims.data = shape;
  dims.length = 2;
  d = floats(dims);
  OK(webnn_builder_create(context, &b, &error));
  x = input(b, "x", WEBNN_DIMS(1, rows));
  OK(webnn_builder_constant(b, &d, weights, sizeof weights, &w, &error));
  OK(webnn_builder_matmul(b, x, w, NULL, &y, &error));
  graph = build(b, y);
  options.type = WEBNN_INT4;
  OK(webnn_graph_quantize_weights(graph, context, &options, &smaller, &json, &error));
  CHECK(contains(webnn_text_string(json), "\"shape\":[64,96],\"block\":32"));
  webnn_text_release(json);
  compute(context, graph, in, rows, plain, columns);
  compute(context, smaller, in, rows, quantized, columns);
  for (i = 0; i < columns; ++i) {
    CHECK(fabs(quantized[i] - plain[i]) < 2);
    off += (float)fabs(quantized[i] - plain[i]);
  }
  CHECK(off > 0);
  webnn_graph_release(smaller);
  smaller = NULL;
  options.type = WEBNN_UINT8;
  CHECK(webnn_graph_quantize_weights(graph, context, &options, &smaller, NULL, &error) ==
        WEBNN_TYPE_ERROR);
  CHECK(smaller == NULL && contains(webnn_error_message(error), "uint8"));
  webnn_error_release(error);
  error = NULL;
  webnn_operand_release(x);
  webnn_operand_release(w);
  webnn_operand_release(y);
  webnn_graph_release(graph);
  webnn_builder_release(b);
  webnn_context_release(context);
}

static int32_t count_calls(void* user, webnn_string stage, size_t done, size_t total) {
  (void)stage, (void)done, (void)total;
  return ++*(int*)user > 3;
}

/* A product of 64 x 96 whose operands are of 8 bits. */
static void test_quantized_graph(void) {
  enum { rows = 64, columns = 96 };
  static float weights[rows * columns];
  webnn_context* context = new_context();
  webnn_quantization_options options = WEBNN_QUANTIZATION_OPTIONS_INIT;
  const uint32_t shape[] = {rows, columns};
  webnn_dims dims;
  webnn_descriptor d;
  webnn_builder* b = NULL;
  webnn_operand *x, *w = NULL, *y = NULL;
  webnn_graph *graph, *made = NULL;
  webnn_text* json = NULL;
  webnn_named_values values;
  webnn_calibration_sample samples[2];
  float in[rows], plain[columns], quantized[columns], off = 0, largest = 0;
  int i, calls = 0;
  for (i = 0; i < rows * columns; ++i) weights[i] = (float)(i * 37 % 101 - 50) / 50;
  for (i = 0; i < rows; ++i) in[i] = (float)(i % 7 - 3) / 3;
  dims.data = shape;
  dims.length = 2;
  d = floats(dims);
  OK(webnn_builder_create(context, &b, &error));
  x = input(b, "x", WEBNN_DIMS(1, rows));
  OK(webnn_builder_constant(b, &d, weights, sizeof weights, &w, &error));
  OK(webnn_builder_matmul(b, x, w, NULL, &y, &error));
  graph = build(b, y);
  memset(&values, 0, sizeof values);
  values.name = WEBNN_STRING("x");
  values.data = in;
  values.bytes = sizeof in;
  samples[0].inputs = &values;
  samples[0].inputs_length = 1;
  samples[1] = samples[0];
  options.per_channel = 1;
  OK(webnn_graph_quantize(graph, context, samples, 2, &options, &made, &json, &error));
  CHECK(contains(webnn_text_string(json), "\"quantized\":true"));
  CHECK(contains(webnn_text_string(json), "\"samples\":2}"));
  webnn_text_release(json);
  compute(context, graph, in, rows, plain, columns);
  compute(context, made, in, rows, quantized, columns);
  for (i = 0; i < columns; ++i) {
    if (fabs(plain[i]) > largest) largest = (float)fabs(plain[i]);
    if (fabs(quantized[i] - plain[i]) > off) off = (float)fabs(quantized[i] - plain[i]);
  }
  CHECK(off > 0 && off < largest / 50);
  webnn_graph_release(made);
  made = NULL;
  options.dynamic = 1;
  OK(webnn_graph_quantize(graph, context, NULL, 0, &options, &made, NULL, &error));
  webnn_graph_release(made);
  made = NULL;
  options.dynamic = 0;
  CHECK(webnn_graph_quantize(graph, context, NULL, 0, &options, &made, NULL, &error) ==
        WEBNN_TYPE_ERROR);
  CHECK(made == NULL && contains(webnn_error_message(error), "no samples"));
  webnn_error_release(error);
  error = NULL;
  options.progress = count_calls;
  options.user = &calls;
  CHECK(webnn_graph_quantize(graph, context, samples, 2, &options, &made, NULL, &error) ==
        WEBNN_ABORT_ERROR);
  CHECK(made == NULL && calls == 4);
  webnn_error_release(error);
  error = NULL;
  webnn_operand_release(x);
  webnn_operand_release(w);
  webnn_operand_release(y);
  webnn_graph_release(graph);
  webnn_builder_release(b);
  webnn_context_release(context);
}

int main(int argc, char** argv) {
  test_conv2d();
  test_op();
  test_errors();
  test_tuning(argc > 1 ? argv[1] : ".");
  test_accuracy_level();
  test_update();
  test_quantized_weights();
  test_quantized_graph();
  test_files(argc > 1 ? argv[1] : ".");
  test_inputs_of_files(argc > 1 ? argv[1] : ".");
  test_models_in_memory();
  return 0;
}
