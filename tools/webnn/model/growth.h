// How far results of a quantized graph differ when its operators round differently.
#pragma once

#include "tools/webnn/data/inputs.h"

namespace webnn::inline v0_1::tool {

/// Whether the graph quantizes a result.
bool has_quantized_results(const Graph& graph);

/// The largest difference, by result, that one unit of every quantizeLinear before it, and of its
/// own, was seen to grow to: each of their results is moved up by one unit, down by one, and twice
/// up or down at random. The graph needs its constants; the feeds are those of its inputs. Zeros
/// for a graph that quantizes nothing.
std::vector<double> growth_of(const MLContext& context, const Graph& graph,
                              const std::vector<MLOperand>& results, const Feeds& feeds);

/// The same for the outputs of a model, which is read again with all of its constants. Nothing for
/// a compiled graph.
std::vector<double> growth_of_outputs(const ModelOptions& model, const InputOptions& inputs,
                                      const Feeds& feeds, int threads);

}  // namespace webnn::inline v0_1::tool
