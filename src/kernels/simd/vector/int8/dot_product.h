// The instruction that adds products of bytes to sums of 32 bits (AVX-VNNI, AVX512-VNNI).
#pragma once

namespace webnn::inline v0_1::simd {

int int8_lanes();  ///< sums of 32 bits in a vector of the instruction set in use

/// How products of bytes are computed, where a CPU may have the instruction for them or not:
/// vectors of AVX2 and of AVX-512. Other instruction sets always or never have it.
enum class Int8DotProduct { instruction, emulated };

/// The instruction, if this CPU has it for the instruction set in use.
Int8DotProduct int8_dot_product();

}  // namespace webnn::inline v0_1::simd
