/* Graphs whose inputs have dimensions with names: each run chooses their sizes. */
#include "tests/c/check.h"

static webnn_error* error = NULL;
static webnn_context* context = NULL;

enum { IN = 8, OUT = 5, MOST = 64 };

static webnn_string named(const char* text) {
  webnn_string s;
  s.data = text;
  s.length = strlen(text);
  return s;
}
static webnn_named_dims shape_of(const char* name, const uint32_t* sizes, size_t rank) {
  webnn_named_dims s;
  s.name = named(name);
  s.shape.data = sizes;
  s.shape.length = rank;
  return s;
}

/* softmax(x * w) with x of three dimensions, of which the last is 8. */
static webnn_graph* product(const webnn_dimension* dimensions) {
  webnn_builder* builder;
  webnn_operand *x, *w, *xw, *y;
  webnn_graph* graph;
  webnn_named_operand output;
  webnn_operator_options options = WEBNN_OPERATOR_OPTIONS_INIT;
  const uint32_t shape[] = {IN, OUT};
  webnn_descriptor d;
  float weights[IN * OUT];
  size_t i;
  for (i = 0; i < IN * OUT; ++i) weights[i] = (float)(i % 17) * 0.25f - 2;
  d.data_type = WEBNN_FLOAT32;
  d.shape.data = shape;
  d.shape.length = 2;
  options.label = named("product");
  OK(webnn_builder_create(context, &builder, &error));
  OK(webnn_builder_input_dimensions(builder, named("x"), WEBNN_FLOAT32, dimensions, 3, &x, &error));
  OK(webnn_builder_constant(builder, &d, weights, sizeof weights, &w, &error));
  OK(webnn_builder_matmul(builder, x, w, &options, &xw, &error));
  OK(webnn_builder_softmax(builder, xw, 2, NULL, &y, &error));
  output.name = named("y");
  output.operand = y;
  OK(webnn_builder_build(builder, &output, 1, NULL, &graph, &error));
  webnn_operand_release(x);
  webnn_operand_release(w);
  webnn_operand_release(xw);
  webnn_operand_release(y);
  webnn_builder_release(builder);
  return graph;
}

static void run(webnn_graph* graph, const uint32_t* sizes, const float* x, float* y) {
  const size_t rows = (size_t)sizes[0] * sizes[1];
  const webnn_named_dims shape = shape_of("x", sizes, 3);
  webnn_run_options options = WEBNN_RUN_OPTIONS_INIT;
  webnn_input_view in;
  webnn_output_view out;
  in.name = named("x");
  in.data = x;
  in.bytes = rows * IN * sizeof(float);
  out.name = named("y");
  out.data = y;
  out.bytes = rows * OUT * sizeof(float);
  options.shapes = &shape;
  options.shapes_length = 1;
  OK(webnn_context_run(context, graph, &in, 1, &out, 1, &options, &error));
}

static void each_run_equals_the_static_graph(void) {
  static const uint32_t all[][3] = {{1, 1, IN}, {2, 7, IN}, {4, 16, IN}, {2, 7, IN}};
  static float x[MOST * IN], open_y[MOST * OUT], fixed_y[MOST * OUT];
  const webnn_dimension names[] = {WEBNN_DIMENSION_NAME("batch"), WEBNN_DIMENSION_NAME("sequence"),
                                   WEBNN_DIMENSION_SIZE(IN)};
  webnn_graph* open = product(names);
  size_t i;
  for (i = 0; i < MOST * IN; ++i) x[i] = (float)(i % 23) * 0.125f - 1;
  CHECK(webnn_graph_is_open(open) == 1);
  for (i = 0; i < sizeof all / sizeof all[0]; ++i) {
    const webnn_dimension sizes[] = {WEBNN_DIMENSION_SIZE(all[i][0]),
                                     WEBNN_DIMENSION_SIZE(all[i][1]), WEBNN_DIMENSION_SIZE(IN)};
    const size_t bytes = (size_t)all[i][0] * all[i][1] * OUT * sizeof(float);
    const webnn_named_dims shape = shape_of("x", all[i], 3);
    webnn_graph *fixed = product(sizes), *prepared;
    webnn_shapes* shapes;
    webnn_named_descriptor d;
    CHECK(webnn_graph_is_open(fixed) == 0);
    run(open, all[i], x, open_y);
    run(fixed, all[i], x, fixed_y);
    CHECK(memcmp(open_y, fixed_y, bytes) == 0);

    OK(webnn_graph_compute_shapes(open, &shape, 1, &shapes, &error));
    CHECK(webnn_shapes_count(shapes) == 1);
    CHECK(webnn_shapes_get(shapes, 0, &d) == 1 && webnn_shapes_get(shapes, 1, &d) == 0);
    CHECK(equal(d.name, "y") && d.descriptor.data_type == WEBNN_FLOAT32);
    CHECK(d.descriptor.shape.length == 3 && d.descriptor.shape.data[0] == all[i][0] &&
          d.descriptor.shape.data[1] == all[i][1] && d.descriptor.shape.data[2] == OUT);
    webnn_shapes_release(webnn_shapes_retain(shapes));
    webnn_shapes_release(shapes);

    OK(webnn_graph_prepare(open, &shape, 1, &prepared, &error));
    OK(webnn_graph_prepare(open, &shape, 1, NULL, &error));
    CHECK(webnn_graph_is_open(prepared) == 0);
    run(prepared, all[i], x, open_y);
    CHECK(memcmp(open_y, fixed_y, bytes) == 0);
    webnn_graph_release(prepared);
    webnn_graph_release(fixed);
  }
  webnn_graph_release(open);
}

static void done(void* user, const webnn_error* failed) { *(int*)user = failed ? 2 : 1; }

static void runs_without_waiting(void) {
  const webnn_dimension names[] = {WEBNN_DIMENSION_NAME("batch"), WEBNN_DIMENSION_NAME("sequence"),
                                   WEBNN_DIMENSION_SIZE(IN)};
  const uint32_t sizes[] = {2, 3, IN};
  const webnn_named_dims shape = shape_of("x", sizes, 3);
  static float x[6 * IN], y[6 * OUT], expected[6 * OUT];
  webnn_run_options options = WEBNN_RUN_OPTIONS_INIT;
  webnn_graph* graph = product(names);
  webnn_named_tensor tensors[2];
  webnn_tensor_options both = WEBNN_TENSOR_OPTIONS_INIT;
  webnn_descriptor d;
  webnn_input_view in;
  webnn_output_view out;
  volatile int finished = 0;
  size_t i;
  for (i = 0; i < 6 * IN; ++i) x[i] = (float)(i % 11) * 0.5f - 2;
  run(graph, sizes, x, expected);
  in.name = named("x"), in.data = x, in.bytes = sizeof x;
  out.name = named("y"), out.data = y, out.bytes = sizeof y;
  options.shapes = &shape, options.shapes_length = 1;
  OK(webnn_context_run_async(context, graph, &in, 1, &out, 1, &options, &done, (void*)&finished,
                             &error));

  /* Tensors have their shapes; reading one waits for what was queued before. */
  both.readable = both.writable = 1;
  d.data_type = WEBNN_FLOAT32;
  d.shape.data = sizes, d.shape.length = 3;
  tensors[0].name = named("x");
  OK(webnn_context_create_tensor(context, &d, &both, &tensors[0].tensor, &error));
  {
    const uint32_t result[] = {2, 3, OUT};
    d.shape.data = result;
    tensors[1].name = named("y");
    OK(webnn_context_create_tensor(context, &d, &both, &tensors[1].tensor, &error));
  }
  OK(webnn_context_write_tensor(context, tensors[0].tensor, x, sizeof x, &error));
  OK(webnn_context_dispatch(context, graph, &tensors[0], 1, &tensors[1], 1, NULL, &error));
  {
    static float read[6 * OUT];
    OK(webnn_context_read_tensor(context, tensors[1].tensor, read, sizeof read, &error));
    CHECK(memcmp(read, expected, sizeof read) == 0);
  }
  CHECK(finished == 1);
  CHECK(memcmp(y, expected, sizeof y) == 0);
  webnn_tensor_release(tensors[0].tensor);
  webnn_tensor_release(tensors[1].tensor);
  webnn_graph_release(graph);
}

static void operands_have_dimensions(void) {
  const webnn_dimension names[] = {WEBNN_DIMENSION_NAME("batch"), WEBNN_DIMENSION_NAME("sequence"),
                                   WEBNN_DIMENSION_SIZE(IN)};
  webnn_graph* graph = product(names);
  webnn_operand* x = webnn_graph_input_operand(graph, 0);
  webnn_operand* y = webnn_graph_output_operand(graph, 0);
  webnn_named_descriptor d;
  webnn_dimension n;
  CHECK(webnn_graph_input(graph, 0, &d) == 1);
  CHECK(d.descriptor.shape.length == 3 && d.descriptor.shape.data[0] == 0 &&
        d.descriptor.shape.data[2] == IN);
  CHECK(webnn_graph_input_operand(graph, 1) == NULL && webnn_graph_output_operand(NULL, 0) == NULL);
  webnn_graph_destroy(graph);
  CHECK(webnn_graph_input_operand(graph, 0) == NULL);
  webnn_graph_release(graph); /* the operands keep what they name */
  CHECK(webnn_operand_is_open(x) == 1 && webnn_operand_is_open(NULL) == 0);
  CHECK(webnn_operand_dimension(x, 0, &n) == 1);
  CHECK(equal(n.name, "batch") && n.size == 0 && n.min_size == 1 && n.max_size == 2147483647);
  CHECK(webnn_operand_dimension(y, 1, &n) == 1 && equal(n.name, "sequence"));
  CHECK(webnn_operand_dimension(y, 2, &n) == 1 && n.name.length == 0 && n.size == OUT);
  CHECK(webnn_operand_dimension(y, 3, &n) == 0 && webnn_operand_dimension(NULL, 0, &n) == 0);
  CHECK(webnn_operand_descriptor(x).shape.length == 3 &&
        webnn_operand_descriptor(x).shape.data[1] == 0);
  webnn_operand_release(x);
  webnn_operand_release(y);
}

static void refusals(void) {
  const webnn_dimension names[] = {WEBNN_DIMENSION_NAME("batch"), WEBNN_DIMENSION_NAME("sequence"),
                                   WEBNN_DIMENSION_SIZE(IN)};
  const uint32_t wrong[] = {2, 3, 7}, right[] = {2, 3, IN};
  webnn_graph* graph = product(names);
  webnn_builder* builder;
  webnn_operand* x;
  webnn_shapes* shapes;
  webnn_named_dims given = shape_of("x", wrong, 3);
  webnn_run_options options = WEBNN_RUN_OPTIONS_INIT;
  webnn_dimension bad = WEBNN_DIMENSION_NAME("n");
  static float values[6 * IN], results[6 * OUT];
  webnn_input_view in;
  webnn_output_view out;
  FAILS(webnn_graph_compute_shapes(graph, &given, 1, &shapes, &error), WEBNN_TYPE_ERROR,
        "computeShapes",
        "computeShapes: the shape ([2, 3, 7]) of input \"x\" is not float32 [batch, sequence, 8].");
  FAILS(webnn_graph_compute_shapes(graph, NULL, 0, &shapes, &error), WEBNN_TYPE_ERROR,
        "computeShapes", "computeShapes: input \"x\", float32 [batch, sequence, 8], is missing.");
  FAILS(webnn_graph_compute_shapes(graph, &given, 1, NULL, &error), WEBNN_TYPE_ERROR,
        "computeShapes", "shapes is null");
  FAILS(webnn_graph_prepare(graph, NULL, 1, NULL, &error), WEBNN_TYPE_ERROR, "prepare",
        "inputs is null, but its length is 1");
  in.name = named("x"), in.data = values, in.bytes = sizeof values;
  out.name = named("y"), out.data = results, out.bytes = sizeof results;
  FAILS(webnn_context_compute(context, graph, &in, 1, &out, 1, NULL, &error), WEBNN_TYPE_ERROR,
        "compute",
        "compute: the byte length of input \"x\", float32 [batch, sequence, 8], does not determine "
        "its shape");
  given = shape_of("z", right, 3);
  options.shapes = &given, options.shapes_length = 1;
  FAILS(webnn_context_run(context, graph, &in, 1, &out, 1, &options, &error), WEBNN_TYPE_ERROR,
        "compute", "compute: shapes has \"z\", which is not among the inputs.");
  webnn_graph_release(graph);

  OK(webnn_builder_create(context, &builder, &error));
  bad.size = 3;
  FAILS(webnn_builder_input_dimensions(builder, named("x"), WEBNN_FLOAT32, &bad, 1, &x, &error),
        WEBNN_TYPE_ERROR, "input", "dimensions has both a name (n) and a size (3) for dimension 0");
  bad.size = 0, bad.min_size = 5, bad.max_size = 4;
  FAILS(webnn_builder_input_dimensions(builder, named("x"), WEBNN_FLOAT32, &bad, 1, &x, &error),
        WEBNN_TYPE_ERROR, "input", "the bounds of dimension 0 (\"n\"), 5 and 4");
  FAILS(webnn_builder_input_dimensions(builder, named("x"), 77, &bad, 1, &x, &error),
        WEBNN_TYPE_ERROR, "input", "data_type (77)");
  webnn_builder_release(builder);
}

static void bounds(void) {
  webnn_builder* builder;
  webnn_operand *x, *y;
  webnn_named_operand output;
  webnn_graph* graph;
  webnn_shapes* shapes;
  webnn_dimension n = WEBNN_DIMENSION_NAME("n"), read;
  webnn_build_options options = WEBNN_BUILD_OPTIONS_INIT;
  uint32_t size;
  n.min_size = 2;
  n.max_size = 5;
  options.specialization_bytes = 1 << 20;
  OK(webnn_builder_create(context, &builder, &error));
  OK(webnn_builder_input_dimensions(builder, named("x"), WEBNN_FLOAT32, &n, 1, &x, &error));
  OK(webnn_builder_relu(builder, x, NULL, &y, &error));
  CHECK(webnn_operand_dimension(x, 0, &read) == 1 && read.min_size == 2 && read.max_size == 5);
  output.name = named("y");
  output.operand = y;
  OK(webnn_builder_build(builder, &output, 1, &options, &graph, &error));
  for (size = 1; size <= 6; ++size) {
    const webnn_named_dims given = shape_of("x", &size, 1);
    if (size == 1 || size == 6) {
      FAILS(webnn_graph_prepare(graph, &given, 1, NULL, &error), WEBNN_TYPE_ERROR, "prepare",
            ") of dimension \"n\" is not between 2 and 5.");
      continue;
    }
    OK(webnn_graph_compute_shapes(graph, &given, 1, &shapes, &error));
    webnn_shapes_release(shapes);
  }
  webnn_operand_release(x);
  webnn_operand_release(y);
  webnn_graph_release(graph);
  webnn_builder_release(builder);
}

/* x [batch, 1, n, 6]: each operator on shapes by its function, and the graph at two sizes. */
static void operators_on_shapes(void) {
  const webnn_dimension dimensions[] = {WEBNN_DIMENSION_NAME("batch"), WEBNN_DIMENSION_SIZE(1),
                                        WEBNN_DIMENSION_NAME("n"), WEBNN_DIMENSION_SIZE(6)};
  const uint32_t sizes[][4] = {{2, 1, 3, 6}, {1, 1, 4, 6}};
  const uint32_t one[] = {1};
  webnn_builder* builder;
  webnn_operand *x, *squeezed, *shape, *flat, *back, *wide, *any, *outputs[1];
  webnn_squeeze_options squeeze = WEBNN_SQUEEZE_OPTIONS_INIT;
  webnn_dims axes;
  webnn_dimension n;
  webnn_named_operand named_outputs[3];
  webnn_graph* graph;
  size_t i, length = 0;
  webnn_attribute axis;
  axes.data = one, axes.length = 1;
  OK(webnn_builder_create(context, &builder, &error));
  OK(webnn_builder_input_dimensions(builder, named("x"), WEBNN_FLOAT32, dimensions, 4, &x, &error));
  squeeze.axes = axes;
  OK(webnn_builder_squeeze(builder, x, &squeeze, &squeezed, &error));
  OK(webnn_builder_squeeze(builder, x, NULL, &any, &error)); /* its rank depends on the run */
  CHECK(webnn_operand_is_open(any) == 1 && webnn_operand_dimension(any, 0, &n) == 0);
  CHECK(webnn_operand_descriptor(any).shape.data == NULL);
  OK(webnn_builder_shape(builder, squeezed, NULL, &shape, &error));
  OK(webnn_builder_reshape_to2d(builder, x, NULL, &flat, &error));
  OK(webnn_builder_reshape_dynamic(builder, flat, shape, NULL, &back, &error));
  axis.name = named("axes"), axis.kind = WEBNN_ATTRIBUTE_DIMS, axis.length = 1;
  axis.value.dims = one;
  OK(webnn_builder_op(builder, named("unsqueeze"), &back, 1, &axis, 1, outputs, 1, &length,
                      &error));
  wide = outputs[0];
  CHECK(length == 1);
  named_outputs[0].name = named("flat"), named_outputs[0].operand = flat;
  named_outputs[1].name = named("back"), named_outputs[1].operand = back;
  named_outputs[2].name = named("wide"), named_outputs[2].operand = wide;
  OK(webnn_builder_build(builder, named_outputs, 3, NULL, &graph, &error));
  for (i = 0; i < 2; ++i) {
    const webnn_named_dims given = shape_of("x", sizes[i], 4);
    webnn_shapes* shapes;
    webnn_named_descriptor d;
    OK(webnn_graph_compute_shapes(graph, &given, 1, &shapes, &error));
    CHECK(webnn_shapes_get(shapes, 0, &d) == 1 && d.descriptor.shape.length == 2);
    CHECK(d.descriptor.shape.data[0] == sizes[i][0] &&
          d.descriptor.shape.data[1] == sizes[i][2] * 6);
    CHECK(webnn_shapes_get(shapes, 1, &d) == 1 && d.descriptor.shape.length == 3);
    CHECK(d.descriptor.shape.data[1] == sizes[i][2]);
    CHECK(webnn_shapes_get(shapes, 2, &d) == 1 && d.descriptor.shape.length == 4);
    CHECK(memcmp(d.descriptor.shape.data, sizes[i], sizeof sizes[i]) == 0);
    webnn_shapes_release(shapes);
  }
  webnn_operand_release(x);
  webnn_operand_release(squeezed);
  webnn_operand_release(any);
  webnn_operand_release(shape);
  webnn_operand_release(flat);
  webnn_operand_release(back);
  webnn_operand_release(wide);
  webnn_graph_release(graph);
  webnn_builder_release(builder);
}

/* States as one tensor, and states with the rows of others. */
static void joined_and_forked_states(void) {
  webnn_builder* builder;
  webnn_operand *parts[2], *present;
  webnn_named_operand output;
  webnn_graph* graph;
  webnn_tensor *states[2], *forks[2], *joined, *rows, *none = NULL;
  webnn_named_tensor in[2], out;
  webnn_dimension past[3] = {WEBNN_DIMENSION_NAME("sequences"), WEBNN_DIMENSION_NAME("past"),
                             WEBNN_DIMENSION_SIZE(2)};
  webnn_dimension fresh[3] = {WEBNN_DIMENSION_NAME("sequences"), WEBNN_DIMENSION_NAME("new"),
                              WEBNN_DIMENSION_SIZE(2)};
  webnn_tensor_options options = WEBNN_TENSOR_OPTIONS_INIT;
  webnn_descriptor d;
  const uint32_t empty[] = {1, 0, 2}, row[] = {2, 1, 2};
  webnn_dims shape;
  float values[4];
  int i;
  past[1].max_size = 9;
  past[1].min_size = 0;
  OK(webnn_builder_create(context, &builder, &error));
  OK(webnn_builder_input_dimensions(builder, named("past"), WEBNN_FLOAT32, past, 3, &parts[0],
                                    &error));
  OK(webnn_builder_input_dimensions(builder, named("fresh"), WEBNN_FLOAT32, fresh, 3, &parts[1],
                                    &error));
  OK(webnn_builder_concat(builder, parts, 2, 1, NULL, &present, &error));
  OK(webnn_builder_update(builder, parts[0], present, &error));
  output.name = named("present");
  output.operand = present;
  OK(webnn_builder_build(builder, &output, 1, NULL, &graph, &error));
  shape.data = empty;
  shape.length = 3;
  for (i = 0; i < 2; ++i) {
    OK(webnn_graph_create_state(graph, named("past"), &shape, &states[i], &error));
    OK(webnn_tensor_resize_state(states[i], (uint32_t)i + 1, &error));
  }
  OK(webnn_fork_states((const webnn_tensor* const*)states, 2, forks, &error));
  CHECK(webnn_tensor_descriptor(forks[1]).shape.data[1] == 2);
  OK(webnn_join_states((const webnn_tensor* const*)states, 2, &joined, &error));
  CHECK(webnn_tensor_descriptor(joined).shape.data[0] == 2);
  d.data_type = WEBNN_FLOAT32;
  d.shape.data = row;
  d.shape.length = 3;
  options.readable = options.writable = 1;
  OK(webnn_context_create_tensor(context, &d, &options, &rows, &error));
  for (i = 0; i < 4; ++i) values[i] = (float)i + 5;
  OK(webnn_context_write_tensor(context, rows, values, sizeof values, &error));
  in[0].name = named("past");
  in[1].name = named("fresh");
  out.name = named("present");
  in[0].tensor = out.tensor = joined;
  in[1].tensor = rows;
  OK(webnn_context_dispatch(context, graph, in, 2, &out, 1, NULL, &error));
  OK(webnn_context_read_tensor(context, states[0], values, sizeof values, &error));
  CHECK(values[0] == 0 && values[1] == 0 && values[2] == 5 && values[3] == 6);
  CHECK(webnn_tensor_descriptor(states[1]).shape.data[1] == 3);
  CHECK(webnn_tensor_descriptor(forks[0]).shape.data[1] == 1);
  OK(webnn_context_read_tensor(context, forks[1], values, sizeof values, &error));
  CHECK(values[2] == 0 && values[3] == 0);
  FAILS(webnn_join_states(NULL, 0, &none, &error), WEBNN_TYPE_ERROR, "joinStates",
        "there are no states");
  FAILS(webnn_fork_states((const webnn_tensor* const*)&joined, 1, &none, &error), WEBNN_TYPE_ERROR,
        "forkStates", "states[0] is joined");
  CHECK(none == NULL);
  for (i = 0; i < 2; ++i) {
    webnn_tensor_release(states[i]);
    webnn_tensor_release(forks[i]);
    webnn_operand_release(parts[i]);
  }
  webnn_tensor_release(joined);
  webnn_tensor_release(rows);
  webnn_operand_release(present);
  webnn_graph_release(graph);
  webnn_builder_release(builder);
}

/* A tensor that has memory for the bound, and becomes longer with each dispatch. */
static void states_that_grow(void) {
  webnn_builder* builder;
  webnn_operand *parts[2], *present;
  webnn_named_operand output;
  webnn_graph* graph;
  webnn_tensor *state, *row, *plain;
  webnn_named_tensor in[2], out;
  webnn_dimension past = WEBNN_DIMENSION_NAME("past"), fresh = WEBNN_DIMENSION_NAME("new");
  webnn_tensor_options options = WEBNN_TENSOR_OPTIONS_INIT;
  webnn_descriptor d;
  const uint32_t one = 1, beyond = 5;
  webnn_dims shape;
  float values[4];
  int i;
  past.max_size = 4;
  past.min_size = 0;
  OK(webnn_builder_create(context, &builder, &error));
  OK(webnn_builder_input_dimensions(builder, named("past"), WEBNN_FLOAT32, &past, 1, &parts[0],
                                    &error));
  OK(webnn_builder_input_dimensions(builder, named("fresh"), WEBNN_FLOAT32, &fresh, 1, &parts[1],
                                    &error));
  OK(webnn_builder_concat(builder, parts, 2, 0, NULL, &present, &error));
  OK(webnn_builder_update(builder, parts[0], present, &error));
  output.name = named("present");
  output.operand = present;
  OK(webnn_builder_build(builder, &output, 1, NULL, &graph, &error));
  FAILS(webnn_graph_create_state(graph, named("fresh"), NULL, &state, &error), WEBNN_TYPE_ERROR,
        "createState", "input \"fresh\" of the graph is not a state");
  shape.data = &beyond;
  shape.length = 1;
  FAILS(webnn_graph_create_state(graph, named("past"), &shape, &state, &error), WEBNN_TYPE_ERROR,
        "createState", "the size (5) of dimension \"past\"");
  OK(webnn_graph_create_state(graph, named("past"), NULL, &state, &error));
  CHECK(webnn_tensor_state_capacity(state) == 4 && webnn_tensor_state_capacity(NULL) == 0);
  CHECK(webnn_tensor_descriptor(state).shape.data[0] == 0);
  d.data_type = WEBNN_FLOAT32;
  d.shape.data = &one;
  d.shape.length = 1;
  options.readable = options.writable = 1;
  OK(webnn_context_create_tensor(context, &d, &options, &row, &error));
  in[0].name = named("past");
  in[1].name = named("fresh");
  out.name = named("present");
  in[0].tensor = out.tensor = state;
  in[1].tensor = row;
  for (i = 0; i < 4; ++i) {
    const float value = (float)i + 1;
    OK(webnn_context_write_tensor(context, row, &value, sizeof value, &error));
    OK(webnn_context_dispatch(context, graph, in, 2, &out, 1, NULL, &error));
    CHECK(webnn_tensor_descriptor(state).shape.data[0] == (uint32_t)i + 1);
  }
  OK(webnn_context_read_tensor(context, state, values, sizeof values, &error));
  for (i = 0; i < 4; ++i) CHECK(values[i] == (float)i + 1);
  FAILS(webnn_context_dispatch(context, graph, in, 2, &out, 1, NULL, &error), WEBNN_TYPE_ERROR,
        "dispatch", "is beyond the bound of its state (4)");
  OK(webnn_tensor_resize_state(state, 1, &error));
  OK(webnn_context_read_tensor(context, state, values, sizeof values[0], &error));
  OK(webnn_context_create_tensor(context, &d, &options, &plain, &error));
  FAILS(webnn_tensor_resize_state(plain, 1, &error), WEBNN_TYPE_ERROR, "resizeState",
        "the tensor is not a state that grows");
  webnn_tensor_release(state);
  webnn_tensor_release(row);
  webnn_tensor_release(plain);
  webnn_operand_release(parts[0]);
  webnn_operand_release(parts[1]);
  webnn_operand_release(present);
  webnn_graph_release(graph);
  webnn_builder_release(builder);
}

/* The caches of a model are found by their names. */
static void caches_of_a_model(void) {
  static const char source[] =
      "webnn_graph \"decoder\" v1 {\n"
      "  inputs { past_key: f32[dyn(\"past\", 64), 2]; fresh: f32[\"new\", 2]; }\n"
      "  consts { }\n"
      "  nodes { present_key = concat([past_key, fresh], axis=0); }\n"
      "  outputs { present_key; }\n"
      "}\n";
  webnn_builder* builder;
  webnn_model* model;
  webnn_named_operand output;
  webnn_graph* graph;
  webnn_tensor* state;
  const uint32_t one[] = {1, 2};
  webnn_dims shape;
  OK(webnn_builder_create(context, &builder, &error));
  OK(webnn_builder_import_bytes(builder, named("webnn"), source, sizeof source - 1, NULL, &model,
                                &error));
  CHECK(webnn_model_cache_count(model) == 0 && webnn_model_cache_count(NULL) == 0);
  FAILS(webnn_builder_update_caches(builder, model, 0, &error), WEBNN_TYPE_ERROR, "updateCaches",
        "maxSize (0) is below the least size (1) of dimension \"past\"");
  OK(webnn_builder_update_caches(builder, model, 8, &error));
  CHECK(webnn_model_cache_count(model) == 1);
  CHECK(strcmp(webnn_model_cache_past(model, 0).data, "past_key") == 0);
  CHECK(strcmp(webnn_model_cache_present(model, 0).data, "present_key") == 0);
  CHECK(webnn_model_cache_past(model, 1).length == 0);
  CHECK(webnn_model_cache_present(NULL, 0).length == 0);
  output.name = named("present_key");
  output.operand = webnn_model_output(model, 0);
  OK(webnn_builder_build(builder, &output, 1, NULL, &graph, &error));
  shape.data = one;
  shape.length = 2;
  OK(webnn_graph_create_state(graph, named("past_key"), &shape, &state, &error));
  CHECK(webnn_tensor_state_capacity(state) == 8);
  webnn_tensor_release(state);
  webnn_operand_release(output.operand);
  webnn_graph_release(graph);
  webnn_model_release(model);
  webnn_builder_release(builder);
}

/* sum' = sum + x, which begins with 10 and 20. */
static void states_that_a_graph_keeps(void) {
  webnn_builder* builder;
  webnn_operand *sum, *x, *next, *y;
  webnn_named_operand outputs[2];
  webnn_graph* graph;
  const uint32_t two = 2;
  const float first[2] = {10, 20}, step[2] = {1, 2};
  float found[2];
  webnn_descriptor d;
  webnn_input_view in;
  webnn_output_view out;
  int i;
  memset(&d, 0, sizeof d);
  memset(&in, 0, sizeof in);
  memset(&out, 0, sizeof out);
  d.data_type = WEBNN_FLOAT32;
  d.shape.data = &two;
  d.shape.length = 1;
  OK(webnn_builder_create(context, &builder, &error));
  OK(webnn_builder_input(builder, named("sum"), &d, &sum, &error));
  OK(webnn_builder_input(builder, named("x"), &d, &x, &error));
  OK(webnn_builder_add(builder, sum, x, NULL, &next, &error));
  OK(webnn_builder_neg(builder, next, NULL, &y, &error));
  FAILS(webnn_builder_keep_state(builder, sum, next, first, 4, &error), WEBNN_TYPE_ERROR,
        "keepState", "the byte length (4) of the initial value of state_in \"sum\"");
  OK(webnn_builder_keep_state(builder, sum, next, first, sizeof first, &error));
  outputs[0].name = named("y");
  outputs[0].operand = y;
  outputs[1].name = named("next");
  outputs[1].operand = next;
  OK(webnn_builder_build(builder, outputs, 2, NULL, &graph, &error));
  in.name = named("x"), in.data = step, in.bytes = sizeof step;
  out.name = named("y"), out.data = found, out.bytes = sizeof found;
  for (i = 1; i < 4; ++i) {
    OK(webnn_context_compute(context, graph, &in, 1, &out, 1, NULL, &error));
    CHECK(found[0] == -10 - (float)i && found[1] == -20 - 2 * (float)i);
  }
  OK(webnn_graph_reset_states(graph, &error));
  OK(webnn_context_compute(context, graph, &in, 1, &out, 1, NULL, &error));
  CHECK(found[0] == -11 && found[1] == -22);
  webnn_operand_release(sum);
  webnn_operand_release(x);
  webnn_operand_release(next);
  webnn_operand_release(y);
  webnn_graph_release(graph);
  webnn_builder_release(builder);
}

int main(void) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  options.threads = 2;
  OK(webnn_context_create(&options, &context, &error));
  each_run_equals_the_static_graph();
  runs_without_waiting();
  operands_have_dimensions();
  refusals();
  bounds();
  operators_on_shapes();
  states_that_grow();
  joined_and_forked_states();
  caches_of_a_model();
  states_that_a_graph_keeps();
  webnn_context_release(context);
  puts("open shapes");
  return 0;
}
