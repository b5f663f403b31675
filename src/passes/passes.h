// The passes over a graph, each a pure function graph -> graph.
#pragma once

#include <optional>

#include "webnn/passes.h"

namespace webnn::inline v0_1 {

/// Those of all_passes() that the environment does not switch off. WEBNN_PASSES is "none" or a list
/// of names, each with a '-' in front: "-fold_constants,-fold_bias". Throws TypeError for an item
/// that is not.
std::vector<Pass> chosen_passes();
Graph optimize(Graph graph, std::span<const Pass> passes, std::vector<PassReport>& report);

/// After the backends have chosen: the graph with the results of the dequantizeLinear operators
/// `unfused`, whose operands are constants and which would run by themselves, as constants, up to a
/// gigabyte, and up to 64 MB more than the integers would be as floats; the operators `fused` keep
/// reading the integers. Nothing when there is none.
std::optional<Graph> fold_dequantized_weights(const Graph&, std::span<const Node> unfused,
                                              std::span<const Node> fused);

Graph remove_identity(const Graph&);
Graph narrow_to_float32(const Graph&);
Graph fold_constants(const Graph&);
Graph fold_transposed_constants(const Graph&);  // after convert_to_nhwc
Graph eliminate_common_subexpressions(const Graph&);
Graph recognize_layer_normalization(const Graph&);
Graph recognize_activations(const Graph&);
Graph recognize_softmax(const Graph&);
Graph recognize_attention(const Graph&);
Graph recognize_dynamic_quantization(const Graph&);
Graph recognize_quantized_operators(const Graph&);
Graph recognize_rms_normalization(const Graph&);
Graph recognize_rotary_embedding(const Graph&);
Graph recognize_swish(const Graph&);
Graph move_quantization(const Graph&);
Graph move_reshapes(const Graph&);
Graph fold_into_weights(const Graph&);
Graph fold_padding(const Graph&);
Graph crop_kernels(const Graph&);
Graph matmul_to_gemm(const Graph&);
Graph fold_bias(const Graph&);
Graph convert_to_nhwc(const Graph&);
Graph remove_redundant_reshapes(const Graph&);
Graph concat_to_scatter(const Graph&);
Graph separate_small_weights(const Graph&);

}  // namespace webnn::inline v0_1
