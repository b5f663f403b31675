// Not compiled for one processor: it runs where the kernels do not.
#include <hwy/targets.h>

#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {

const char* missing_target() {
  const bool missing = only_target != 0 && (hwy::SupportedTargets() & only_target) == 0;
  return missing ? hwy::TargetName(only_target) : nullptr;
}

bool has_target() {
#if HWY_ARCH_X86
  return (hwy::SupportedTargets() & built_targets) != 0;
#else
  return true;
#endif
}

}  // namespace webnn::inline v0_1::simd
