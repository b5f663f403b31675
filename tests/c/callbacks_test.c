/* What calls back from the C interface: threads, kernels, and work without waiting. */
#include <pthread.h>

#include "tests/c/check.h"

static webnn_error* error = NULL;

/* A chain of two operators on one input of 8192 floats. */
static webnn_graph* new_graph(webnn_context* context, const webnn_build_options* options,
                              webnn_status expected) {
  const uint32_t sizes[] = {8192};
  webnn_descriptor d;
  webnn_builder* b = NULL;
  webnn_operand *x = NULL, *sine = NULL, *y = NULL;
  webnn_named_operand output;
  webnn_graph* graph = NULL;
  d.data_type = WEBNN_FLOAT32;
  d.shape.data = sizes;
  d.shape.length = 1;
  OK(webnn_builder_create(context, &b, &error));
  OK(webnn_builder_input(b, WEBNN_STRING("x"), &d, &x, &error));
  OK(webnn_builder_sin(b, x, NULL, &sine, &error));
  OK(webnn_builder_relu(b, sine, NULL, &y, &error));
  output.name = WEBNN_STRING("y");
  output.operand = y;
  CHECK(webnn_builder_build(b, &output, 1, options, &graph, &error) == expected);
  webnn_operand_release(x);
  webnn_operand_release(sine);
  webnn_operand_release(y);
  webnn_builder_release(b);
  return graph;
}
static float x[8192], y[8192];
static webnn_input_view in;
static webnn_output_view out;

/* A pool that runs two workers, one of them on a thread of its own. */
struct pool {
  int runs, released;
};
struct worker {
  void (*body)(void*, int);
  void* argument;
};
static void* work(void* user) {
  const struct worker* w = user;
  w->body(w->argument, 1);
  return NULL;
}
static void run_pool(void* user, void (*body)(void*, int), void* argument) {
  struct worker other;
  pthread_t thread;
  ((struct pool*)user)->runs += 1;
  other.body = body;
  other.argument = argument;
  CHECK(pthread_create(&thread, NULL, work, &other) == 0);
  body(argument, 0);
  CHECK(pthread_join(thread, NULL) == 0);
}
static void release_pool(void* user) { ((struct pool*)user)->released += 1; }

static void test_thread_pool(void) {
  struct pool state = {0, 0};
  webnn_thread_pool pool = WEBNN_THREAD_POOL_INIT;
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context* context = NULL;
  webnn_graph* graph;
  pool.user = &state;
  pool.threads = 2;
  pool.run = run_pool;
  pool.release = release_pool;
  options.thread_pool = &pool;
  OK(webnn_context_create(&options, &context, &error));
  CHECK(webnn_context_threads(context) == 2);
  graph = new_graph(context, NULL, WEBNN_OK);
  OK(webnn_context_compute(context, graph, &in, 1, &out, 1, NULL, &error));
  CHECK(state.runs > 0);
  webnn_graph_release(graph);
  CHECK(state.released == 0);
  webnn_context_release(context);
  CHECK(state.released == 1);

  pool.threads = 0;
  FAILS(webnn_context_create(&options, &context, &error), WEBNN_TYPE_ERROR, "createContext",
        "thread_pool.threads (0) is less than 1");
  CHECK(state.released == 1);
}

/* A backend with a kernel for relu. */
struct kernel {
  size_t count;
  int* released;
};
static int backends_released = 0, kernels_released = 0;
static void run_relu(void* user, const webnn_kernel_run* run) {
  const struct kernel* k = user;
  const float* from = run->inputs[0];
  float* to = run->outputs[0];
  size_t i = (size_t)run->begin * 1024;
  const size_t end = (size_t)run->end * 1024 < k->count ? (size_t)run->end * 1024 : k->count;
  for (; i < end; ++i) to[i] = from[i] > 0 ? from[i] : 0;
}
static void release_kernel(void* user) {
  struct kernel* k = user;
  *k->released += 1;
  free(k);
}
static int32_t lower(void* user, const webnn_chain* chain, webnn_kernel* kernel,
                     webnn_string* refusal) {
  webnn_value value;
  struct kernel* k;
  size_t d;
  (void)user;
  if (webnn_chain_length(chain) != 1 || !equal(webnn_chain_operator(chain, 0), "relu")) {
    *refusal = WEBNN_STRING("only relu");
    return 0;
  }
  CHECK(webnn_chain_input_count(chain) == 1 && webnn_chain_output_count(chain) == 1);
  CHECK(webnn_chain_output(chain, 0, &value) && value.constant == NULL);
  CHECK(!webnn_chain_input(chain, 1, &value));
  CHECK(webnn_chain_attribute(chain, 0, WEBNN_STRING("axis")).length == 0);
  k = malloc(sizeof *k);
  k->count = 1;
  k->released = &kernels_released;
  for (d = 0; d < value.descriptor.shape.length; ++d) k->count *= value.descriptor.shape.data[d];
  kernel->name = WEBNN_STRING("plain relu");
  kernel->tiles = (int32_t)((k->count + 1023) / 1024);
  kernel->in_place = 0;
  kernel->user = k;
  kernel->run = run_relu;
  kernel->release = release_kernel;
  return 1;
}
static void release_backend(void* user) { *(int*)user += 1; }

static void test_backend(void) {
  webnn_backend_callbacks callbacks = WEBNN_BACKEND_CALLBACKS_INIT;
  webnn_backend* order[2] = {NULL, NULL};
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context* context = NULL;
  webnn_graph* graph;
  webnn_text* text = NULL;
  size_t i;
  callbacks.name = WEBNN_STRING("custom");
  callbacks.lower = lower;
  callbacks.user = &backends_released;
  callbacks.release = release_backend;
  OK(webnn_backend_create(&callbacks, &order[0], &error));
  OK(webnn_backend_named(WEBNN_STRING("reference"), &order[1], &error));
  options.threads = 2;
  options.backends = order;
  options.backends_length = 2;
  OK(webnn_context_create(&options, &context, &error));
  webnn_backend_release(order[0]);
  webnn_backend_release(order[1]);
  OK(webnn_context_backends(context, &text, &error));
  CHECK(equal(webnn_text_string(text), "[\"custom\",\"reference\"]"));
  webnn_text_release(text);
  graph = new_graph(context, NULL, WEBNN_OK);
  OK(webnn_graph_explain(graph, NULL, 0, &text, &error));
  CHECK(contains(webnn_text_string(text), "plain relu"));
  CHECK(contains(webnn_text_string(text), "only relu"));
  webnn_text_release(text);
  OK(webnn_context_compute(context, graph, &in, 1, &out, 1, NULL, &error));
  for (i = 0; i < 8192; ++i) CHECK(y[i] >= 0);
  CHECK(y[1] > 0);
  webnn_context_release(context);
  CHECK(backends_released == 0 && kernels_released == 0);
  webnn_graph_release(graph);
  CHECK(backends_released == 1 && kernels_released == 1);
}

/* Work without waiting. */
struct done {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  int count;
  webnn_status status;
  webnn_graph* graph;
  float first;
};
static void finish(struct done* d, const webnn_error* failed) {
  pthread_mutex_lock(&d->mutex);
  d->count += 1;
  d->status = webnn_error_status(failed);
  pthread_cond_signal(&d->condition);
  pthread_mutex_unlock(&d->mutex);
}
static void wait_for(struct done* d, int count) {
  pthread_mutex_lock(&d->mutex);
  while (d->count < count) pthread_cond_wait(&d->condition, &d->mutex);
  pthread_mutex_unlock(&d->mutex);
}
static void computed(void* user, const webnn_error* failed) { finish(user, failed); }
static void was_read(void* user, const webnn_error* failed, const void* data, size_t bytes) {
  if (bytes >= sizeof(float)) ((struct done*)user)->first = ((const float*)data)[1];
  finish(user, failed);
}

static void test_async(void) {
  struct done d = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, NULL, 0};
  webnn_context* context = NULL;
  webnn_graph* graph;
  webnn_tensor *a = NULL, *b = NULL;
  webnn_tensor_options options = WEBNN_TENSOR_OPTIONS_INIT;
  webnn_named_descriptor named;
  webnn_named_tensor inputs, outputs;
  webnn_stop* stop = webnn_stop_create();
  OK(webnn_context_create(NULL, &context, &error));
  graph = new_graph(context, NULL, WEBNN_OK);
  y[1] = 0;
  OK(webnn_context_compute_async(context, graph, &in, 1, &out, 1, NULL, computed, &d, &error));
  wait_for(&d, 1);
  CHECK(d.status == WEBNN_OK && y[1] > 0);

  CHECK(webnn_graph_input(graph, 0, &named));
  options.readable = options.writable = 1;
  OK(webnn_context_create_tensor(context, &named.descriptor, &options, &a, &error));
  OK(webnn_context_create_tensor(context, &named.descriptor, &options, &b, &error));
  CHECK(webnn_tensor_descriptor(a).shape.data[0] == 8192);
  OK(webnn_context_write_tensor(context, a, x, sizeof x, &error));
  inputs.name = WEBNN_STRING("x");
  inputs.tensor = a;
  outputs.name = WEBNN_STRING("y");
  outputs.tensor = b;
  OK(webnn_context_dispatch(context, graph, &inputs, 1, &outputs, 1, NULL, &error));
  OK(webnn_context_read_tensor_async(context, b, was_read, &d, &error));
  wait_for(&d, 2);
  CHECK(d.status == WEBNN_OK && d.first == y[1]);
  y[1] = 0;
  OK(webnn_context_read_tensor(context, b, y, sizeof y, &error));
  CHECK(y[1] == d.first);
  FAILS(webnn_context_read_tensor(context, b, y, 4, &error), WEBNN_TYPE_ERROR, "readTensor", "4");

  webnn_stop_request(stop);
  FAILS(webnn_context_compute(context, graph, &in, 1, &out, 1, stop, &error), WEBNN_ABORT_ERROR,
        "compute", "");
  OK(webnn_context_compute_async(context, graph, &in, 1, &out, 1, stop, computed, &d, &error));
  wait_for(&d, 3);
  CHECK(d.status == WEBNN_ABORT_ERROR);
  webnn_stop_release(stop);
  webnn_tensor_release(a);
  webnn_tensor_destroy(b);
  webnn_tensor_release(b);
  webnn_graph_destroy(graph);
  webnn_graph_release(graph);
  webnn_context_release(context);
}

/* Builds. */
static int stages = 0;
static int32_t progress(void* user, webnn_string stage, size_t done, size_t total) {
  CHECK(done <= total);
  stages |= equal(stage, "passes") ? 1 : equal(stage, "kernels") ? 2 : 4;
  return user != NULL;
}

static void test_build(void) {
  webnn_build_options options = WEBNN_BUILD_OPTIONS_INIT;
  webnn_context* context = NULL;
  OK(webnn_context_create(NULL, &context, &error));
  options.progress = progress;
  webnn_graph_release(new_graph(context, &options, WEBNN_OK));
  CHECK(stages == 3);
  options.user = &options;
  CHECK(new_graph(context, &options, WEBNN_ABORT_ERROR) == NULL);
  CHECK(contains(webnn_error_message(error), "the progress callback ended it"));
  webnn_error_release(error);
  error = NULL;
  webnn_context_release(context);
}

int main(void) {
  size_t i;
  for (i = 0; i < 8192; ++i) x[i] = (float)i * 0.5f;
  in.name = WEBNN_STRING("x");
  in.data = x;
  in.bytes = sizeof x;
  out.name = WEBNN_STRING("y");
  out.data = y;
  out.bytes = sizeof y;
  test_thread_pool();
  test_backend();
  test_async();
  test_build();
  return 0;
}
