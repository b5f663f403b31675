#include "src/kernels/simd/vector/tile_products.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace webnn::inline v0_1::simd {

bool has_tiles([[maybe_unused]] TileProducts products) {
#if defined(__x86_64__) && defined(__linux__)
  static const unsigned features = [] {                     // EDX of leaf 7, if tiles can be used
    constexpr unsigned tiles = 1u << 24, saves = 1u << 27;  // the latter in ECX of leaf 1
    constexpr unsigned state = 1u << 17 | 1u << 18;         // of XCR0
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & saves)) return 0u;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d & tiles)) return 0u;
    unsigned low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    constexpr long ask = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM
    const bool allowed = (low & state) == state && syscall(SYS_arch_prctl, ask, tile_data) == 0;
    return allowed ? d : 0u;
  }();
  return features >> (products == TileProducts::bfloat16 ? 22 : 25) & 1;
#else
  return false;
#endif
}

}  // namespace webnn::inline v0_1::simd
