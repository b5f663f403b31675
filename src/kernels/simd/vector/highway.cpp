// The two functions of Highway's library that its headers call, for builds that link no library but
// those of C (WEBNN_STANDALONE): https://github.com/google/highway/blob/master/hwy/targets.h
#include "src/kernels/simd/vector/detect_targets.h"

namespace hwy {

std::int64_t SupportedTargets() {
#if HWY_ARCH_X86
  static const std::int64_t targets = webnn::simd::detect_targets();
  return targets ? targets : HWY_SCALAR;
#else
  return HWY_STATIC_TARGET;
#endif
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy
