// A pattern in memory before kernels write to it, so that tests see what they leave unwritten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace webnn::inline v0_1 {

/// The pattern of each four bytes: a signaling NaN of float32 whose upper half is a NaN of float16.
inline constexpr std::uint32_t unwritten_pattern = 0x7fa57fa5;

/// Whether runs of this process fill the results of each kernel, scratch and outputs with the
/// pattern before they are computed. Debug builds begin with true, others with false.
bool fills_memory();
void set_fills_memory(bool fills);

/// Fills it from its beginning.
void fill(std::span<std::byte> memory);

}  // namespace webnn::inline v0_1
