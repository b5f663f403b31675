// ONNX.
#include "webnn/onnx.h"
#include "src/formats/registry/quantization.h"

namespace webnn::inline v0_1::registry {
namespace {

ImportedModel read_onnx(MLGraphBuilder& b, const Source& source, const ImportOptions& o) {
  onnx::ImportOptions options{.dimensions = o.dimensions, .shapes = o.shapes, .outputs = o.outputs};
  for (const auto& [name, v] : o.values) options.values[name] = {v.shape, v.bytes, v.type};
  onnx::Model m = read_with<onnx::Model, onnx::ImportOptions>(
      &onnx::import_model, &onnx::import_model, b, source, std::move(options), o.max_bytes);
  std::string description = std::move(m.description);
  return plain(std::move(m), std::move(description));
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

/// Field by field, a protocol buffer of the fields that a ModelProto has, with a graph in it.
bool is_onnx(std::span<const std::byte> file) {
  std::size_t at = 0;
  const auto varint = [&]() -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && at < file.size(); shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(file[at++]);
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
    return std::nullopt;
  };
  constexpr std::uint64_t graph = 7, last_field = 30, number = 0, bytes = 2;
  bool found = false;
  while (at < file.size()) {
    const auto key = varint();
    if (!key || *key >> 3 == 0 || *key >> 3 > last_field) return false;
    const auto value = varint();
    if (!value) return false;
    if ((*key & 7) == number) continue;
    if ((*key & 7) != bytes || *value > file.size() - at) return false;
    found = found || *key >> 3 == graph;
    at += static_cast<std::size_t>(*value);
  }
  return found;
}

}  // namespace

std::vector<Format> onnx_formats() {
  return {{.name = "onnx",
           .about = "ONNX model",
           .extensions = {"onnx"},
           .accepts = {.dimensions = true, .shapes = true},
           .recognizes = &is_onnx,
           .read = &read_onnx,
           .write = &write_onnx,
           .view = &onnx::view_file}};
}

}  // namespace webnn::inline v0_1::registry
