// Graphs through files.
#pragma once

#include "webnn/context.h"
#include "webnn/graph.h"

namespace webnn::test {

/// The graph written as a .tflite file, and what is read from that; nothing where the file cannot
/// say it, or where there is no support for such files.
std::optional<MLGraph> exported_and_imported(const Graph& graph, const MLContext& context);

}  // namespace webnn::test
