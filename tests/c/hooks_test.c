/* Memory, messages and traces of the caller, and reports as structs. */
#include "tests/c/check.h"

static webnn_error* error = NULL;

/* An allocator that counts. One thread. */
struct counts {
  int now[3], all[3], fails_at, asked, released, wrong;
  size_t bytes;
};
struct block {
  void *memory, *whole;
  size_t bytes;
  webnn_memory_purpose purpose;
};
static struct block blocks[256];

static void* allocate(void* user, size_t bytes, size_t alignment, webnn_memory_purpose purpose) {
  struct counts* c = user;
  struct block* b = blocks;
  char *memory, *whole;
  if (c->asked++ == c->fails_at) return NULL;
  memory = whole = malloc(bytes + alignment);
  memory += alignment - (size_t)((uintptr_t)memory % alignment);
  while (b->memory) ++b;
  b->memory = memory;
  b->whole = whole;
  b->bytes = bytes;
  b->purpose = purpose;
  ++c->now[purpose];
  ++c->all[purpose];
  c->bytes += bytes;
  return memory;
}
static void deallocate(void* user, void* memory, size_t bytes, webnn_memory_purpose purpose) {
  struct counts* c = user;
  struct block* b = blocks;
  while (b < blocks + 256 && b->memory != memory) ++b;
  if (b == blocks + 256 || b->bytes != bytes || b->purpose != purpose) {
    ++c->wrong;
    return;
  }
  free(b->whole);
  b->memory = NULL;
  --c->now[purpose];
  c->bytes -= bytes;
}
static void release(void* user) { ++((struct counts*)user)->released; }

struct said {
  int count;
  char last[256];
  webnn_log_level level;
};
static void log_message(void* user, webnn_log_level level, webnn_string message) {
  struct said* s = user;
  ++s->count;
  s->level = level;
  memcpy(s->last, message.data, message.length < 255 ? message.length : 255);
}

struct traced {
  int count, wrong;
  size_t last_step;
  int64_t tiles, bytes;
  int labeled;
};
static void trace_event(void* user, const webnn_trace_event* e) {
  struct traced* t = user;
  ++t->count;
  t->last_step = e->step;
  t->tiles += e->tiles;
  t->bytes += (int64_t)e->bytes;
  t->labeled += equal(e->label, "last") && contains(e->operators, "softmax");
  if (e->worker != 0 || e->duration < 0 || e->start <= 0 || e->tiles < 1 ||
      e->tiles > e->tiles_of_step || e->kernel.length == 0)
    ++t->wrong;
}

static webnn_graph* softmax_graph(webnn_context* context) {
  static const uint32_t sizes[] = {4, 8};
  webnn_operator_options options = WEBNN_OPERATOR_OPTIONS_INIT;
  webnn_descriptor d;
  webnn_builder* b = NULL;
  webnn_operand *x = NULL, *t = NULL, *y = NULL;
  webnn_named_operand output;
  webnn_graph* graph = NULL;
  d.data_type = WEBNN_FLOAT32;
  d.shape.data = sizes;
  d.shape.length = 2;
  options.label = WEBNN_STRING("last");
  OK(webnn_builder_create(context, &b, &error));
  OK(webnn_builder_input(b, WEBNN_STRING("x"), &d, &x, &error));
  OK(webnn_builder_transpose(b, x, NULL, &t, &error));
  OK(webnn_builder_softmax(b, t, 1, &options, &y, &error));
  output.name = WEBNN_STRING("y");
  output.operand = y;
  OK(webnn_builder_build(b, &output, 1, NULL, &graph, &error));
  webnn_operand_release(x);
  webnn_operand_release(t);
  webnn_operand_release(y);
  webnn_builder_release(b);
  return graph;
}
static void compute(webnn_context* context, webnn_graph* graph) {
  float x[32], y[32];
  int i;
  webnn_input_view in;
  webnn_output_view out;
  for (i = 0; i < 32; ++i) x[i] = 1;
  in.name = WEBNN_STRING("x");
  in.data = x;
  in.bytes = sizeof x;
  out.name = WEBNN_STRING("y");
  out.data = y;
  out.bytes = sizeof y;
  OK(webnn_context_compute(context, graph, &in, 1, &out, 1, NULL, &error));
  CHECK(y[0] == 0.25f && y[31] == 0.25f);
}

static void test_hooks(void) {
  struct counts counts;
  struct said said;
  struct traced traced;
  webnn_allocator allocator = WEBNN_ALLOCATOR_INIT;
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context* context = NULL;
  webnn_graph* graph;
  webnn_tensor* tensor = NULL;
  webnn_descriptor d;
  webnn_plan* plan = NULL;
  webnn_plan_summary summary = WEBNN_PLAN_SUMMARY_INIT;
  const uint32_t sizes[] = {1000};
  webnn_backend* reference = NULL;
  memset(&counts, 0, sizeof counts);
  memset(&said, 0, sizeof said);
  memset(&traced, 0, sizeof traced);
  counts.fails_at = -1;
  allocator.user = &counts;
  OK(webnn_backend_named(WEBNN_STRING("reference"), &reference, &error));
  options.threads = 1;
  options.backends = &reference;
  options.backends_length = 1;
  options.accuracy_level = WEBNN_ACCURACY_LEVEL_INT8;
  options.allocator = &allocator;
  FAILS(webnn_context_create(&options, &context, &error), WEBNN_TYPE_ERROR, "createContext",
        "allocator.allocate is null");
  allocator.allocate = allocate;
  FAILS(webnn_context_create(&options, &context, &error), WEBNN_TYPE_ERROR, "createContext",
        "allocator.deallocate is null");
  allocator.deallocate = deallocate;
  allocator.release = release;
  options.log = log_message;
  options.log_user = &said;
  options.trace = trace_event;
  options.trace_user = &traced;
  options.threads = -1;
  CHECK(webnn_context_create(&options, &context, &error) != WEBNN_OK && counts.released == 0);
  webnn_error_release(error);
  error = NULL;
  options.threads = 1;
  OK(webnn_context_create(&options, &context, &error));
  CHECK(said.count == 1 && said.level == WEBNN_LOG_INFO);
  CHECK(strstr(said.last, "the accuracy level int8 changes nothing") != NULL);

  graph = softmax_graph(context);
  CHECK(counts.now[WEBNN_MEMORY_RUNS] == 1 && counts.now[WEBNN_MEMORY_TENSORS] == 0);
  d.data_type = WEBNN_FLOAT32;
  d.shape.data = sizes;
  d.shape.length = 1;
  OK(webnn_context_create_tensor(context, &d, NULL, &tensor, &error));
  CHECK(counts.now[WEBNN_MEMORY_TENSORS] == 1 && counts.bytes >= 4000);
  counts.fails_at = counts.asked;
  {
    webnn_tensor* none = NULL;
    FAILS(webnn_context_create_tensor(context, &d, NULL, &none, &error), WEBNN_UNKNOWN_ERROR,
          "createTensor", "out of memory");
  }

  CHECK(traced.count == 0);
  compute(context, graph);
  OK(webnn_graph_plan(graph, &plan, &error));
  OK(webnn_plan_get(plan, &summary, &error));
  CHECK(traced.wrong == 0 && traced.count == (int)summary.steps && traced.labeled == 1);
  CHECK(traced.last_step == summary.steps - 1 && traced.bytes >= 2 * 128);
  webnn_plan_release(plan);

  webnn_context_release(context);
  CHECK(counts.released == 0);
  webnn_tensor_release(tensor);
  webnn_graph_release(graph);
  CHECK(counts.released == 1 && counts.wrong == 0 && counts.bytes == 0);
  CHECK(counts.now[0] == 0 && counts.now[1] == 0 && counts.now[2] == 0);
  webnn_backend_release(reference);
}

/* The structs say what the JSON texts say. */
static void test_structs(void) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context* context = NULL;
  webnn_graph* graph;
  webnn_plan* plan = NULL;
  webnn_plan_summary summary = WEBNN_PLAN_SUMMARY_INIT;
  webnn_plan_step step;
  webnn_plan_pass pass;
  webnn_memory memory = WEBNN_MEMORY_INIT;
  webnn_tensor_limits limits;
  webnn_text* text = NULL;
  webnn_string name, label;
  double times[64];
  size_t i, k, operators = 0, found = 0;
  char expected[64];
  options.threads = 1;
  OK(webnn_context_create(&options, &context, &error));
  graph = softmax_graph(context);

  OK(webnn_context_backends(context, &text, &error));
  CHECK(webnn_context_backend_count(context) >= 1);
  for (i = 0; i < webnn_context_backend_count(context); ++i)
    CHECK(webnn_context_backend(context, i).length > 0);
  CHECK(webnn_context_backend(context, i).length == 0);
  CHECK(equal(webnn_context_backend(context, i - 1), "reference"));
  CHECK(contains(webnn_text_string(text), "reference"));
  webnn_text_release(text);

  CHECK(
      webnn_context_tensor_limits(context, WEBNN_STRING("conv2d"), WEBNN_STRING("bias"), &limits));
  CHECK(limits.min_rank == 1 && limits.max_rank == 1);
  CHECK(limits.data_types ==
        ((1u << WEBNN_FLOAT32) | (1u << WEBNN_FLOAT16) | (1u << WEBNN_BFLOAT16)));
  CHECK(webnn_context_tensor_limits(context, WEBNN_STRING(""), WEBNN_STRING("input"), &limits));
  CHECK(limits.min_rank == 0 && limits.max_rank == 8 && limits.data_types == 0xfff);
  CHECK(!webnn_context_tensor_limits(context, WEBNN_STRING("conv2d"), WEBNN_STRING("x"), &limits));
  CHECK(!webnn_context_tensor_limits(context, WEBNN_STRING("x"), WEBNN_STRING("input"), &limits));
  CHECK(!webnn_context_tensor_limits(NULL, WEBNN_STRING("x"), WEBNN_STRING("input"), &limits));
  CHECK(webnn_context_max_tensor_bytes(context) == 2147483647);

  OK(webnn_graph_plan(graph, &plan, &error));
  OK(webnn_graph_report(graph, &text, &error));
  OK(webnn_plan_get(plan, &summary, &error));
  CHECK(summary.steps >= 1 && summary.passes >= 1 && summary.threads == 1);
  CHECK(summary.threads_asked == 1 && summary.build_ms > 0);
  CHECK(summary.arena >= summary.arena_at_least);
  sprintf(expected, "\"arena\":%lu,", (unsigned long)summary.arena);
  CHECK(contains(webnn_text_string(text), expected));
  sprintf(expected, "\"scratch\":%lu,", (unsigned long)summary.scratch);
  CHECK(contains(webnn_text_string(text), expected));
  for (i = 0; i < summary.steps; ++i) {
    CHECK(webnn_plan_get_step(plan, i, &step));
    CHECK(step.backend.length > 0 && step.kernel.length > 0 && step.tiles >= 1);
    for (k = 0; k < step.operators; ++k, ++operators) {
      CHECK(webnn_plan_get_operator(plan, i, k, &name, &label));
      found += equal(name, "softmax") && equal(label, "last");
    }
    CHECK(!webnn_plan_get_operator(plan, i, k, &name, &label));
    for (k = 0; k < step.others; ++k) CHECK(webnn_plan_other(plan, i, k).length > 0);
    CHECK(webnn_plan_other(plan, i, k).length == 0);
  }
  CHECK(!webnn_plan_get_step(plan, i, &step));
  CHECK(operators >= 1 && found == 1);
  for (i = 0; i < summary.passes; ++i) {
    CHECK(webnn_plan_get_pass(plan, i, &pass));
    CHECK(pass.name.length > 0 && pass.before >= pass.after);
  }
  CHECK(!webnn_plan_get_pass(plan, i, &pass));
  webnn_text_release(text);

  OK(webnn_graph_memory(graph, &memory, &error));
  CHECK(memory.arena >= summary.arena && memory.runs == 1);
  memory.struct_size = 0;
  FAILS(webnn_graph_memory(graph, &memory, &error), WEBNN_TYPE_ERROR, "memory", "struct_size");
  memory.struct_size = 2 * sizeof(uint64_t); /* an older program */
  memory.shared = 77;
  OK(webnn_graph_memory(graph, &memory, &error));
  CHECK(memory.shared == 77);

  CHECK(summary.steps <= 64);
  OK(webnn_context_profile_steps(context, graph, 2, times, summary.steps, &error));
  for (i = 0; i < summary.steps; ++i) CHECK(times[i] >= 0 && times[i] < 1e7);
  FAILS(webnn_context_profile_steps(context, graph, 2, times, summary.steps + 1, &error),
        WEBNN_TYPE_ERROR, "profile", "does not have one number for each of the");
  webnn_plan_release(webnn_plan_retain(plan));
  webnn_graph_release(graph);
  CHECK(webnn_plan_get_step(plan, 0, &step) && step.kernel.length > 0); /* it needs no graph */
  webnn_plan_release(plan);
  webnn_context_release(context);
}

int main(void) {
  test_hooks();
  test_structs();
  return 0;
}
