// The types of elements in ONNX files: https://onnx.ai/onnx/repo-docs/IR.html#standard-data-types
#pragma once

#include <optional>
#include <string>

#include "webnn/data_type.h"

namespace webnn::inline v0_1::onnx {

/// TensorProto.DataType.
enum class ElementType : std::int32_t {
  UNDEFINED,
  FLOAT,
  UINT8,
  INT8,
  UINT16,
  INT16,
  INT32,
  INT64,
  STRING,
  BOOL,
  FLOAT16,
  DOUBLE,
  UINT32,
  UINT64,
  COMPLEX64,
  COMPLEX128,
  BFLOAT16,
  FLOAT8E4M3FN,
  FLOAT8E4M3FNUZ,
  FLOAT8E5M2,
  FLOAT8E5M2FNUZ,
  UINT4,
  INT4,
  FLOAT4E2M1,
  FLOAT8E8M0,
  UINT2,
  INT2
};
constexpr auto names_of(ElementType) {
  return names("UNDEFINED", "FLOAT", "UINT8", "INT8", "UINT16", "INT16", "INT32", "INT64", "STRING",
               "BOOL", "FLOAT16", "DOUBLE", "UINT32", "UINT64", "COMPLEX64", "COMPLEX128",
               "BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ",
               "UINT4", "INT4", "FLOAT4E2M1", "FLOAT8E8M0", "UINT2", "INT2");
}

/// That type in WebNN. BOOL is uint8 with 0 and 1.
constexpr std::optional<MLOperandDataType> data_type_of(ElementType t) {
  switch (t) {
    case ElementType::FLOAT: return float32;
    case ElementType::FLOAT16: return float16;
    case ElementType::BFLOAT16: return bfloat16;
    case ElementType::FLOAT8E4M3FN: return float8e4m3;
    case ElementType::INT32: return int32;
    case ElementType::UINT32: return uint32;
    case ElementType::INT64: return int64;
    case ElementType::UINT64: return uint64;
    case ElementType::INT8: return int8;
    case ElementType::UINT8:
    case ElementType::BOOL: return uint8;
    case ElementType::INT4: return int4;
    case ElementType::UINT4: return uint4;
    default: return std::nullopt;
  }
}
/// The type of WebNN in which the values of a type are held that it does not have, and that is
/// narrower.
constexpr std::optional<MLOperandDataType> wider_type_of(ElementType t) {
  switch (t) {
    case ElementType::INT16:
    case ElementType::UINT16: return int32;
    case ElementType::INT2: return int8;
    case ElementType::UINT2: return uint8;
    case ElementType::FLOAT8E4M3FNUZ:
    case ElementType::FLOAT8E5M2:
    case ElementType::FLOAT8E5M2FNUZ:
    case ElementType::FLOAT8E8M0:
    case ElementType::FLOAT4E2M1: return float32;
    default: return std::nullopt;
  }
}
/// Whether it is held so.
constexpr bool is_narrow(ElementType t) { return wider_type_of(t).has_value(); }
constexpr bool is_narrow_float(ElementType t) { return wider_type_of(t) == float32; }
constexpr bool is_16_bits(ElementType t) { return wider_type_of(t) == int32; }
/// "FLOAT", or "type 99" for one that the format does not have.
inline std::string name_of_type(ElementType t) {
  const auto name = name_of(t);
  return name == "?" ? "type " + std::to_string(static_cast<std::int32_t>(t)) : std::string(name);
}

}  // namespace webnn::inline v0_1::onnx
