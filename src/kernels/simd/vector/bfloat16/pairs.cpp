#include "src/kernels/simd/vector/bfloat16/pairs.h"

#include "src/kernels/simd/vector/tile_products.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace webnn::inline v0_1::simd {

Bfloat16Products bfloat16_products() {
#if defined(__x86_64__) || defined(__i386__)
  static const bool has_instruction = [] {
    unsigned r[4] = {};
    return __get_cpuid_count(7, 1, &r[0], &r[1], &r[2], &r[3]) != 0 && (r[0] >> 5 & 1);
  }();
  if (has_instruction && can_emulate_bfloat16())
    return has_tiles(TileProducts::bfloat16) ? Bfloat16Products::tiles
                                             : Bfloat16Products::instruction;
#endif
  return Bfloat16Products::none;
}

}  // namespace webnn::inline v0_1::simd
