/* Which digit is it? A network in an .onnx file reads a drawing of 8 x 8 pixels.
 *   digits MODEL.onnx */
#include <stdio.h>
#include <string.h>
#include <webnn/c/webnn.h>

static const char* const drawing[8] = {
    "  -%+   ", "  %@*@- ", " .@: #= ", " =*  == ", " -=  =* ", " =*  *= ", " :%-+*  ", "  -%+   "};

int main(int argc, char** argv) {
  static const char shades[] = " .:-=+*#%@"; /* from paper to ink */
  unsigned char pixels[64];
  float probabilities[10];
  int i, best = 0;
  webnn_context* context = NULL;
  webnn_builder* builder = NULL;
  webnn_model* model = NULL;
  webnn_graph* graph = NULL;
  webnn_error* error = NULL;
  webnn_named_operand output;
  webnn_input_view in;
  webnn_output_view out;
  webnn_string path;
  if (argc != 2) return 2;
  path.data = argv[1];
  path.length = strlen(argv[1]);
  for (i = 0; i < 64; ++i)
    pixels[i] = (unsigned char)((strchr(shades, drawing[i / 8][i % 8]) - shades) * 16 / 9);

  if (webnn_context_create(NULL, &context, &error) != WEBNN_OK) goto failed;
  if (webnn_builder_create(context, &builder, &error) != WEBNN_OK) goto failed;
  if (webnn_builder_import(builder, WEBNN_STRING(""), path, NULL, &model, &error) != WEBNN_OK)
    goto failed;
  output.name = webnn_model_output_name(model, 0);
  output.operand = webnn_model_output(model, 0);
  if (webnn_builder_build(builder, &output, 1, NULL, &graph, &error) != WEBNN_OK) goto failed;
  in.name = webnn_model_input_name(model, 0);
  in.data = pixels;
  in.bytes = sizeof pixels;
  out.name = output.name;
  out.data = probabilities;
  out.bytes = sizeof probabilities;
  if (webnn_context_compute(context, graph, &in, 1, &out, 1, NULL, &error) != WEBNN_OK) goto failed;
  for (i = 1; i < 10; ++i)
    if (probabilities[i] > probabilities[best]) best = i;
  printf("a %d with %.1f %%\n", best, 100 * probabilities[best]);

  webnn_operand_release(output.operand);
  webnn_model_release(model);
  webnn_graph_release(graph);
  webnn_builder_release(builder);
  webnn_context_release(context);
  return 0;
failed:
  fprintf(stderr, "%.*s\n", (int)webnn_error_message(error).length,
          webnn_error_message(error).data);
  return 1;
}
