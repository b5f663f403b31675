// Compiled graphs in files: an extension.
#pragma once

#include <napi.h>

namespace webnn::inline v0_1::node {

/// MLGraph.save(path)
Napi::Value save_graph(const Napi::CallbackInfo& info);

}  // namespace webnn::inline v0_1::node
