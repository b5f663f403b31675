// Compiled graphs in files: extensions.
#pragma once

#include <napi.h>

namespace webnn::inline v0_1::node {

/// MLContext.loadGraph(path, options)
Napi::Value load_graph(const Napi::CallbackInfo& info);
/// MLGraph.save(path)
Napi::Value save_graph(const Napi::CallbackInfo& info);

}  // namespace webnn::inline v0_1::node
