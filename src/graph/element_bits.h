// The bits of an element.
#pragma once

#include <bit>
#include <cstdint>

#include "webnn/float16.h"
#include "webnn/number.h"

namespace webnn::inline v0_1 {

/// The bits of the number as that type, the lowest ones of the result; int4 and uint4 have four.
inline std::uint64_t element_bits(MLOperandDataType type, MLNumber number) {
  const MLNumber v = number.to(type);
  // Exact: v is a number of the type already.
  if (type == MLOperandDataType::float32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(v.as_double()));
  if (type == MLOperandDataType::float16) return float16_bits(static_cast<float>(v.as_double()));
  return bits_of(type) < 8 ? v.as_uint64() & 15 : v.as_uint64();
}

}  // namespace webnn::inline v0_1
