// ONNX.
#include "webnn/onnx.h"
#include "tools/webnn/formats/format.h"

namespace webnn::tool {
namespace {

Imported read_onnx(MLGraphBuilder& b, const std::filesystem::path& path, const ReadOptions& o) {
  onnx::ImportOptions options{.dimensions = o.dimensions, .shapes = o.shapes};
  for (const auto& [name, v] : o.values) options.values[name] = {v.shape, v.bytes, v.type};
  onnx::Model m = onnx::import_model(b, path, options);
  return {std::move(m.inputs), std::move(m.outputs), {}, {}, std::move(m.description)};
}

}  // namespace

std::vector<Format> onnx_formats() { return {{"onnx", "ONNX model", {"onnx"}, &read_onnx}}; }

}  // namespace webnn::tool
