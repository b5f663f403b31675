// Memory of the caller, as a context uses it.
#pragma once

#include "bindings/c/src/handles.h"
#include "webnn/allocator.h"

namespace webnn::inline v0_1::c {

/// Null for none.
std::shared_ptr<Allocator> allocator_of(const webnn_allocator* allocator);
/// From now on the end of the allocator calls its release callback.
void own(const std::shared_ptr<Allocator>& allocator);

}  // namespace webnn::inline v0_1::c
