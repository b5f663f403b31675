// Blocks of .gguf files as the operands of dequantizeLinear. Private.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "src/lm/weights/buffer.h"
#include "webnn/data_type.h"
#include "webnn/gguf.h"

namespace webnn::inline v0_1::lm {

/// The integers of rows of blocks: an element is scale * integer - minimum, with one scale for
/// `block` elements in a row. All products are exact in float32.
struct Integers {
  MLOperandDataType type{};  ///< int4, int8, uint4 or uint8
  std::uint32_t block = 32;  ///< a scale and a minimum for so many elements
  Buffer<std::byte> integers{};
  Buffer<float> scales{};
  /// A minimum is minimum_scale * minimum: one integer for a block, and one scale for
  /// `minimum_block` of them. Both are empty where there is none.
  Buffer<std::byte> minima{};  ///< int8 or uint8
  Buffer<float> minimum_scales{};
  /// What all scales of a block of 256 are multiples of; empty where there is no such number.
  std::vector<float> factors{};
  MLOperandDataType minimum_type{};
  std::uint32_t minimum_block = 1;
};

/// How blocks of that type become integers, without their contents; nothing for other types.
std::optional<Integers> integer_form(gguf::TensorType type);
/// The integers of whole blocks, on up to so many threads. The type has an integer_form().
Integers integers_of(gguf::TensorType type, std::span<const std::byte> blocks, int threads = 1);

}  // namespace webnn::inline v0_1::lm
