// compute() and computeSync() of the 2023 draft, on views of the caller.
#pragma once

#include <napi.h>

#include <string_view>

#include "webnn/graph.h"

namespace webnn::inline v0_1::node {

/// The argument `graph` of a method.
MLGraph graph_of(const Napi::Value& value, std::string_view method);

/// MLContext.compute(graph, inputs, outputs)
Napi::Value compute(const Napi::CallbackInfo& info);
/// MLContext.computeSync(graph, inputs, outputs)
Napi::Value compute_sync(const Napi::CallbackInfo& info);

}  // namespace webnn::inline v0_1::node
