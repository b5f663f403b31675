// A decoder in an .onnx file as the graph of a language model. Private.
#pragma once

#include "src/lm/generation/contents.h"
#include "src/lm/imported/config.h"

namespace webnn::inline v0_1::lm {

/// Whether the folder has a decoder in an .onnx file, and no weights that are read otherwise.
bool has_imported(const std::filesystem::path& folder);
/// What the files beside it say.
ImportedConfig imported_config(const std::filesystem::path& folder);
/// Builds the graph, with the inputs and outputs of Network, and sets what describes it. Throws
/// DataError for a model that is not as the configuration says, and NotSupportedError, which names
/// it, for what is not supported.
void build_imported(ModelContents& m, const ImportedConfig& config);

}  // namespace webnn::inline v0_1::lm
