/* Operators of the caller in C: the three of tests/support/custom_operators.h. */
#include "tests/c/check.h"

static webnn_error* error = NULL;

static webnn_dims dims_of(const uint32_t* data, size_t length) {
  webnn_dims dims;
  dims.data = data;
  dims.length = length;
  return dims;
}
static size_t elements(webnn_dims shape) {
  size_t i, n = 1;
  for (i = 0; i < shape.length; ++i) n *= shape.data[i];
  return n;
}
static int32_t refuse(webnn_string* refusal, webnn_string reason) {
  *refusal = reason;
  return 0;
}

/* test.TopK: the k largest numbers of each row, and their places. */
static int32_t infer_top_k(void* user, webnn_custom_call* call, webnn_string* refusal) {
  webnn_value x;
  uint32_t shape[8];
  webnn_descriptor d;
  const double k = webnn_custom_call_number(call, WEBNN_STRING("k"), 0);
  size_t rank;
  (void)user;
  if (!webnn_custom_call_input(call, 0, &x)) return refuse(refusal, WEBNN_STRING("no operand"));
  rank = x.descriptor.shape.length;
  if (rank < 1 || rank > 8) return refuse(refusal, WEBNN_STRING("it takes one tensor with rows"));
  memcpy(shape, x.descriptor.shape.data, rank * sizeof *shape);
  if (k < 1 || k > shape[rank - 1]) return refuse(refusal, WEBNN_STRING("k is out of range"));
  shape[rank - 1] = (uint32_t)k;
  d.shape = dims_of(shape, rank);
  d.data_type = WEBNN_FLOAT32;
  CHECK(webnn_custom_call_add_output(call, &d));
  d.data_type = WEBNN_INT32;
  return webnn_custom_call_add_output(call, &d);
}
static int32_t compute_top_k(void* user, const webnn_custom_call* call, const void* const* inputs,
                             void* const* outputs, webnn_string* refusal) {
  webnn_value x;
  size_t row, i, place, n;
  const size_t k = (size_t)webnn_custom_call_number(call, WEBNN_STRING("k"), 0);
  const float* from = inputs[0];
  float* values = outputs[0];
  int32_t* places = outputs[1];
  *(int*)user += 1;
  CHECK(webnn_custom_call_input(call, 0, &x) && x.constant == NULL);
  CHECK(webnn_custom_call_output_count(call) == 2);
  if (from[0] == 99) return refuse(refusal, WEBNN_STRING("99 is not a number"));
  n = x.descriptor.shape.data[x.descriptor.shape.length - 1];
  for (row = 0; row < elements(x.descriptor.shape) / n; ++row, from += n)
    for (place = 0; place < n; ++place) {
      size_t before = 0;
      for (i = 0; i < n; ++i)
        before += from[i] > from[place] || (from[i] == from[place] && i < place);
      if (before >= k) continue;
      values[row * k + before] = from[place];
      places[row * k + before] = (int32_t)place;
    }
  return 1;
}

/* test.ScaledSum: x * scale + sum of all offsets, with tiles of 16 elements. */
struct scaled {
  size_t count;
  float scale, sum;
};
static int released_kernels = 0;
static void run_scaled(void* user, const webnn_kernel_run* run) {
  const struct scaled* s = user;
  const float* x = run->inputs[0];
  float* y = run->outputs[0];
  size_t i;
  for (i = (size_t)run->begin * 16; i < (size_t)run->end * 16 && i < s->count; ++i)
    y[i] = x[i] * s->scale + s->sum;
}
static void release_scaled(void* user) {
  released_kernels += 1;
  free(user);
}
static int32_t infer_same(void* user, webnn_custom_call* call, webnn_string* refusal) {
  webnn_value x;
  (void)user;
  if (!webnn_custom_call_input(call, 0, &x)) return refuse(refusal, WEBNN_STRING("no operand"));
  return webnn_custom_call_add_output(call, &x.descriptor);
}
static int32_t lower_scaled(void* user, const webnn_custom_call* call, webnn_kernel* kernel,
                            webnn_string* refusal) {
  webnn_value x;
  webnn_attribute offsets;
  size_t i;
  struct scaled* s;
  (void)user;
  CHECK(webnn_custom_call_input(call, 0, &x));
  if (x.descriptor.data_type != WEBNN_FLOAT32) return refuse(refusal, WEBNN_STRING("only float32"));
  s = malloc(sizeof *s);
  CHECK(s);
  s->count = elements(x.descriptor.shape);
  s->scale = (float)webnn_custom_call_number(call, WEBNN_STRING("scale"), 0);
  s->sum = 0;
  CHECK(webnn_custom_call_attribute(call, WEBNN_STRING("offsets"), &offsets));
  CHECK(offsets.kind == WEBNN_ATTRIBUTE_NUMBERS);
  for (i = 0; i < offsets.length; ++i) s->sum += (float)offsets.value.numbers[i].value.float64;
  kernel->user = s;
  kernel->name = WEBNN_STRING("tiles of 16");
  kernel->tiles = (int32_t)((s->count + 15) / 16);
  kernel->in_place = 0;
  kernel->run = run_scaled;
  kernel->release = release_scaled;
  return 1;
}

/* test.Counted: as many elements as a constant says. */
static int32_t infer_counted(void* user, webnn_custom_call* call, webnn_string* refusal) {
  webnn_value n;
  webnn_descriptor d;
  (void)user;
  if (!webnn_custom_call_input(call, 0, &n) || !n.constant || n.constant_bytes != 4)
    return refuse(refusal, WEBNN_STRING("the number of elements is not a constant"));
  d.data_type = WEBNN_INT32;
  d.shape = dims_of(n.constant, 1);
  return webnn_custom_call_add_output(call, &d);
}
static int32_t compute_counted(void* user, const webnn_custom_call* call, const void* const* inputs,
                               void* const* outputs, webnn_string* refusal) {
  webnn_descriptor d;
  int32_t* y = outputs[0];
  uint32_t i;
  (void)user;
  (void)inputs;
  (void)refusal;
  CHECK(webnn_custom_call_output(call, 0, &d));
  for (i = 0; i < d.shape.data[0]; ++i) y[i] = (int32_t)i;
  return 1;
}

static int released = 0;
static void release_operator(void* user) {
  (void)user;
  released += 1;
}

static webnn_attribute number_of(webnn_string name, double v, int whole) {
  webnn_attribute a;
  memset(&a, 0, sizeof a);
  a.name = name;
  a.kind = WEBNN_ATTRIBUTE_NUMBER;
  a.value.number.kind = whole ? WEBNN_NUMBER_INT64 : WEBNN_NUMBER_FLOAT64;
  if (whole) a.value.number.value.int64 = (int64_t)v;
  else a.value.number.value.float64 = v;
  return a;
}
static webnn_attribute numbers_of(webnn_string name, const webnn_number* v, size_t length) {
  webnn_attribute a;
  memset(&a, 0, sizeof a);
  a.name = name;
  a.kind = WEBNN_ATTRIBUTE_NUMBERS;
  a.length = length;
  a.value.numbers = v;
  return a;
}

static webnn_custom_operator* new_top_k(int* runs) {
  webnn_custom_operator_callbacks c = WEBNN_CUSTOM_OPERATOR_CALLBACKS_INIT;
  webnn_custom_operator* o = NULL;
  const webnn_attribute k = number_of(WEBNN_STRING("k"), 1, 1);
  c.user = runs;
  c.name = WEBNN_STRING("test.TopK");
  c.attributes = &k;
  c.attributes_length = 1;
  c.infer = infer_top_k;
  c.compute = compute_top_k;
  c.release = release_operator;
  OK(webnn_custom_operator_create(&c, &o, &error));
  return o;
}
static webnn_custom_operator* new_scaled_sum(void) {
  webnn_custom_operator_callbacks c = WEBNN_CUSTOM_OPERATOR_CALLBACKS_INIT;
  webnn_custom_operator* o = NULL;
  webnn_attribute attributes[2];
  webnn_number none;
  memset(&none, 0, sizeof none);
  none.kind = WEBNN_NUMBER_FLOAT64;
  attributes[0] = number_of(WEBNN_STRING("scale"), 1, 0);
  attributes[1] = numbers_of(WEBNN_STRING("offsets"), &none, 1);
  c.name = WEBNN_STRING("test.ScaledSum");
  c.version = 3;
  c.attributes = attributes;
  c.attributes_length = 2;
  c.infer = infer_same;
  c.lower = lower_scaled;
  c.release = release_operator;
  OK(webnn_custom_operator_create(&c, &o, &error));
  return o;
}
static webnn_custom_operator* new_counted(void) {
  webnn_custom_operator_callbacks c = WEBNN_CUSTOM_OPERATOR_CALLBACKS_INIT;
  webnn_custom_operator* o = NULL;
  c.name = WEBNN_STRING("test.Counted");
  c.infer = infer_counted;
  c.compute = compute_counted;
  c.release = release_operator;
  OK(webnn_custom_operator_create(&c, &o, &error));
  return o;
}

static void test_computes(void) {
  int runs = 0;
  webnn_custom_operator* operators[3];
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context* context = NULL;
  webnn_builder* b = NULL;
  webnn_graph* graph = NULL;
  const uint32_t sizes[] = {2, 4}, five = 5;
  const float in[] = {1, -2, 3, -4, 0, 0, -1, 5};
  webnn_descriptor d;
  webnn_operand *x = NULL, *n = NULL, *scaled = NULL, *top[2] = {NULL, NULL}, *numbers = NULL;
  webnn_attribute attributes[2];
  webnn_number offsets[2];
  webnn_named_operand outputs[4];
  float values[4], z[8];
  int32_t places[4], counted[5];
  webnn_input_view input;
  webnn_output_view views[4];
  size_t i, length = 0;

  operators[0] = new_top_k(&runs);
  operators[1] = new_scaled_sum();
  operators[2] = new_counted();
  options.operators = operators;
  options.operators_length = 3;
  options.threads = 2;
  OK(webnn_context_create(&options, &context, &error));
  OK(webnn_builder_create(context, &b, &error));
  d.data_type = WEBNN_FLOAT32;
  d.shape = dims_of(sizes, 2);
  OK(webnn_builder_input(b, WEBNN_STRING("x"), &d, &x, &error));
  d.data_type = WEBNN_UINT32;
  d.shape = dims_of(sizes, 0);
  OK(webnn_builder_constant(b, &d, &five, 4, &n, &error));

  attributes[0] = number_of(WEBNN_STRING("scale"), -2, 1);
  memset(offsets, 0, sizeof offsets);
  offsets[0].kind = offsets[1].kind = WEBNN_NUMBER_FLOAT64;
  offsets[0].value.float64 = 0.5;
  offsets[1].value.float64 = 1;
  attributes[1] = numbers_of(WEBNN_STRING("offsets"), offsets, 2);
  OK(webnn_builder_custom(b, operators[1], &x, 1, attributes, 2, WEBNN_STRING("scaled"), &scaled, 1,
                          &length, &error));
  CHECK(length == 1);
  attributes[0] = number_of(WEBNN_STRING("k"), 2, 1);
  OK(webnn_builder_custom_named(b, WEBNN_STRING("test.TopK"), &scaled, 1, attributes, 1,
                                WEBNN_STRING("best"), top, 2, &length, &error));
  CHECK(length == 2);
  OK(webnn_builder_custom(b, operators[2], &n, 1, NULL, 0, WEBNN_STRING(""), &numbers, 1, &length,
                          &error));

  attributes[0] = number_of(WEBNN_STRING("k"), 5, 1);
  FAILS(webnn_builder_custom(b, operators[0], &x, 1, attributes, 1, WEBNN_STRING("l"), top, 2,
                             &length, &error),
        WEBNN_TYPE_ERROR, "test.TopK", "k is out of range");
  attributes[0] = number_of(WEBNN_STRING("n"), 5, 1);
  FAILS(webnn_builder_custom(b, operators[0], &x, 1, attributes, 1, WEBNN_STRING("l"), top, 2,
                             &length, &error),
        WEBNN_TYPE_ERROR, "test.TopK", "\"n\" is not one of its attributes (k)");
  FAILS(webnn_builder_custom(b, operators[2], &x, 1, NULL, 0, WEBNN_STRING(""), &numbers, 1,
                             &length, &error),
        WEBNN_TYPE_ERROR, "test.Counted", "is not a constant");
  FAILS(webnn_builder_custom_named(b, WEBNN_STRING("test.None"), &x, 1, NULL, 0, WEBNN_STRING(""),
                                   &numbers, 1, &length, &error),
        WEBNN_TYPE_ERROR, "custom", "\"test.None\"");

  for (i = 0; i < 3; ++i) webnn_custom_operator_release(operators[i]);
  outputs[0].name = WEBNN_STRING("values");
  outputs[0].operand = top[0];
  outputs[1].name = WEBNN_STRING("places");
  outputs[1].operand = top[1];
  outputs[2].name = WEBNN_STRING("z");
  outputs[2].operand = scaled;
  outputs[3].name = WEBNN_STRING("numbers");
  outputs[3].operand = numbers;
  OK(webnn_builder_build(b, outputs, 4, NULL, &graph, &error));
  webnn_operand_release(x);
  webnn_operand_release(n);
  webnn_operand_release(scaled);
  webnn_operand_release(top[0]);
  webnn_operand_release(top[1]);
  webnn_operand_release(numbers);
  webnn_builder_release(b);

  input.name = WEBNN_STRING("x");
  input.data = in;
  input.bytes = sizeof in;
  for (i = 0; i < 4; ++i) views[i].name = outputs[i].name;
  views[0].data = values;
  views[0].bytes = sizeof values;
  views[1].data = places;
  views[1].bytes = sizeof places;
  views[2].data = z;
  views[2].bytes = sizeof z;
  views[3].data = counted;
  views[3].bytes = sizeof counted;
  OK(webnn_context_compute(context, graph, &input, 1, views, 4, NULL, &error));
  CHECK(runs == 1);
  for (i = 0; i < 8; ++i) CHECK(z[i] == -2 * in[i] + 1.5f);
  CHECK(values[0] == 9.5f && values[1] == 5.5f && values[2] == 3.5f && values[3] == 1.5f);
  CHECK(places[0] == 3 && places[1] == 1 && places[2] == 2 && places[3] == 0);
  for (i = 0; i < 5; ++i) CHECK(counted[i] == (int32_t)i);

  CHECK(released == 0 && released_kernels == 0);
  webnn_graph_release(graph);
  webnn_context_release(context);
  CHECK(released == 3 && released_kernels == 1);
}

/* A callback that returns 0 while the graph runs. */
static void test_refuses(void) {
  int runs = 0;
  webnn_custom_operator* top_k = new_top_k(&runs);
  webnn_context* context = NULL;
  webnn_builder* b = NULL;
  webnn_graph* graph = NULL;
  const uint32_t size = 2;
  const float in[] = {99, 1};
  float out;
  webnn_descriptor d;
  webnn_operand *x = NULL, *top[2] = {NULL, NULL};
  webnn_named_operand output;
  webnn_input_view input;
  webnn_output_view view;
  size_t length = 0;
  released = 0;
  OK(webnn_context_create(NULL, &context, &error));
  OK(webnn_builder_create(context, &b, &error));
  d.data_type = WEBNN_FLOAT32;
  d.shape = dims_of(&size, 1);
  OK(webnn_builder_input(b, WEBNN_STRING("x"), &d, &x, &error));
  FAILS(webnn_builder_custom(b, NULL, &x, 1, NULL, 0, WEBNN_STRING(""), top, 2, &length, &error),
        WEBNN_TYPE_ERROR, "custom", "custom_operator is null");
  FAILS(webnn_builder_custom(b, top_k, &x, 1, NULL, 0, WEBNN_STRING(""), top, 1, &length, &error),
        WEBNN_TYPE_ERROR, "test.TopK", "capacity (1) is less than the number (2)");
  OK(webnn_builder_custom(b, top_k, &x, 1, NULL, 0, WEBNN_STRING("best"), top, 2, &length, &error));
  output.name = WEBNN_STRING("y");
  output.operand = top[0];
  OK(webnn_builder_build(b, &output, 1, NULL, &graph, &error));
  input.name = WEBNN_STRING("x");
  input.data = in;
  input.bytes = sizeof in;
  view.name = WEBNN_STRING("y");
  view.data = &out;
  view.bytes = sizeof out;
  FAILS(webnn_context_compute(context, graph, &input, 1, &view, 1, NULL, &error),
        WEBNN_OPERATION_ERROR, "test.TopK", "99 is not a number");
  webnn_operand_release(x);
  webnn_operand_release(top[0]);
  webnn_operand_release(top[1]);
  webnn_builder_release(b);
  webnn_graph_release(graph);
  webnn_context_release(context);
  CHECK(released == 0);
  webnn_custom_operator_release(top_k);
  CHECK(released == 1);
}

/* What is none. */
static void test_wrong_definitions(void) {
  webnn_custom_operator_callbacks c = WEBNN_CUSTOM_OPERATOR_CALLBACKS_INIT;
  webnn_custom_operator* o = NULL;
  webnn_attribute twice[2];
  released = 0;
  c.release = release_operator;
  c.name = WEBNN_STRING("test.One");
  FAILS(webnn_custom_operator_create(&c, &o, &error), WEBNN_TYPE_ERROR, "custom_operator",
        "there is no infer()");
  c.infer = infer_same;
  FAILS(webnn_custom_operator_create(&c, &o, &error), WEBNN_TYPE_ERROR, "custom_operator",
        "there is neither compute() nor lower()");
  c.lower = lower_scaled;
  c.name = WEBNN_STRING("relu");
  FAILS(webnn_custom_operator_create(&c, &o, &error), WEBNN_TYPE_ERROR, "custom_operator",
        "is that of an operator of the library");
  c.name = WEBNN_STRING("two words");
  FAILS(webnn_custom_operator_create(&c, &o, &error), WEBNN_TYPE_ERROR, "custom_operator",
        "\"two words\"");
  c.name = WEBNN_STRING("test.One");
  twice[0] = twice[1] = number_of(WEBNN_STRING("a"), 1, 1);
  c.attributes = twice;
  c.attributes_length = 2;
  FAILS(webnn_custom_operator_create(&c, &o, &error), WEBNN_TYPE_ERROR, "custom_operator",
        "attribute \"a\" is there twice");
  CHECK(released == 0);
}

int main(void) {
  test_computes();
  test_refuses();
  test_wrong_definitions();
  return 0;
}
