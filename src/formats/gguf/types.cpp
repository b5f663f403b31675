#include "src/formats/gguf/types.h"

#include <algorithm>

#include "src/graph/failure.h"

namespace webnn::inline v0_1::gguf {
namespace {

constexpr TypeRow rows[] = {
    {TensorType::F32, "F32", {1, 4}, float32},
    {TensorType::F16, "F16", {1, 2}, float16},
    {TensorType::Q4_0, "Q4_0", {32, 18}},
    {TensorType::Q4_1, "Q4_1", {32, 20}},
    {TensorType::Q5_0, "Q5_0", {32, 22}},
    {TensorType::Q5_1, "Q5_1", {32, 24}},
    {TensorType::Q8_0, "Q8_0", {32, 34}},
    {TensorType::Q8_1, "Q8_1", {32, 36}},
    {TensorType::Q2_K, "Q2_K", {256, 84}},
    {TensorType::Q3_K, "Q3_K", {256, 110}},
    {TensorType::Q4_K, "Q4_K", {256, 144}},
    {TensorType::Q5_K, "Q5_K", {256, 176}},
    {TensorType::Q6_K, "Q6_K", {256, 210}},
    {TensorType::Q8_K, "Q8_K", {256, 292}},
    {TensorType::IQ2_XXS, "IQ2_XXS", {256, 66}},
    {TensorType::IQ2_XS, "IQ2_XS", {256, 74}},
    {TensorType::IQ3_XXS, "IQ3_XXS", {256, 98}},
    {TensorType::IQ1_S, "IQ1_S", {256, 50}},
    {TensorType::IQ4_NL, "IQ4_NL", {32, 18}},
    {TensorType::IQ3_S, "IQ3_S", {256, 110}},
    {TensorType::IQ2_S, "IQ2_S", {256, 82}},
    {TensorType::IQ4_XS, "IQ4_XS", {256, 136}},
    {TensorType::I8, "I8", {1, 1}, int8},
    {TensorType::I16, "I16", {1, 2}},
    {TensorType::I32, "I32", {1, 4}, int32},
    {TensorType::I64, "I64", {1, 8}, int64},
    {TensorType::F64, "F64", {1, 8}},
    {TensorType::IQ1_M, "IQ1_M", {256, 56}},
    {TensorType::BF16, "BF16", {1, 2}, bfloat16},
    {TensorType::TQ1_0, "TQ1_0", {256, 54}},
    {TensorType::TQ2_0, "TQ2_0", {256, 66}},
    {TensorType::MXFP4, "MXFP4", {32, 17}},
};

const TypeRow& known(TensorType type) {
  if (const TypeRow* row = row_of(type)) return *row;
  raise(fail("{} is not a type of tensors", static_cast<std::uint32_t>(type)), "gguf");
}

}  // namespace

const TypeRow* row_of(TensorType type) {
  const auto* row = std::ranges::find(rows, type, &TypeRow::type);
  return row == std::end(rows) ? nullptr : row;
}

BlockLayout block_layout(TensorType type) { return known(type).layout; }
std::string_view name_of(TensorType type) { return known(type).name; }

}  // namespace webnn::inline v0_1::gguf
