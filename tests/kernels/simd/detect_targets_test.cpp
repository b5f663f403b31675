// Builds that do not link Highway's library choose the same instruction set as those that do.
#include "src/kernels/simd/vector/detect_targets.h"
#include "tests/support/catch.h"

using namespace webnn;

TEST_CASE("simd: the instruction sets that Highway's library finds are found without it") {
#if HWY_ARCH_X86
  const std::int64_t compiled = HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL;
#else
  const std::int64_t compiled = 0;
#endif
  CHECK((simd::detect_targets() & compiled) == (hwy::SupportedTargets() & compiled));
}
