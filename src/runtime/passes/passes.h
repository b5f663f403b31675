// The passes over a graph, each a pure function graph -> graph.
#pragma once

#include "webnn/graph.h"

namespace webnn {

struct PassReport {
  std::string_view name;
  std::size_t before, after;  // operators
};

struct Pass {
  std::string_view name;
  Graph (*run)(const Graph&);
};

/// All passes in the order in which they run: the one list.
std::span<const Pass> all_passes();
/// Runs those that are not switched off. WEBNN_PASSES in the environment: names with commas
/// between them, a '-' before one that is left out ("-fold_constants"); "none" leaves out all.
Graph optimize(Graph graph, std::vector<PassReport>& report);
/// Whether fold_constants is not switched off.
bool folds_constants();

Graph remove_identity(const Graph&);
Graph fold_constants(const Graph&);
Graph merge_equal(const Graph&);
Graph move_quantization(const Graph&);
Graph fold_into_weights(const Graph&);
Graph fold_padding(const Graph&);
Graph products(const Graph&);
Graph fold_bias(const Graph&);
Graph layouts(const Graph&);
Graph fold_flatten(const Graph&);

}  // namespace webnn
