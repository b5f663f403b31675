// The instruction sets of Highway that this processor has, found without Highway's library.
#pragma once

#include <hwy/highway.h>

#include <cstdint>

namespace webnn::inline v0_1::simd {

/// A bit for each set as in hwy/detect_targets.h, up to AVX3_DL; 0 if the processor is not an x86.
#if HWY_ARCH_X86
inline std::int64_t detect_targets() {
  // GCC and Clang also ask the system whether it saves the registers.
  __builtin_cpu_init();
  std::int64_t targets = 0;
#if defined(HWY_SSE2)
  targets |= HWY_SSE2;  // each x86-64 has it
#endif
  if (!__builtin_cpu_supports("ssse3")) return targets;
  targets |= HWY_SSSE3;
  if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("aes") ||
      !__builtin_cpu_supports("pclmul"))
    return targets;
  targets |= HWY_SSE4;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
      !__builtin_cpu_supports("f16c") || !__builtin_cpu_supports("lzcnt"))
    return targets;
  targets |= HWY_AVX2;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl") ||
      !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512cd"))
    return targets;
  targets |= HWY_AVX3;
  if (!__builtin_cpu_supports("avx512vnni") || !__builtin_cpu_supports("vpclmulqdq") ||
      !__builtin_cpu_supports("avx512vbmi") || !__builtin_cpu_supports("avx512vbmi2") ||
      !__builtin_cpu_supports("vaes") || !__builtin_cpu_supports("avx512vpopcntdq") ||
      !__builtin_cpu_supports("avx512bitalg") || !__builtin_cpu_supports("gfni"))
    return targets;
  return targets | HWY_AVX3_DL;
}
#else
inline std::int64_t detect_targets() { return 0; }
#endif

}  // namespace webnn::inline v0_1::simd
