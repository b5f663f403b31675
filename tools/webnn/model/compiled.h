// What the commands do with compiled graphs in place of models.
#pragma once

#include "tools/webnn/model/model.h"

namespace webnn::inline v0_1::tool {

/// Whether the file is a compiled graph.
bool is_compiled(const ModelOptions& options);
/// The order of backends for which it was compiled, with commas between them.
std::string backends_of(const ModelOptions& options);
/// Compares all checksums, also those of large weights. Throws what the library throws.
MLGraph load_verified(const ModelOptions& options, const MLContext& context);

/// The operators, as "conv2d [stem]", whose weights are there in the form of their kernels alone:
/// they cannot be built again. None in the graph of a model.
std::vector<std::string> packed_operators(const Graph& graph);
/// Throws CommandError when there are any; `hint` says what to do.
void require_constants(const Model& m, std::string_view hint);

/// A model or a compiled graph with all constants, whose dimensions stay open. Throws as load()
/// does, and CommandError.
Model load_all(const ModelOptions& options);

}  // namespace webnn::inline v0_1::tool
