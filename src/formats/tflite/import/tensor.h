// What the file says of a tensor, checked. Private.
#pragma once

#include <optional>

#include "src/formats/tflite/import/file.h"
#include "webnn/operand.h"

namespace webnn::inline v0_1::tflite {

/// Per tensor: one scale. Per axis: one for each index along an axis.
struct Scales {
  std::span<const float> scale{};
  std::span<const std::int64_t> zero_point{};  // one for each, or one for all, or none for zero
  std::uint32_t axis = 0;

  std::int64_t zero(std::size_t i) const {
    return zero_point.empty() ? 0 : zero_point[zero_point.size() == 1 ? 0 : i];
  }
  bool operator==(const Scales& other) const;
};

struct TensorInfo {
  std::uint32_t index = 0;
  std::string_view name{};
  schema::TensorType type = schema::TensorType::FLOAT32;
  /// The type of its elements as stored; none: WebNN has no type for them.
  std::optional<MLOperandDataType> dataType{};
  std::vector<std::int32_t> shape{};  ///< -1 for what is unknown; may have zeros
  bool has_rank = true;               ///< else an empty shape says nothing
  std::optional<Scales> scales{};     ///< a quantized tensor has them
  bool variable = false;
  bool empty = false;                     ///< has no elements
  std::span<const std::byte> bytes{};     ///< those of a constant
  const schema::Tensor* table = nullptr;  ///< for its sparsity

  bool constant() const { return !bytes.empty() || table->sparsity(); }
  std::string text() const;  ///< `tensor 7 ("conv1/w")`
};

/// The data type of WebNN that holds the elements: BOOL as uint8, INT16 and UINT16 as int32.
std::optional<MLOperandDataType> held_as(schema::TensorType);
std::string name_of_type(schema::TensorType);

/// A failure is a sentence about the tensor.
Result<TensorInfo> read_tensor(const File&, const schema::Tensor&, std::uint32_t index);

}  // namespace webnn::inline v0_1::tflite
