// Models in files and in memory, of every format: extensions.
#pragma once

#include <napi.h>

namespace webnn::inline v0_1::node {

/// MLContext.loadGraph(source, options): a model that is imported and built, or a compiled graph.
Napi::Value load_graph(const Napi::CallbackInfo& info);
/// MLGraphBuilder.importModel(source, options)
Napi::Value import_model(const Napi::CallbackInfo& info);
/// MLGraph.exportModel(path, options)
Napi::Value export_model(const Napi::CallbackInfo& info);
/// MLGraph.exportedBytes(format)
Napi::Value exported_bytes(const Napi::CallbackInfo& info);
/// ml.modelFormats()
Napi::Value model_formats(const Napi::CallbackInfo& info);

// MLGraph.inputs and MLGraph.outputs: a Map from each name to its dataType and shape, in order.

Napi::Value graph_inputs(const Napi::CallbackInfo& info);
Napi::Value graph_outputs(const Napi::CallbackInfo& info);

}  // namespace webnn::inline v0_1::node
