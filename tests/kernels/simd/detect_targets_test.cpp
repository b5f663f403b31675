// Builds that do not link Highway's library choose the same instruction set as those that do.
#include "src/kernels/simd/vector/detect_targets.h"

#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/vector/instruction_set.h"
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

#if HWY_ARCH_X86
TEST_CASE("simd: a processor without the instruction sets of the kernels has no such backend") {
  CHECK(simd::has_target());
  hwy::SetSupportedTargetsForTest(HWY_SSSE3);
  const bool has = simd::has_target();
  const auto backend = simd::make_backend({});
  hwy::SetSupportedTargetsForTest(0);
  CHECK(!has);
  CHECK(!backend);
}
#endif
