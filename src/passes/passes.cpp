#include "src/passes/passes.h"

#include <cstdlib>

namespace webnn {
namespace {

constexpr Pass passes[] = {
    {"remove_identity", &remove_identity},
    {"float16_to_float32", &float16_to_float32},
    {"fold_constants", &fold_constants},
    {"eliminate_common_subexpressions", &eliminate_common_subexpressions},
    {"move_quantization", &move_quantization},
    {"fold_padding", &fold_padding},
    {"fold_into_weights", &fold_into_weights},
    {"matmul_to_gemm", &matmul_to_gemm},
    {"fold_bias", &fold_bias},
    {"convert_to_nhwc", &convert_to_nhwc},
    {"remove_redundant_reshapes", &remove_redundant_reshapes},
    {"fold_constants", &fold_constants},  // the transposed ones
};

bool switched_off(std::string_view name, std::string_view setting) {
  if (setting == "none") return true;
  while (!setting.empty()) {
    const std::size_t comma = std::min(setting.find(','), setting.size());
    const std::string_view item = setting.substr(0, comma);
    if (item.size() == name.size() + 1 && item[0] == '-' && item.substr(1) == name) return true;
    setting.remove_prefix(std::min(comma + 1, setting.size()));
  }
  return false;
}

}  // namespace

std::span<const Pass> all_passes() { return passes; }

std::vector<Pass> chosen_passes() {
  const char* setting = std::getenv("WEBNN_PASSES");
  std::vector<Pass> chosen;
  for (const Pass& pass : passes)
    if (!setting || !switched_off(pass.name, setting)) chosen.push_back(pass);
  return chosen;
}

Graph optimize(Graph graph, std::span<const Pass> chosen, std::vector<PassReport>& report) {
  for (const Pass& pass : chosen) {
    const std::size_t before = graph.size();
    graph = pass.run(graph);
    report.push_back({pass.name, before, graph.size()});
  }
  return graph;
}

}  // namespace webnn
