#include "src/quantization/prepare.h"

#include "src/passes/passes.h"

namespace webnn::inline v0_1 {

Graph prepared(Graph graph) {
  for (const auto& [name, x] : graph.inputs())
    if (x.is_open()) return graph;
  for (const auto run :
       {&remove_identity, &narrow_to_float32, &fold_constants, &eliminate_common_subexpressions,
        &recognize_layer_normalization, &recognize_activations, &recognize_softmax,
        &fold_into_weights, &matmul_to_gemm, &fold_bias, &remove_redundant_reshapes})
    graph = run(graph);
  return graph;
}

}  // namespace webnn::inline v0_1
