// TensorFlow Lite.
#include "webnn/tflite.h"
#include "tools/webnn/formats/format.h"
#include "tools/webnn/formats/quantization.h"

namespace webnn::inline v0_1::tool {
namespace {

Imported read_tflite(MLGraphBuilder& b, const std::filesystem::path& path, const ReadOptions& o) {
  tflite::Model m = tflite::import_model(
      b, path, {.signature = o.signature, .subgraph = o.subgraph, .shapes = o.shapes});
  return {std::move(m.inputs), std::move(m.outputs), converted(m.input_quantization),
          converted(m.output_quantization), std::move(m.description)};
}
std::vector<std::byte> write_tflite(const MLGraph& g) { return tflite::export_model(g); }

}  // namespace

std::vector<Format> tflite_formats() {
  return {{"tflite",
           "TensorFlow Lite model",
           {"tflite", "lite"},
           &read_tflite,
           &one_file<&write_tflite>}};
}

}  // namespace webnn::inline v0_1::tool
