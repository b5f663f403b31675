// The element types of the format. Private.
#pragma once

#include "webnn/data_type.h"

namespace webnn::inline v0_1::safetensors {

struct Dtype {
  std::string_view name;
  int bits;
  std::optional<MLOperandDataType> type = std::nullopt;
};

/// Where two dtypes have the same WebNN type, the first is written.
inline constexpr Dtype dtypes[] = {{"F32", 32, float32},
                                   {"F16", 16, float16},
                                   {"I32", 32, int32},
                                   {"U32", 32, uint32},
                                   {"I64", 64, int64},
                                   {"U64", 64, uint64},
                                   {"I8", 8, int8},
                                   {"U8", 8, uint8},
                                   {"BOOL", 8, uint8},
                                   {"F64", 64},
                                   {"BF16", 16, bfloat16},
                                   {"I16", 16},
                                   {"U16", 16},
                                   {"C64", 64},
                                   {"F8_E4M3", 8, float8e4m3},
                                   {"F8_E5M2", 8},
                                   {"F8_E8M0", 8},
                                   {"F8_E4M3FNUZ", 8},
                                   {"F8_E5M2FNUZ", 8},
                                   {"F6_E2M3", 6},
                                   {"F6_E3M2", 6},
                                   {"F4", 4}};

constexpr const Dtype* dtype_of(std::string_view name) {
  for (const Dtype& d : dtypes)
    if (d.name == name) return &d;
  return nullptr;
}
constexpr const Dtype* dtype_of(MLOperandDataType type) {
  for (const Dtype& d : dtypes)
    if (d.type == type) return &d;
  return nullptr;
}

inline constexpr std::string_view metadata_key = "__metadata__";
inline constexpr std::uint64_t max_header_length =
    100'000'000;  // the limit of the format's reference

}  // namespace webnn::inline v0_1::safetensors
