#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/int8/dot_product.cpp"
#include "src/kernels/simd/vector/int8/dot_product.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/int8/integers-inl.h"
#include "src/kernels/simd/vector/tile_products.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

int lanes_of_sums() { return vector_lanes; }

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
namespace {

#if HWY_ARCH_X86
/// A feature of leaf 7 of CPUID.
bool has_feature(unsigned subleaf, int word, int bit) {
  unsigned r[4] = {};
  return __get_cpuid_count(7, subleaf, &r[0], &r[1], &r[2], &r[3]) != 0 && (r[word] >> bit & 1);
}
#endif

}  // namespace

HWY_EXPORT(lanes_of_sums);
int int8_lanes() { return HWY_DYNAMIC_DISPATCH(lanes_of_sums)(); }

Int8DotProduct int8_dot_product() {
#if HWY_ARCH_X86
  constexpr int eax = 0, ecx = 2;
  static const bool avx_vnni = has_feature(1, eax, 4), avx512_vnni = has_feature(0, ecx, 11);
  if (int8_lanes() == 16 && avx512_vnni && has_tiles(TileProducts::int8))
    return Int8DotProduct::tiles;
  if (int8_lanes() == 16 ? avx512_vnni : avx_vnni) return Int8DotProduct::instruction;
#endif
  return Int8DotProduct::emulated;
}
bool can_emulate_int8_tiles() { return HWY_ARCH_X86 && int8_lanes() == 16; }

}  // namespace webnn::inline v0_1::simd
#endif
