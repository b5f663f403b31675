/* A program that uses the installed C interface. */
#include <stdio.h>
#include <webnn/c/webnn.h>

int main(void) {
  webnn_context* context = NULL;
  webnn_builder* builder = NULL;
  webnn_operand *x = NULL, *y = NULL;
  webnn_graph* graph = NULL;
  webnn_error* error = NULL;
  webnn_named_operand output;
  webnn_input_view in;
  webnn_output_view out;
  const float values[2] = {-1, 2};
  float results[2];
  webnn_descriptor d;
  d.data_type = WEBNN_FLOAT32;
  d.shape = WEBNN_DIMS(2);
  if (webnn_context_create(NULL, &context, &error) != WEBNN_OK) return 1;
  if (webnn_builder_create(context, &builder, &error) != WEBNN_OK) return 1;
  if (webnn_builder_input(builder, WEBNN_STRING("x"), &d, &x, &error) != WEBNN_OK) return 1;
  if (webnn_builder_relu(builder, x, NULL, &y, &error) != WEBNN_OK) return 1;
  output.name = out.name = WEBNN_STRING("y");
  output.operand = y;
  if (webnn_builder_build(builder, &output, 1, NULL, &graph, &error) != WEBNN_OK) return 1;
  in.name = WEBNN_STRING("x");
  in.data = values;
  in.bytes = sizeof values;
  out.data = results;
  out.bytes = sizeof results;
  if (webnn_context_compute(context, graph, &in, 1, &out, 1, NULL, &error) != WEBNN_OK) return 1;
  printf("%g %g\n", results[0], results[1]);
  webnn_operand_release(x);
  webnn_operand_release(y);
  webnn_graph_release(graph);
  webnn_builder_release(builder);
  webnn_context_release(context);
  return results[0] == 0 && results[1] == 2 ? 0 : 1;
}
