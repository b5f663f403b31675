// The data types as the format writes them. Private.
#pragma once

#include <optional>
#include <string>

#include "src/graph/text.h"
#include "webnn/data_type.h"

namespace webnn::inline v0_1::text {

/// In the order of MLOperandDataType.
inline constexpr auto short_type_names =
    names("f32", "f16", "i32", "u32", "i64", "u64", "i8", "u8", "i4", "u4", "bf16", "f8e4m3");
static_assert(short_type_names.size() == enum_names<MLOperandDataType>.size());

constexpr std::string_view short_name_of(MLOperandDataType type) {
  return short_type_names[static_cast<std::size_t>(type)];
}
constexpr std::optional<MLOperandDataType> type_named(std::string_view name) {
  for (std::size_t i = 0; i < short_type_names.size(); ++i)
    if (short_type_names[i] == name) return static_cast<MLOperandDataType>(i);
  return std::nullopt;
}
inline std::string type_names() { return joined(short_type_names); }

}  // namespace webnn::inline v0_1::text
