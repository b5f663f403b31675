// Quantized graphs from float ones: an extension.
#pragma once

#include <napi.h>

namespace webnn::inline v0_1::node {

/// MLContext.quantize(graph, samples, options)
Napi::Value quantize(const Napi::CallbackInfo& info);

}  // namespace webnn::inline v0_1::node
