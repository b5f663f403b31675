// ExecuTorch programs and XNNPACK's graphs.
#include "webnn/executorch.h"
#include "src/formats/registry/content.h"
#include "src/formats/registry/quantization.h"

namespace webnn::inline v0_1::registry {
namespace {

ImportedModel read_executorch(MLGraphBuilder& b, const Source& source, const ImportOptions& o) {
  executorch::Model m = read_with<executorch::Model, executorch::ImportOptions>(
      &executorch::import_model, &executorch::import_model, b, source,
      {.method = o.signature, .shapes = o.shapes, .outputs = o.outputs}, o.max_bytes);
  return {.inputs = std::move(m.inputs),
          .outputs = std::move(m.outputs),
          .input_quantization = converted(m.input_quantization),
          .output_quantization = converted(m.output_quantization),
          .description = std::move(m.description)};
}
std::vector<std::byte> write_executorch(const MLGraph& g) {
  return executorch::export_model(g, {.program = true});
}
std::vector<std::byte> write_xnnpack(const MLGraph& g) { return executorch::export_model(g); }

Contents executorch_contents(const std::filesystem::path& path) {
  Contents parts;
  for (const executorch::MethodInfo& m : executorch::read_info(path).methods) {
    const std::string method = m.name.empty() ? "graph" : "method " + escaped(m.name);
    for (std::size_t i = 0; i < m.delegates.size(); ++i) {
      const executorch::DelegateInfo& d = m.delegates[i];
      std::string what = escaped(d.backend);
      if (d.nodes > 0)
        what += ", " + std::to_string(d.nodes) + " nodes, " + std::to_string(d.constants) +
                " constants";
      parts.push_back({method + ", delegate " + std::to_string(i), what, d.bytes});
    }
    for (const executorch::CallInfo& c : m.operators)
      parts.push_back({method + ", outside", escaped(c.name) + ", " + std::to_string(c.count) +
                                                 (c.count == 1 ? " time" : " times")});
  }
  return parts;
}

bool is_program(std::span<const std::byte> file) { return has_text(file, 4, "ET12"); }
/// A graph alone, or behind the header that the delegate writes before it.
bool is_graph(std::span<const std::byte> file) {
  return has_text(file, 4, "XH00") || has_text(file, 4, "XN00") || has_text(file, 4, "XN01");
}

}  // namespace

std::vector<Format> executorch_formats() {
  return {{.name = "executorch",
           .about = "ExecuTorch program",
           .extensions = {"pte"},
           .accepts = {.shapes = true, .signature = true},
           .recognizes = &is_program,
           .read = &read_executorch,
           .write = &one_file<&write_executorch>,
           .contents = &executorch_contents,
           .view = &executorch::view_file},
          {.name = "xnnpack",
           .about = "graph of ExecuTorch's XNNPACK delegate",
           .extensions = {"xnnpack"},
           .accepts = {.shapes = true, .signature = true},
           .recognizes = &is_graph,
           .read = &read_executorch,
           .write = &one_file<&write_xnnpack>,
           .contents = &executorch_contents,
           .view = &executorch::view_file}};
}

}  // namespace webnn::inline v0_1::registry
