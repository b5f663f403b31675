#include "src/formats/tflite/export/lower.h"

namespace webnn::inline v0_1::tflite::exporter {

TensorType movable(TensorType type) {
  return type == TensorType::UINT32 ? TensorType::INT32 : type;
}
TensorType addable(TensorType type) {
  const bool narrow = type == TensorType::INT8 || type == TensorType::UINT8;
  return narrow ? TensorType::INT32 : movable(type);
}
TensorType comparable(TensorType type) {
  return type == TensorType::UINT32 ? TensorType::INT64 : addable(type);
}

}  // namespace webnn::inline v0_1::tflite::exporter
