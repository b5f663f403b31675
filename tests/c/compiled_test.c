/* Compiled graphs in files, from C99; and their refusal in a library that was built without them.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <unistd.h>

#include "tests/c/check.h"

enum { rows = 8, inner = 160, columns = 192 }; /* weights of more than 64 KiB */

static webnn_error* error = NULL;
static float x_values[rows * inner];

static webnn_string as_string(const char* text) {
  webnn_string s;
  s.data = text;
  s.length = strlen(text);
  return s;
}

static webnn_context* new_context(const char* backend) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context* context = NULL;
  webnn_backend* one = NULL;
  options.threads = 1;
  options.keep_constants = 1;
  if (backend) {
    OK(webnn_backend_named(as_string(backend), &one, &error));
    options.backends = &one;
    options.backends_length = 1;
  }
  OK(webnn_context_create(&options, &context, &error));
  webnn_backend_release(one);
  return context;
}

/* y = relu(x * w) */
static webnn_graph* product(webnn_context* context) {
  static float weights[inner * columns];
  webnn_builder* b = NULL;
  webnn_operand *x = NULL, *w = NULL, *xw = NULL, *y = NULL;
  webnn_named_operand output;
  webnn_descriptor d;
  webnn_graph* graph = NULL;
  int i;
  for (i = 0; i < inner * columns; ++i) weights[i] = (float)(i * 37 % 101 - 50) / 50;
  d.data_type = WEBNN_FLOAT32;
  OK(webnn_builder_create(context, &b, &error));
  d.shape = WEBNN_DIMS(rows, inner);
  OK(webnn_builder_input(b, WEBNN_STRING("x"), &d, &x, &error));
  d.shape = WEBNN_DIMS(inner, columns);
  OK(webnn_builder_constant(b, &d, weights, sizeof weights, &w, &error));
  OK(webnn_builder_matmul(b, x, w, NULL, &xw, &error));
  OK(webnn_builder_relu(b, xw, NULL, &y, &error));
  output.name = WEBNN_STRING("y");
  output.operand = y;
  OK(webnn_builder_build(b, &output, 1, NULL, &graph, &error));
  webnn_operand_release(x);
  webnn_operand_release(w);
  webnn_operand_release(xw);
  webnn_operand_release(y);
  webnn_builder_release(b);
  return graph;
}

static void compute(webnn_context* context, webnn_graph* graph, float* y) {
  webnn_input_view in;
  webnn_output_view out;
  in.name = WEBNN_STRING("x");
  in.data = x_values;
  in.bytes = sizeof x_values;
  out.name = WEBNN_STRING("y");
  out.data = y;
  out.bytes = rows * columns * sizeof(float);
  OK(webnn_context_compute(context, graph, &in, 1, &out, 1, NULL, &error));
}

#if WEBNN_WITH_COMPILED
/* Changes a byte, counted from the beginning or, if negative, from the end. */
static void change(const char* path, long at) {
  FILE* file = fopen(path, "r+b");
  int c;
  CHECK(file != NULL);
  CHECK(fseek(file, at, at < 0 ? SEEK_END : SEEK_SET) == 0);
  c = fgetc(file);
  CHECK(c != EOF && fseek(file, -1, SEEK_CUR) == 0);
  CHECK(fputc(c ^ 1, file) != EOF && fclose(file) == 0);
}

static void test_round_trip(webnn_string file) {
  static float expected[rows * columns], y[rows * columns];
  webnn_context* context = new_context(NULL);
  webnn_graph *graph = product(context), *again = NULL;
  webnn_load_options options = WEBNN_LOAD_OPTIONS_INIT;
  webnn_named_descriptor named;
  webnn_text* plan = NULL;
  compute(context, graph, expected);
  OK(webnn_graph_save(graph, file, &error));
  OK(webnn_context_load_graph(context, file, NULL, &again, &error));
  CHECK(webnn_graph_input_count(again) == 1 && webnn_graph_input(again, 0, &named));
  CHECK(equal(named.name, "x") && named.descriptor.shape.data[1] == inner);
  CHECK(webnn_graph_output_count(again) == 1 && webnn_graph_output(again, 0, &named));
  CHECK(equal(named.name, "y") && named.descriptor.data_type == WEBNN_FLOAT32);
  compute(context, again, y);
  CHECK(memcmp(y, expected, sizeof y) == 0);

  /* Saved over the file that is mapped: the graph keeps what it has mapped. */
  OK(webnn_graph_save(again, file, &error));
  memset(y, 0, sizeof y);
  compute(context, again, y);
  CHECK(memcmp(y, expected, sizeof y) == 0);
  webnn_graph_release(graph);
  webnn_graph_release(again);

  /* A graph is saved without its context, and not when it is destroyed. */
  options.verify = WEBNN_VERIFY_FULL;
  again = NULL;
  OK(webnn_context_load_graph(context, file, &options, &again, &error));
  webnn_context_release(context);
  OK(webnn_graph_save(again, file, &error));
  OK(webnn_graph_explain(again, NULL, 0, &plan, &error));
  CHECK(contains(webnn_text_string(plan), "relu"));
  webnn_text_release(plan);
  webnn_graph_destroy(again);
  FAILS(webnn_graph_save(again, file, &error), WEBNN_INVALID_STATE_ERROR, "save",
        "the graph is destroyed");
  webnn_graph_release(again);
}

static void test_refusals(webnn_string file, const char* path) {
  webnn_context *context = new_context(NULL), *other = new_context("reference");
  webnn_graph *graph = product(context), *again = NULL;
  webnn_load_options options = WEBNN_LOAD_OPTIONS_INIT;
  webnn_text *here = NULL, *there = NULL;
  FAILS(webnn_graph_save(NULL, file, &error), WEBNN_TYPE_ERROR, "save", "graph is null");
  FAILS(webnn_graph_save(graph, WEBNN_STRING("no such folder/net.webnnc"), &error),
        WEBNN_OPERATION_ERROR, "save", "no such folder/net.webnnc");
  OK(webnn_graph_save(graph, file, &error));
  FAILS(webnn_context_load_graph(NULL, file, NULL, &again, &error), WEBNN_TYPE_ERROR, "load",
        "context is null");
  FAILS(webnn_context_load_graph(context, file, NULL, NULL, &error), WEBNN_TYPE_ERROR, "load",
        "graph is null");
  FAILS(webnn_context_load_graph(context, WEBNN_STRING("none.webnnc"), NULL, &again, &error),
        WEBNN_DATA_ERROR, "load", "none.webnnc");
  options.verify = 7;
  FAILS(webnn_context_load_graph(context, file, &options, &again, &error), WEBNN_TYPE_ERROR, "load",
        "verify (7) is not one of its enumerators");
  options.struct_size = 0;
  FAILS(webnn_context_load_graph(context, file, &options, &again, &error), WEBNN_TYPE_ERROR, "load",
        "struct_size");
  {
    struct {
      webnn_load_options known;
      double later;
    } newer;
    webnn_load_options known = WEBNN_LOAD_OPTIONS_INIT;
    memset(&newer, 0, sizeof newer);
    newer.known = known;
    newer.known.struct_size = sizeof newer;
    newer.later = 1;
    FAILS(webnn_context_load_graph(context, file, &newer.known, &again, &error),
          WEBNN_NOT_SUPPORTED_ERROR, "load", "this version of the library does not have");
  }
  OK(webnn_context_backends(context, &here, &error));
  OK(webnn_context_backends(other, &there, &error));
  if (!equal(webnn_text_string(here), webnn_text_string(there).data))
    FAILS(webnn_context_load_graph(other, file, NULL, &again, &error), WEBNN_DATA_ERROR, "load",
          "it was compiled for backend order");
  webnn_text_release(here);
  webnn_text_release(there);
  {
    const webnn_string none = {NULL, 0};
    webnn_model* model = NULL;
    webnn_builder* b = NULL;
    OK(webnn_builder_create(context, &b, &error));
    FAILS(webnn_builder_import(b, none, file, NULL, &model, &error), WEBNN_NOT_SUPPORTED_ERROR,
          "import", "a compiled graph is loaded, not imported");
    FAILS(webnn_graph_export(graph, none, file, &error), WEBNN_NOT_SUPPORTED_ERROR, "export",
          "a compiled graph is saved, not exported");
    webnn_builder_release(b);
  }

  /* Large weights are checked when this is asked for, the rest always. */
  options = (webnn_load_options)WEBNN_LOAD_OPTIONS_INIT;
  options.verify = WEBNN_VERIFY_FULL;
  change(path, -8192);
  OK(webnn_context_load_graph(context, file, NULL, &again, &error));
  webnn_graph_release(again);
  again = NULL;
  FAILS(webnn_context_load_graph(context, file, &options, &again, &error), WEBNN_DATA_ERROR, "load",
        "it is damaged: the checksum of its large weights is wrong");
  change(path, 4100);
  FAILS(webnn_context_load_graph(context, file, NULL, &again, &error), WEBNN_DATA_ERROR, "load",
        "it is damaged: the checksum of its graph is wrong");
  change(path, 0);
  FAILS(webnn_context_load_graph(context, file, NULL, &again, &error), WEBNN_DATA_ERROR, "load",
        "it is not a compiled graph");
  CHECK(again == NULL);

  webnn_context_destroy(context);
  FAILS(webnn_context_load_graph(context, file, NULL, &again, &error), WEBNN_INVALID_STATE_ERROR,
        "load", "the context is lost");
  webnn_graph_release(graph);
  webnn_context_release(context);
  webnn_context_release(other);
}

struct shared {
  webnn_context* context;
  webnn_string file;
  float y[rows * columns];
};
static void* load_and_run(void* user) {
  struct shared* s = user;
  webnn_graph* graph = NULL;
  int i;
  for (i = 0; i < 5; ++i) {
    CHECK(webnn_context_load_graph(s->context, s->file, NULL, &graph, NULL) == WEBNN_OK);
    compute(s->context, graph, s->y);
    CHECK(webnn_graph_save(graph, s->file, NULL) == WEBNN_OK);
    webnn_graph_release(graph);
  }
  return NULL;
}

/* Threads load and replace one file in one context. */
static void test_threads(webnn_string file) {
  static struct shared all[3];
  pthread_t threads[3];
  static float expected[rows * columns];
  webnn_context* context = new_context(NULL);
  webnn_graph* graph = product(context);
  int i;
  OK(webnn_graph_save(graph, file, &error));
  compute(context, graph, expected);
  for (i = 0; i < 3; ++i) {
    all[i].context = context;
    all[i].file = file;
    CHECK(pthread_create(&threads[i], NULL, load_and_run, &all[i]) == 0);
  }
  for (i = 0; i < 3; ++i) {
    CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(memcmp(all[i].y, expected, sizeof expected) == 0);
  }
  webnn_graph_release(graph);
  webnn_context_release(context);
}
#else

static void test_without(webnn_string file) {
  static float y[rows * columns];
  webnn_context* context = new_context(NULL);
  webnn_graph *graph = product(context), *again = NULL;
  FAILS(webnn_graph_save(graph, file, &error), WEBNN_NOT_SUPPORTED_ERROR, "save",
        "this library was built without compiled graphs (WEBNN_COMPILED)");
  FAILS(webnn_context_load_graph(context, file, NULL, &again, &error), WEBNN_NOT_SUPPORTED_ERROR,
        "load", "this library was built without compiled graphs (WEBNN_COMPILED)");
  compute(context, graph, y); /* nothing has changed */
  webnn_graph_release(graph);
  webnn_context_release(context);
}
#endif

int main(int argc, char** argv) {
  char path[512];
  int i;
  snprintf(path, sizeof path, "%s/c_compiled_%ld.webnnc", argc > 1 ? argv[1] : ".", (long)getpid());
  for (i = 0; i < rows * inner; ++i) x_values[i] = (float)(i % 7 - 3) / 3;
#if WEBNN_WITH_COMPILED
  test_round_trip(as_string(path));
  test_refusals(as_string(path), path);
  test_threads(as_string(path));
#else
  test_without(as_string(path));
#endif
  remove(path);
  return 0;
}
