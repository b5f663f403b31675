/* A backend in C that knows its operands by operator and row: sub, behind a product or by itself,
 * gru and layerNormalization. Its results are compared with those of the reference kernels. */
#include <math.h>

#include "tests/c/check.h"

static webnn_error* error = NULL;

/* What a kernel reads: the inputs of its chain by what they are for; NONE: absent. */
enum { NONE = -1, MOST = 6 };
struct kernel {
  int in[MOST];
  size_t rows, columns, inner; /* of results; the elements that are summed */
  size_t steps, batch, hidden;
  int reset_after, returns_sequence, rzn;
  double epsilon;
};

static size_t count_of(const webnn_value* value) {
  size_t d, n = 1;
  for (d = 0; d < value->descriptor.shape.length; ++d) n *= value->descriptor.shape.data[d];
  return n;
}
static uint32_t size_of(const webnn_value* value, size_t d) {
  return value->descriptor.shape.data[d];
}

/* The operand of operator i in that row; 1 if there is one. */
static int operand(const webnn_chain* chain, size_t i, const char* row, webnn_chain_operand* o) {
  const webnn_chain_operand none = WEBNN_CHAIN_OPERAND_INIT;
  webnn_string name;
  name.data = row;
  name.length = strlen(row);
  *o = none;
  return webnn_chain_operand_in(chain, i, name, 0, o);
}
static int input(const webnn_chain* chain, size_t i, const char* row) {
  webnn_chain_operand o;
  return operand(chain, i, row, &o) && o.origin == WEBNN_ORIGIN_INPUT ? (int)o.index : NONE;
}
static double attribute(const webnn_chain* chain, const char* name, double otherwise) {
  char text[64] = "";
  webnn_string n, value;
  n.data = name;
  n.length = strlen(name);
  value = webnn_chain_attribute(chain, 0, n);
  CHECK(value.length < sizeof text);
  memcpy(text, value.data ? value.data : "", value.length);
  if (strcmp(text, "false") == 0) return 0;
  if (strcmp(text, "true") == 0) return 1;
  return value.length ? strtod(text, NULL) : otherwise;
}

/* sub: which operand is subtracted from which is all that there is to know. */

static const float* in(const struct kernel* k, const webnn_kernel_run* run, int i) {
  return k->in[i] == NONE ? NULL : run->inputs[k->in[i]];
}
static void run_difference(void* user, const webnn_kernel_run* run) {
  const struct kernel* k = user;
  const float *a = in(k, run, 0), *b = in(k, run, 1);
  float* y = run->outputs[0];
  size_t i;
  for (i = 0; i < k->rows * k->columns; ++i) y[i] = a[i] - b[i];
}
/* in: the operands of the product, and what is before or behind the minus. */
static void run_product(const struct kernel* k, const webnn_kernel_run* run, double of_other,
                        double of_product) {
  const float *a = in(k, run, 0), *b = in(k, run, 1), *other = in(k, run, 2);
  float* y = run->outputs[0];
  size_t i, j, n;
  for (i = 0; i < k->rows; ++i)
    for (j = 0; j < k->columns; ++j) {
      double sum = 0;
      for (n = 0; n < k->inner; ++n) sum += (double)a[i * k->inner + n] * b[n * k->columns + j];
      y[i * k->columns + j] = (float)(of_other * other[i * k->columns + j] + of_product * sum);
    }
}
static void run_product_minus(void* user, const webnn_kernel_run* run) {
  run_product(user, run, -1, 1);
}
static void run_minus_product(void* user, const webnn_kernel_run* run) {
  run_product(user, run, 1, -1);
}

static const char* lower_difference(const webnn_chain* chain, struct kernel* k,
                                    webnn_kernel* kernel) {
  webnn_chain_operand a, b, of_product;
  const size_t last = webnn_chain_length(chain) - 1;
  CHECK(operand(chain, last, "a", &a) && operand(chain, last, "b", &b));
  if (count_of(&a.value) != count_of(&b.value)) return "only operands of one shape";
  k->rows = count_of(&a.value), k->columns = 1;
  k->in[0] = input(chain, last, "a"), k->in[1] = input(chain, last, "b");
  kernel->name = WEBNN_STRING("difference");
  kernel->run = run_difference;
  if (last == 0) return NULL;
  if (a.origin == WEBNN_ORIGIN_OPERATOR) {
    CHECK(a.index == 0 && b.origin == WEBNN_ORIGIN_INPUT);
    kernel->name = WEBNN_STRING("product minus");
    kernel->run = run_product_minus;
    k->in[2] = (int)b.index;
  } else {
    CHECK(b.origin == WEBNN_ORIGIN_OPERATOR && b.index == 0);
    kernel->name = WEBNN_STRING("minus product");
    kernel->run = run_minus_product;
    k->in[2] = (int)a.index;
  }
  CHECK(operand(chain, 0, "a", &of_product) && of_product.value.descriptor.shape.length == 2);
  k->rows = size_of(&of_product.value, 0), k->inner = size_of(&of_product.value, 1);
  k->in[0] = (int)of_product.index;
  CHECK(operand(chain, 0, "b", &of_product));
  k->columns = size_of(&of_product.value, 1);
  k->in[1] = (int)of_product.index;
  return NULL;
}

/* layerNormalization over the last axis: scale and bias have one shape, and either may be absent.
 */

static void run_normalization(void* user, const webnn_kernel_run* run) {
  const struct kernel* k = user;
  const float *x = in(k, run, 0), *scale = in(k, run, 1), *bias = in(k, run, 2);
  float* y = run->outputs[0];
  size_t i, j;
  for (i = 0; i < k->rows; ++i, x += k->columns, y += k->columns) {
    double mean = 0, variance = 0;
    for (j = 0; j < k->columns; ++j) mean += x[j] / (double)k->columns;
    for (j = 0; j < k->columns; ++j) variance += (x[j] - mean) * (x[j] - mean) / (double)k->columns;
    for (j = 0; j < k->columns; ++j)
      y[j] = (float)((scale ? scale[j] : 1) * (x[j] - mean) / sqrt(variance + k->epsilon) +
                     (bias ? bias[j] : 0));
  }
}
static const char* lower_normalization(const webnn_chain* chain, struct kernel* k,
                                       webnn_kernel* kernel) {
  webnn_chain_operand x;
  CHECK(operand(chain, 0, "input", &x));
  if (x.value.descriptor.shape.length != 2) return "only two dimensions";
  k->rows = size_of(&x.value, 0), k->columns = size_of(&x.value, 1);
  k->in[0] = input(chain, 0, "input");
  k->in[1] = input(chain, 0, "scale");
  k->in[2] = input(chain, 0, "bias");
  k->epsilon = attribute(chain, "epsilon", 1e-5);
  kernel->name = WEBNN_STRING("plain normalization");
  kernel->run = run_normalization;
  return NULL;
}

/* gru: six operands, of which three are optional, and two have one shape. */

static double sigmoid(double v) { return 1 / (1 + exp(-v)); }

/* The sum for one gate of one element: bias + x w or bias + h r. */
static double gate(const float* x, const float* w, const float* bias, size_t row, size_t n) {
  double sum = bias ? bias[row] : 0;
  size_t i;
  for (i = 0; i < n; ++i) sum += (double)x[i] * w[row * n + i];
  return sum;
}
static void run_gru(void* user, const webnn_kernel_run* run) {
  const struct kernel* k = user;
  const float *x = in(k, run, 0), *w = in(k, run, 1), *r = in(k, run, 2);
  const float *bias = in(k, run, 3), *recurrent = in(k, run, 4), *first = in(k, run, 5);
  const size_t H = k->hidden, I = k->inner, n_row = 2 * H;
  const size_t z_row = k->rzn ? H : 0, r_row = k->rzn ? 0 : H;
  float *y = run->outputs[0], *sequence = k->returns_sequence ? run->outputs[1] : NULL;
  float h[16], reset[16], now[16];
  size_t b, t, j;
  CHECK(H <= 16);
  for (b = 0; b < k->batch; ++b) {
    for (j = 0; j < H; ++j) h[j] = first ? first[b * H + j] : 0;
    for (t = 0; t < k->steps; ++t) {
      const float* const xt = x + (t * k->batch + b) * I;
      for (j = 0; j < H; ++j)
        reset[j] = (float)(h[j] * sigmoid(gate(xt, w, bias, r_row + j, I) +
                                          gate(h, r, recurrent, r_row + j, H)));
      for (j = 0; j < H; ++j) {
        const double z =
            sigmoid(gate(xt, w, bias, z_row + j, I) + gate(h, r, recurrent, z_row + j, H));
        const double of_reset =
            sigmoid(gate(xt, w, bias, r_row + j, I) + gate(h, r, recurrent, r_row + j, H));
        const double of_h = k->reset_after ? of_reset * gate(h, r, recurrent, n_row + j, H)
                                           : gate(reset, r, recurrent, n_row + j, H);
        const double n = tanh(gate(xt, w, bias, n_row + j, I) + of_h);
        now[j] = (float)(z * h[j] + (1 - z) * n);
      }
      memcpy(h, now, sizeof h);
      for (j = 0; sequence && j < H; ++j) sequence[(t * k->batch + b) * H + j] = h[j];
    }
    for (j = 0; j < H; ++j) y[b * H + j] = h[j];
  }
}
static const char* lower_gru(const webnn_chain* chain, struct kernel* k, webnn_kernel* kernel) {
  static const char* const rows[MOST] = {"input", "weight",        "recurrentWeight",
                                         "bias",  "recurrentBias", "initialHiddenState"};
  webnn_chain_operand x;
  webnn_string layout = webnn_chain_attribute(chain, 0, WEBNN_STRING("layout"));
  int i;
  if (webnn_chain_attribute(chain, 0, WEBNN_STRING("direction")).length) return "only forward";
  CHECK(operand(chain, 0, "input", &x));
  k->steps = size_of(&x.value, 0), k->batch = size_of(&x.value, 1), k->inner = size_of(&x.value, 2);
  for (i = 0; i < MOST; ++i) k->in[i] = input(chain, 0, rows[i]);
  k->hidden = (size_t)attribute(chain, "hiddenSize", 0);
  k->reset_after = (int)attribute(chain, "resetAfter", 1);
  k->returns_sequence = (int)attribute(chain, "returnSequence", 0);
  k->rzn = contains(layout, "rzn");
  CHECK(k->steps == (size_t)attribute(chain, "steps", 0));
  kernel->name = WEBNN_STRING("plain gru");
  kernel->run = run_gru;
  return NULL;
}

/* The backend. */

/* Whatever the chain is: positions and rows name the same operands, and the inputs are those that
 * the chain does not make, in this order. */
static void check_operands(const webnn_chain* chain) {
  size_t i, n, inputs = 0;
  for (i = 0; i < webnn_chain_length(chain); ++i) {
    webnn_chain_operand at = WEBNN_CHAIN_OPERAND_INIT, same = WEBNN_CHAIN_OPERAND_INIT;
    size_t of_row = 0;
    webnn_string before = WEBNN_STRING("");
    for (n = 0; n < webnn_chain_operand_count(chain, i); ++n) {
      webnn_value value;
      CHECK(webnn_chain_operand_at(chain, i, n, &at));
      of_row =
          before.length == at.row.length && memcmp(before.data, at.row.data, before.length) == 0
              ? of_row + 1
              : 0;
      CHECK(webnn_chain_operand_in(chain, i, at.row, of_row, &same));
      CHECK(same.origin == at.origin && same.index == at.index);
      CHECK(same.value.constant == at.value.constant);
      if (at.origin == WEBNN_ORIGIN_OPERATOR) CHECK(at.index < i);
      if (at.origin == WEBNN_ORIGIN_INPUT) {
        CHECK(at.index == inputs++);
        CHECK(webnn_chain_input(chain, at.index, &value));
        CHECK(value.constant == at.value.constant && count_of(&value) == count_of(&at.value));
      }
      before = at.row;
    }
    CHECK(!webnn_chain_operand_at(chain, i, n, &at));
    CHECK(!webnn_chain_operand_in(chain, i, WEBNN_STRING("nothing"), 0, &at));
    CHECK(!webnn_chain_operand_in(chain, i, at.row, of_row + 1, &at));
  }
  CHECK(inputs == webnn_chain_input_count(chain));
  CHECK(webnn_chain_operand_count(chain, i) == 0);
}

static int32_t lower(void* user, const webnn_chain* chain, webnn_kernel* kernel,
                     webnn_string* refusal) {
  const size_t length = webnn_chain_length(chain);
  const webnn_string first = webnn_chain_operator(chain, 0);
  const webnn_string last = webnn_chain_operator(chain, length - 1);
  struct kernel* k = malloc(sizeof *k);
  const char* reason = "not an operator of this backend";
  int i;
  *(size_t*)user += 1;
  check_operands(chain);
  memset(k, 0, sizeof *k);
  for (i = 0; i < MOST; ++i) k->in[i] = NONE;
  /* A pass has made a gemm of each matmul. */
  if (equal(last, "sub") && (length == 1 || (length == 2 && equal(first, "gemm"))))
    reason = lower_difference(chain, k, kernel);
  if (length == 1 && equal(first, "layerNormalization"))
    reason = lower_normalization(chain, k, kernel);
  if (length == 1 && equal(first, "gru")) reason = lower_gru(chain, k, kernel);
  kernel->user = k;
  kernel->release = free;
  if (!reason) return 1;
  free(k);
  refusal->data = reason;
  refusal->length = strlen(reason);
  return 0;
}

/* A caller whose header has less of the struct gets no more than it has room for. */
static int32_t lower_old(void* user, const webnn_chain* chain, webnn_kernel* kernel,
                         webnn_string* refusal) {
  webnn_chain_operand o = WEBNN_CHAIN_OPERAND_INIT;
  (void)user;
  (void)kernel;
  o.index = 77;
  o.struct_size = offsetof(webnn_chain_operand, index);
  CHECK(webnn_chain_operand_at(chain, 0, 0, &o));
  CHECK(o.row.length > 0 && o.index == 77 && o.struct_size == offsetof(webnn_chain_operand, index));
  o.struct_size = 0;
  CHECK(!webnn_chain_operand_at(chain, 0, 0, &o));
  CHECK(!webnn_chain_operand_at(chain, 0, 0, NULL));
  *refusal = WEBNN_STRING("never");
  return 0;
}

static webnn_context* new_context(int32_t (*lowering)(void*, const webnn_chain*, webnn_kernel*,
                                                      webnn_string*),
                                  size_t* asked) {
  webnn_backend_callbacks callbacks = WEBNN_BACKEND_CALLBACKS_INIT;
  webnn_backend* order[2] = {NULL, NULL};
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context* context = NULL;
  size_t n = 0;
  callbacks.name = WEBNN_STRING("custom");
  callbacks.lower = lowering;
  callbacks.user = asked;
  if (lowering) OK(webnn_backend_create(&callbacks, &order[n++], &error));
  OK(webnn_backend_named(WEBNN_STRING("reference"), &order[n++], &error));
  options.threads = 2;
  options.backends = order;
  options.backends_length = n;
  OK(webnn_context_create(&options, &context, &error));
  while (n > 0) webnn_backend_release(order[--n]);
  return context;
}

/* A graph of up to six inputs, filled with numbers that differ, and its outputs. */
struct graph {
  webnn_builder* builder;
  webnn_operand* inputs[MOST];
  float values[MOST][256];
  size_t count[MOST], n;
  webnn_operand* outputs[2];
  size_t outputs_count;
};
static const char* const names[] = {"i0", "i1", "i2", "i3", "i4", "i5", "y0", "y1"};
static webnn_string name_of(size_t i) {
  webnn_string s;
  s.data = names[i];
  s.length = 2;
  return s;
}

static webnn_operand* new_input(struct graph* g, size_t rank, uint32_t d0, uint32_t d1,
                                uint32_t d2) {
  uint32_t sizes[3];
  webnn_descriptor d;
  webnn_operand* made = NULL;
  size_t i, n = 1;
  sizes[0] = d0, sizes[1] = d1, sizes[2] = d2;
  for (i = 0; i < rank; ++i) n *= sizes[i];
  CHECK(n <= 256 && g->n < MOST);
  for (i = 0; i < n; ++i)
    g->values[g->n][i] = (float)((i * 7 + g->n * 13) % 23) / 11.5f - 0.9f + 0.1f * (float)g->n;
  d.data_type = WEBNN_FLOAT32;
  d.shape.data = sizes;
  d.shape.length = rank;
  OK(webnn_builder_input(g->builder, name_of(g->n), &d, &made, &error));
  g->count[g->n] = n;
  return g->inputs[g->n++] = made;
}

/* The outputs of a graph, 256 elements for each, in that context. */
static void compute(webnn_context* context, void (*make)(struct graph*, int), int variant,
                    float (*y)[256], const char* kernel) {
  struct graph g;
  webnn_named_operand outputs[2];
  webnn_input_view given[MOST];
  webnn_output_view wanted[2];
  webnn_graph* built = NULL;
  webnn_text* text = NULL;
  size_t i, n;
  memset(&g, 0, sizeof g);
  OK(webnn_builder_create(context, &g.builder, &error));
  make(&g, variant);
  for (i = 0; i < g.outputs_count; ++i) {
    outputs[i].name = name_of(MOST + i);
    outputs[i].operand = g.outputs[i];
  }
  OK(webnn_builder_build(g.builder, outputs, g.outputs_count, NULL, &built, &error));
  OK(webnn_graph_explain(built, NULL, 0, &text, &error));
  if (kernel && !contains(webnn_text_string(text), kernel)) {
    fprintf(stderr, "no %s:\n%s", kernel, webnn_text_string(text).data);
    exit(1);
  }
  webnn_text_release(text);
  n = webnn_graph_input_count(built);
  for (i = 0; i < n; ++i) {
    webnn_named_descriptor d;
    size_t k;
    CHECK(webnn_graph_input(built, i, &d));
    for (k = 0; k < g.n && !equal(d.name, names[k]);) ++k;
    given[i].name = name_of(k);
    given[i].data = g.values[k];
    given[i].bytes = g.count[k] * sizeof(float);
  }
  for (i = 0; i < g.outputs_count; ++i) {
    webnn_named_descriptor d;
    uint64_t bytes = 0;
    CHECK(webnn_graph_output(built, i, &d));
    OK(webnn_byte_length(&d.descriptor, &bytes, &error));
    wanted[i].name = name_of(MOST + i);
    wanted[i].data = y[i];
    wanted[i].bytes = (size_t)bytes;
  }
  OK(webnn_context_compute(context, built, given, n, wanted, g.outputs_count, NULL, &error));
  webnn_graph_release(built);
  for (i = 0; i < g.n; ++i) webnn_operand_release(g.inputs[i]);
  for (i = 0; i < g.outputs_count; ++i) webnn_operand_release(g.outputs[i]);
  webnn_builder_release(g.builder);
}

static size_t asked = 0;
static webnn_context *custom = NULL, *reference = NULL;

/* Both contexts compute the same, the first one with that kernel. */
static void compare(void (*make)(struct graph*, int), int variant, const char* kernel) {
  static float y[2][256], expected[2][256];
  size_t i, k, different = 0;
  memset(y, 0, sizeof y);
  memset(expected, 0, sizeof expected);
  compute(custom, make, variant, y, kernel);
  compute(reference, make, variant, expected, NULL);
  for (i = 0; i < 2; ++i)
    for (k = 0; k < 256; ++k) {
      if (!(fabs((double)y[i][k] - expected[i][k]) <= 2e-6 * (1 + fabs((double)expected[i][k])))) {
        fprintf(stderr, "%s, variant %d, output %d, element %d: %.9g, not %.9g\n", kernel, variant,
                (int)i, (int)k, y[i][k], expected[i][k]);
        exit(1);
      }
      different += expected[i][k] != expected[0][0];
    }
  CHECK(different > 8);
}

/* variant 0: k - product, 1: product - k, 2: k - x, 3: x - k, 4: product - product */
static void make_difference(struct graph* g, int variant) {
  webnn_operand *a, *b, *k, *product = NULL, *other = NULL, *y = NULL;
  k = new_input(g, 2, 5, 6, 0);
  a = new_input(g, 2, 5, 4, 0);
  b = new_input(g, 2, 4, 6, 0);
  if (variant == 2 || variant == 3) product = webnn_operand_retain(new_input(g, 2, 5, 6, 0));
  else OK(webnn_builder_matmul(g->builder, a, b, NULL, &product, &error));
  if (variant == 4) {
    webnn_operand* c = new_input(g, 2, 4, 6, 0);
    OK(webnn_builder_matmul(g->builder, a, c, NULL, &other, &error));
  }
  if (variant == 0 || variant == 2) OK(webnn_builder_sub(g->builder, k, product, NULL, &y, &error));
  else OK(webnn_builder_sub(g->builder, product, other ? other : k, NULL, &y, &error));
  webnn_operand_release(product);
  webnn_operand_release(other);
  g->outputs[g->outputs_count++] = y;
}

/* variant: bit 0: scale, bit 1: bias, bit 2: the bias is made first, bit 3: another epsilon */
static void make_normalization(struct graph* g, int variant) {
  webnn_layer_normalization_options options = WEBNN_LAYER_NORMALIZATION_OPTIONS_INIT;
  webnn_operand* x;
  if ((variant & 6) == 6) options.bias = new_input(g, 1, 9, 0, 0);
  x = new_input(g, 2, 4, 9, 0);
  if (variant & 1) options.scale = new_input(g, 1, 9, 0, 0);
  if ((variant & 6) == 2) options.bias = new_input(g, 1, 9, 0, 0);
  if (variant & 8) options.epsilon = 0.25;
  OK(webnn_builder_layer_normalization(g->builder, x, &options, &g->outputs[g->outputs_count++],
                                       &error));
}

/* variant: bit 0: bias, 1: recurrent bias, 2: initial state, 3: reset before, 4: rzn, 5: sequence
 */
static void make_gru(struct graph* g, int variant) {
  webnn_gru_options options = WEBNN_GRU_OPTIONS_INIT;
  webnn_operand *x, *w, *r;
  x = new_input(g, 3, 4, 3, 5);
  w = new_input(g, 3, 1, 15, 5);
  r = new_input(g, 3, 1, 15, 5);
  if (variant & 1) options.bias = new_input(g, 2, 1, 15, 0);
  if (variant & 2) options.recurrent_bias = new_input(g, 2, 1, 15, 0);
  if (variant & 4) options.initial_hidden_state = new_input(g, 3, 1, 3, 5);
  if (variant & 8) options.reset_after = 0;
  if (variant & 16) options.layout = WEBNN_GRU_WEIGHT_LAYOUT_RZN;
  if (variant & 32) options.return_sequence = 1;
  OK(webnn_builder_gru(g->builder, x, w, r, 4, 5, &options, g->outputs, 2, &g->outputs_count,
                       &error));
}

int main(void) {
  int v;
  float y[2][256];
  custom = new_context(lower, &asked);
  reference = new_context(NULL, NULL);
  compare(make_difference, 0, "minus product");
  compare(make_difference, 1, "product minus");
  compare(make_difference, 2, "difference");
  compare(make_difference, 3, "difference");
  compare(make_difference, 4, "minus"); /* either product may be in the chain */
  for (v = 0; v < 16; ++v) compare(make_normalization, v, "plain normalization");
  for (v = 0; v < 64; ++v) compare(make_gru, v, "plain gru");
  CHECK(asked > 80);
  webnn_context_release(custom);
  custom = new_context(lower_old, NULL);
  compute(custom, make_difference, 0, y, NULL);
  webnn_context_release(custom);
  webnn_context_release(reference);
  return 0;
}
