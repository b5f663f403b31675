// The passes that build() runs, and graphs compiled from graphs: for tools that look into them.
#pragma once

#include "webnn/context.h"
#include "webnn/graph.h"

namespace webnn::inline v0_1 {

/// A rewriting of graphs that keeps what they compute.
struct Pass {
  std::string_view name;
  Graph (*run)(const Graph&);
};
/// All passes in the order in which build() runs them. A name may occur twice.
std::span<const Pass> all_passes();

/// The graph with other outputs, any of its results, and without what these do not need. It keeps
/// its inputs. Throws TypeError for no outputs, names that are empty or repeated, and operands
/// that are not results of this graph.
Graph with_outputs(const Graph& graph, const NamedOperands& outputs);

/// Compiles a graph, which may come from another context. Throws as MLGraphBuilder::build() does.
MLGraph build_graph(const MLContext& context, const Graph& graph);
/// Compiles a graph with these passes, whatever WEBNN_PASSES says; none for `{}`.
MLGraph build_graph(const MLContext& context, const Graph& graph, std::span<const Pass> passes);

}  // namespace webnn::inline v0_1
