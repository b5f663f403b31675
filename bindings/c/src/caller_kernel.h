// Kernels of the caller, and the data of callbacks.
#pragma once

#include "bindings/c/src/values.h"
#include "webnn/backend.h"

namespace webnn::inline v0_1::c {

inline constexpr webnn_kernel default_kernel = WEBNN_KERNEL_INIT;

/// A callback's data, which is released with the last owner.
struct Owner {
  void (*release)(void*) = nullptr;
  void* user = nullptr;

  ~Owner() {
    if (release) release(user);
  }
};

/// The kernel that a callback has filled, which keeps `keeper`; or why it is none.
Lowering to_kernel(const webnn_kernel& k, std::shared_ptr<const void> keeper);

}  // namespace webnn::inline v0_1::c
