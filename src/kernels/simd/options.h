// What can be chosen when the backend is made.
#pragma once

#include "src/kernels/simd/vector/bfloat16/pairs.h"
#include "src/kernels/simd/vector/int8/dot_product.h"

namespace webnn::inline v0_1::simd {

/// Convolutions by Winograd's method: never, where they are likely faster, or wherever possible
/// with tiles of that size, for tests.
enum class Winograd3x3 { off, by_shape, tiles_4x4, tiles_2x2 };

/// Tiles for products of bytes: never, where the CPU has them, or those in memory, for tests.
enum class Int8Tiles { off, on, emulated };

struct Options {
  /// Use the CPU's dot product instruction for bytes where it has one (vector/int8/dot_product.h).
  bool int8_dot_product = true;
  Int8Tiles int8_tiles = Int8Tiles::on;
  Winograd3x3 winograd = Winograd3x3::by_shape;
  /// Products with small weights may quantize the rows of their activations.
  bool int8_activations = false;
  /// With what operands of products, of convolutions and of attention may be rounded to bfloat16.
  Bfloat16Products bfloat16 = Bfloat16Products::none;

  Int8DotProduct dot_product() const {
    const Int8DotProduct own =
        int8_dot_product ? simd::int8_dot_product() : Int8DotProduct::emulated;
    if (int8_tiles == Int8Tiles::on) return own;
    return int8_tiles == Int8Tiles::emulated && can_emulate_int8_tiles()
               ? Int8DotProduct::emulated_tiles
               : without_tiles(own);
  }
};

}  // namespace webnn::inline v0_1::simd
