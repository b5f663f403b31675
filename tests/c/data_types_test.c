/* Data types: their names and sizes, and numbers of bfloat16 and float8e4m3. */
#include "tests/c/check.h"

static webnn_error* error = NULL;

static void test_names(void) {
  static const char* const names[] = {"float32", "float16", "int32",    "uint32",
                                      "int64",   "uint64",  "int8",     "uint8",
                                      "int4",    "uint4",   "bfloat16", "float8e4m3"};
  static const int bits[] = {32, 16, 32, 32, 64, 64, 8, 8, 4, 4, 16, 8};
  webnn_data_type t;
  CHECK(WEBNN_BFLOAT16 == 10 && WEBNN_FLOAT8E4M3 == 11);
  for (t = 0; t <= WEBNN_FLOAT8E4M3; ++t) {
    const uint32_t sizes[] = {3, 5};
    webnn_descriptor d;
    uint64_t bytes = 0;
    CHECK(equal(webnn_data_type_name(t), names[t]));
    CHECK(webnn_data_type_bits(t) == bits[t]);
    d.data_type = t;
    d.shape.data = sizes;
    d.shape.length = 2;
    OK(webnn_byte_length(&d, &bytes, &error));
    CHECK(bytes == (uint64_t)(15 * bits[t] + 7) / 8);
  }
  CHECK(webnn_data_type_name(t).length == 0 && webnn_data_type_bits(t) == 0);
  CHECK(webnn_data_type_name(-1).length == 0 && webnn_data_type_bits(-1) == 0);
}

/* x + 1.5 in bfloat16, then cast to float8e4m3. */
static void test_numbers(webnn_context* context) {
  static const uint32_t two[] = {2};
  const uint16_t x[] = {0x3f80, 0xc020}; /* 1, -2.5 */
  uint16_t sums[2] = {0, 0};
  uint8_t narrow[2] = {0, 0};
  webnn_descriptor d;
  webnn_number number;
  webnn_builder* b = NULL;
  webnn_operand *in = NULL, *c = NULL, *sum = NULL, *cast = NULL;
  webnn_named_operand outputs[2];
  webnn_graph* graph = NULL;
  webnn_named_descriptor named;
  webnn_input_view given;
  webnn_output_view wanted[2];
  webnn_text* text = NULL;
  d.data_type = WEBNN_BFLOAT16;
  d.shape.data = two;
  d.shape.length = 1;
  number.kind = WEBNN_NUMBER_FLOAT64;
  number.value.float64 = 1.5 + 1e-4; /* rounded to 1.5 */
  OK(webnn_builder_create(context, &b, &error));
  OK(webnn_builder_input(b, WEBNN_STRING("x"), &d, &in, &error));
  OK(webnn_builder_constant_scalar(b, WEBNN_BFLOAT16, number, &c, &error));
  OK(webnn_builder_add(b, in, c, NULL, &sum, &error));
  OK(webnn_builder_cast(b, sum, WEBNN_FLOAT8E4M3, NULL, &cast, &error));
  outputs[0].name = WEBNN_STRING("sum");
  outputs[0].operand = sum;
  outputs[1].name = WEBNN_STRING("cast");
  outputs[1].operand = cast;
  OK(webnn_builder_build(b, outputs, 2, NULL, &graph, &error));
  CHECK(webnn_graph_output(graph, 1, &named));
  CHECK(named.descriptor.data_type == WEBNN_FLOAT8E4M3);
  given.name = WEBNN_STRING("x");
  given.data = x;
  given.bytes = sizeof x;
  wanted[0].name = outputs[0].name;
  wanted[0].data = sums;
  wanted[0].bytes = sizeof sums;
  wanted[1].name = outputs[1].name;
  wanted[1].data = narrow;
  wanted[1].bytes = sizeof narrow;
  OK(webnn_context_compute(context, graph, &given, 1, wanted, 2, NULL, &error));
  CHECK(sums[0] == 0x4020 && sums[1] == 0xbf80); /* 2.5, -1 */
  CHECK(narrow[0] == 0x42 && narrow[1] == 0xb8);
  OK(webnn_context_op_support_limits(context, &text, &error));
  CHECK(contains(webnn_text_string(text), "\"bfloat16\""));
  CHECK(contains(webnn_text_string(text), "\"float8e4m3\""));
  webnn_text_release(text);
  webnn_graph_release(graph);
  webnn_operand_release(in);
  webnn_operand_release(c);
  webnn_operand_release(sum);
  webnn_operand_release(cast);
  webnn_builder_release(b);
}

int main(void) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context* context = NULL;
  options.threads = 1;
  OK(webnn_context_create(&options, &context, &error));
  test_names();
  test_numbers(context);
  webnn_context_release(context);
  return 0;
}
