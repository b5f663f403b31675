// TensorFlow Lite.
#include "webnn/tflite.h"
#include "src/formats/registry/content.h"
#include "src/formats/registry/quantization.h"

namespace webnn::inline v0_1::registry {
namespace {

ImportedModel read_tflite(MLGraphBuilder& b, const Source& source, const ImportOptions& o) {
  tflite::ImportOptions options{.signature = o.signature,
                                .subgraph = o.subgraph,
                                .shapes = o.shapes,
                                .dimensions = o.dimensions,
                                .outputs = o.outputs};
  for (const auto& [name, v] : o.values) options.values[name] = {v.shape, v.bytes, v.type};
  tflite::Model m = read_with<tflite::Model, tflite::ImportOptions>(
      &tflite::import_model, &tflite::import_model, b, source, std::move(options), o.max_bytes);
  return {.inputs = std::move(m.inputs),
          .outputs = std::move(m.outputs),
          .input_quantization = converted(m.input_quantization),
          .output_quantization = converted(m.output_quantization),
          .description = std::move(m.description)};
}
std::vector<std::byte> write_tflite(const MLGraph& g) { return tflite::export_model(g); }

bool is_tflite(std::span<const std::byte> file) { return has_text(file, 4, "TFL3"); }

}  // namespace

std::vector<Format> tflite_formats() {
  return {{.name = "tflite",
           .about = "TensorFlow Lite model",
           .extensions = {"tflite", "lite"},
           .accepts = {.dimensions = true, .shapes = true, .signature = true, .subgraph = true},
           .recognizes = &is_tflite,
           .read = &read_tflite,
           .write = &one_file<&write_tflite>,
           .view = &tflite::view_file}};
}

}  // namespace webnn::inline v0_1::registry
