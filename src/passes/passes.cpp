#include "src/passes/passes.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1 {
namespace {

constexpr Pass passes[] = {
    {"remove_identity", &remove_identity},
    {"narrow_to_float32", &narrow_to_float32},
    {"fold_constants", &fold_constants},
    {"eliminate_common_subexpressions", &eliminate_common_subexpressions},
    {"concat_to_scatter", &concat_to_scatter},
    {"recognize_layer_normalization", &recognize_layer_normalization},
    {"recognize_activations", &recognize_activations},
    {"recognize_softmax", &recognize_softmax},
    {"move_quantization", &move_quantization},
    {"move_reshapes", &move_reshapes},
    {"fold_padding", &fold_padding},
    {"crop_kernels", &crop_kernels},
    {"fold_into_weights", &fold_into_weights},
    {"matmul_to_gemm", &matmul_to_gemm},
    {"fold_bias", &fold_bias},
    {"convert_to_nhwc", &convert_to_nhwc},
    {"remove_redundant_reshapes", &remove_redundant_reshapes},
    {"fold_constants", &fold_transposed_constants},
    {"small_weights", &separate_small_weights},
    {"recognize_dynamic_quantization", &recognize_dynamic_quantization},
    {"recognize_attention", &recognize_attention},
    {"recognize_rms_normalization", &recognize_rms_normalization},
    {"recognize_rotary_embedding", &recognize_rotary_embedding},
    {"recognize_swish", &recognize_swish},
    {"recognize_quantized_operators", &recognize_quantized_operators},
};

/// The names in the value of WEBNN_PASSES that are left out.
std::set<std::string_view> switched_off(std::string_view setting) {
  std::vector<std::string_view> known;
  for (const Pass& pass : passes)
    if (std::find(known.begin(), known.end(), pass.name) == known.end()) known.push_back(pass.name);
  if (setting == "none") return {known.begin(), known.end()};
  std::set<std::string_view> off;
  for (std::string_view item : split(setting)) {
    if (item.empty()) continue;
    const auto pass = std::find(known.begin(), known.end(), item.substr(1));
    if (item[0] != '-' || pass == known.end())
      raise(fail("WEBNN_PASSES: {} is not \"none\" or \"-\" with the name of a pass: {}",
                 in_quotes(item), joined(known)),
            "build");
    off.insert(*pass);
  }
  return off;
}

}  // namespace

std::span<const Pass> all_passes() { return passes; }

std::vector<Pass> chosen_passes() {
  const char* setting = std::getenv("WEBNN_PASSES");
  const std::set<std::string_view> off = switched_off(setting ? setting : "");
  std::vector<Pass> chosen;
  for (const Pass& pass : passes)
    if (!off.count(pass.name)) chosen.push_back(pass);
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

}  // namespace webnn::inline v0_1
