// ONNX.
#include "webnn/onnx.h"
#include "tools/webnn/formats/format.h"

namespace webnn::inline v0_1::tool {
namespace {

Imported read_onnx(MLGraphBuilder& b, const std::filesystem::path& path, const ReadOptions& o) {
  onnx::ImportOptions options{.dimensions = o.dimensions, .shapes = o.shapes};
  for (const auto& [name, v] : o.values) options.values[name] = {v.shape, v.bytes, v.type};
  onnx::Model m = onnx::import_model(b, path, options);
  return {std::move(m.inputs), std::move(m.outputs), {}, {}, std::move(m.description)};
}

std::vector<OutputFile> write_onnx(const MLGraph& graph, const std::filesystem::path& path) {
  if (path == "-") return {{path, onnx::export_model(graph)}};
  const std::filesystem::path data = path.string() + ".data";
  onnx::ExportOptions options;
  if (path.has_stem()) options.name = path.stem().string();
  onnx::Files files = onnx::export_files(graph, data.filename().string(), options);
  std::vector<OutputFile> all{{path, std::move(files.model)}};
  if (!files.data.empty()) all.push_back({data, std::move(files.data)});
  return all;
}

}  // namespace

std::vector<Format> onnx_formats() {
  return {{"onnx", "ONNX model", {"onnx"}, &read_onnx, &write_onnx}};
}

}  // namespace webnn::inline v0_1::tool
