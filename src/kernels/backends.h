// The backends that were built in, in their order.
#pragma once

#include "webnn/backend.h"
#include "webnn/context.h"

namespace webnn {

std::vector<std::string_view> backend_names();

/// The backends a context asks, in its order: the caller's choice, else WEBNN_BACKENDS, else all.
/// Throws NotSupportedError for one that is not known.
std::vector<std::shared_ptr<const Backend>> backends_for(std::span<const BackendChoice> choice);

// Each in its folder of src/kernels; null when it was not built in or does not run on this CPU.
std::shared_ptr<const Backend> simd_backend();
std::shared_ptr<const Backend> onednn_backend();
std::shared_ptr<const Backend> xnnpack_backend();
std::shared_ptr<const Backend> reference_backend();

}  // namespace webnn
