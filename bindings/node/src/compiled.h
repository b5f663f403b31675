// Compiled graphs in files: extensions.
#pragma once

#include <napi.h>

namespace webnn::node {

/// MLContext.loadGraph(path, options)
Napi::Value load_graph(const Napi::CallbackInfo& info);
/// MLGraph.save(path)
Napi::Value save_graph(const Napi::CallbackInfo& info);

}  // namespace webnn::node
