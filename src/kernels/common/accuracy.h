// What the accuracy level of a context is to a backend.
#pragma once

#include <string>

#include "webnn/context.h"

namespace webnn::inline v0_1 {

/// A backend whose kernels depend on the level.
struct AccuracyBackend {
  virtual ~AccuracyBackend() = default;
  /// Why the level makes no difference to its kernels; empty if it may make one.
  virtual std::string no_difference(AccuracyLevel) const = 0;
};

}  // namespace webnn::inline v0_1
