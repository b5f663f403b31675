// Graphs for formats whose dimensions all have sizes. Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include <optional>
#include <string>

#include "webnn/graph.h"

namespace webnn::inline v0_1::formats {

/// `input "x" has an open dimension, 1 ("sequence")`; nothing when all dimensions have sizes.
[[gnu::visibility("hidden")]] std::optional<std::string> open_input(const Graph& graph);

/// The graph as it was built. Throws NotSupportedError, which names an input and its open
/// dimension, where there is one. `format` is the export in the message: "tflite export".
[[gnu::visibility("hidden")]] Graph static_graph(const MLGraph& graph, std::string_view format);

}  // namespace webnn::inline v0_1::formats
