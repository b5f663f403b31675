// The bits of an element.
#pragma once

#include <bit>
#include <cstdint>

#include "webnn/bfloat16.h"
#include "webnn/float16.h"
#include "webnn/float8e4m3.h"
#include "webnn/number.h"

namespace webnn::inline v0_1 {

/// The bits of the number as that type, the lowest ones of the result; int4 and uint4 have four.
inline std::uint64_t element_bits(MLOperandDataType type, MLNumber number) {
  const MLNumber v = number.to(type);
  // Exact: v is a number of the type already.
  if (is_float(type)) {
    const float f = static_cast<float>(v.as_double());
    return type == MLOperandDataType::float16      ? float16_bits(f)
           : type == MLOperandDataType::bfloat16   ? bfloat16_bits(f)
           : type == MLOperandDataType::float8e4m3 ? float8e4m3_bits(f)
                                                   : std::bit_cast<std::uint32_t>(f);
  }
  return bits_of(type) < 8 ? v.as_uint64() & 15 : v.as_uint64();
}

}  // namespace webnn::inline v0_1
