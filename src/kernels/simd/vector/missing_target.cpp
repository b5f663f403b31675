// Not compiled for one processor: it runs where the kernels do not.
#include <hwy/targets.h>

#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {

const char* missing_target() {
  const bool missing = only_target != 0 && (hwy::SupportedTargets() & only_target) == 0;
  return missing ? hwy::TargetName(only_target) : nullptr;
}

}  // namespace webnn::inline v0_1::simd
