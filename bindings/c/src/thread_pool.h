// Threads of the caller, as a context uses them.
#pragma once

#include "bindings/c/src/handles.h"

namespace webnn::inline v0_1::c {

/// Null for none.
std::shared_ptr<ThreadPool> thread_pool_of(const webnn_thread_pool* pool);
/// From now on the end of the pool calls its release callback.
void own(const std::shared_ptr<ThreadPool>& pool);

}  // namespace webnn::inline v0_1::c
