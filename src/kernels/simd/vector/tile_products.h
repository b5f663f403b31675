// The tiles of AMX: registers that hold matrices of 16 rows of 64 bytes.
#pragma once

namespace webnn::inline v0_1::simd {

/// What their instructions multiply.
enum class TileProducts { bfloat16, int8 };

/// Whether this processor has the instructions, and its system lets the process use tiles. The
/// system is asked once.
bool has_tiles(TileProducts);

}  // namespace webnn::inline v0_1::simd
