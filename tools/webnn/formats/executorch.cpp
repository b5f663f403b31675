// ExecuTorch programs and XNNPACK's graphs.
#include "webnn/executorch.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/common/output.h"
#include "tools/webnn/formats/format.h"
#include "tools/webnn/formats/quantization.h"

namespace webnn::inline v0_1::tool {
namespace {

Imported read_executorch(MLGraphBuilder& b, const std::filesystem::path& path,
                         const ReadOptions& o) {
  executorch::Model m =
      executorch::import_model(b, path, {.method = o.signature, .shapes = o.shapes});
  return {std::move(m.inputs), std::move(m.outputs), converted(m.input_quantization),
          converted(m.output_quantization), std::move(m.description)};
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
      std::string what = escaped(d.backend) + ", " + bytes_text(static_cast<double>(d.bytes));
      if (d.nodes > 0)
        what += ", " + std::to_string(d.nodes) + " nodes, " + std::to_string(d.constants) +
                " constants";
      parts.push_back({method + ", delegate " + std::to_string(i), what});
    }
    for (const executorch::CallInfo& c : m.operators)
      parts.push_back({method + ", outside", escaped(c.name) + ", " + std::to_string(c.count) +
                                                 (c.count == 1 ? " time" : " times")});
  }
  return parts;
}

}  // namespace

std::vector<Format> executorch_formats() {
  return {{"executorch",
           "ExecuTorch program",
           {"pte"},
           &read_executorch,
           &one_file<&write_executorch>,
           &executorch_contents},
          {"xnnpack",
           "graph of ExecuTorch's XNNPACK delegate",
           {"xnnpack"},
           &read_executorch,
           &one_file<&write_xnnpack>,
           &executorch_contents}};
}

}  // namespace webnn::inline v0_1::tool
