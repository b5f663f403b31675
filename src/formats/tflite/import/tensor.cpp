#include "src/formats/tflite/import/tensor.h"

#include <algorithm>
#include <cmath>

#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {

using schema::TensorType;

bool Scales::operator==(const Scales& other) const {
  if (!std::ranges::equal(scale, other.scale) || (scale.size() > 1 && axis != other.axis))
    return false;
  for (std::size_t i = 0; i < scale.size(); ++i)
    if (zero(i) != other.zero(i)) return false;
  return true;
}

std::string TensorInfo::text() const { return format("tensor {} ({})", {index, in_quotes(name)}); }

std::optional<MLOperandDataType> held_as(TensorType type) {
  switch (type) {
    case TensorType::FLOAT32: return float32;
    case TensorType::FLOAT16: return float16;
    case TensorType::INT32:
    case TensorType::INT16:
    case TensorType::UINT16: return int32;
    case TensorType::UINT32: return uint32;
    case TensorType::INT64: return int64;
    case TensorType::UINT64: return uint64;
    case TensorType::INT8: return int8;
    case TensorType::UINT8:
    case TensorType::BOOL: return uint8;
    case TensorType::INT4: return int4;
    default: return std::nullopt;
  }
}

std::string name_of_type(TensorType type) {
  const char* name = schema::EnumNameTensorType(type);
  return *name ? std::string(name) : "type " + std::to_string(static_cast<int>(type));
}

namespace {

/// The range of zero points; nothing for a type whose elements are not quantized.
std::optional<std::pair<std::int64_t, std::int64_t>> quantized_range(TensorType type) {
  switch (type) {
    case TensorType::INT4: return {{-8, 7}};
    case TensorType::INT8: return {{-128, 127}};
    case TensorType::UINT8: return {{0, 255}};
    case TensorType::INT16: return {{-32768, 32767}};
    case TensorType::INT32:
    case TensorType::INT64: return {{INT32_MIN, INT32_MAX}};
    default: return std::nullopt;
  }
}

std::optional<Failure> read_shape(const schema::Tensor& table, TensorInfo& t) {
  const auto shape = elements_of(table.shape());
  const auto signature = elements_of(table.shape_signature());
  if (shape.size() > max_rank)
    return fail("its rank ({}) is greater than {}", shape.size(), max_rank);
  t.has_rank = table.has_rank() || !shape.empty();
  t.shape.assign(shape.begin(), shape.end());
  if (signature.size() == shape.size())
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (signature[i] == -1) t.shape[i] = -1;
  for (std::size_t i = 0; i < t.shape.size(); ++i) {
    if (t.shape[i] < -1) return fail("dimension {} is {}", i, t.shape[i]);
    t.empty = t.empty || t.shape[i] == 0;
  }
  return std::nullopt;
}

std::optional<Failure> read_scales(const schema::QuantizationParameters& q, TensorInfo& t) {
  const auto range = quantized_range(t.type);
  if (q.details_type() != schema::QuantizationDetails::NONE)
    return Failure{"it has a custom quantization", ErrorName::NotSupportedError};
  if (!range || size_of(q.scale()) == 0) return std::nullopt;
  // The verifier sees to the alignment of all but elements of 8 bytes.
  if (q.zero_point() &&
      reinterpret_cast<std::uintptr_t>(q.zero_point()->Data()) % alignof(std::int64_t) != 0)
    return fail("its zero points are not aligned to {} bytes", alignof(std::int64_t));
  Scales s{elements_of(q.scale()), elements_of(q.zero_point())};
  if (s.zero_point.size() > 1 && s.zero_point.size() != s.scale.size())
    return fail("it has {} zero points for {} scales", s.zero_point.size(), s.scale.size());
  if (s.scale.size() > 1) {
    const std::int32_t axis = q.quantized_dimension();
    if (axis < 0 || static_cast<std::size_t>(axis) >= t.shape.size())
      return fail("its quantized_dimension ({}) is not below its rank ({})", axis, t.shape.size());
    s.axis = static_cast<std::uint32_t>(axis);
    if (static_cast<std::int64_t>(s.scale.size()) != t.shape[s.axis])
      return fail("it has {} scales for dimension {} ({})", s.scale.size(), axis, t.shape[s.axis]);
  }
  for (float scale : s.scale)
    if (!std::isfinite(scale) || scale < 0)
      return fail("its scale ({}) is not a positive number", scale);
  for (std::int64_t zero : s.zero_point)
    if (zero < range->first || zero > range->second)
      return fail("its zero point ({}) is not between {} and {}", zero, range->first,
                  range->second);
  t.scales = s;
  return std::nullopt;
}

}  // namespace

Result<TensorInfo> read_tensor(const File& file, const schema::Tensor& table, std::uint32_t index) {
  TensorInfo t{.index = index,
               .name = text_of(table.name()),
               .type = table.type(),
               .dataType = held_as(table.type()),
               .variable = table.is_variable(),
               .table = &table};
  if (auto bad = read_shape(table, t)) return *bad;
  if (table.quantization())
    if (auto bad = read_scales(*table.quantization(), t)) return *bad;
  const auto bytes = buffer_bytes(file, table.buffer());
  if (!bytes) return bytes.failure();
  t.bytes = *bytes;
  return t;
}

}  // namespace webnn::inline v0_1::tflite
