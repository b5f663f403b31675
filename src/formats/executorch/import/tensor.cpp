#include "src/formats/executorch/import/tensor.h"

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::executorch {
namespace {

using pte::ScalarType;

std::optional<MLOperandDataType> held_as(ScalarType type) {
  switch (type) {
    case ScalarType::FLOAT: return float32;
    case ScalarType::HALF: return float16;
    case ScalarType::INT:
    case ScalarType::QINT32: return int32;
    case ScalarType::LONG: return int64;
    case ScalarType::CHAR:
    case ScalarType::QINT8: return int8;
    case ScalarType::BYTE:
    case ScalarType::QUINT8:
    case ScalarType::BOOL: return uint8;
    case ScalarType::UINT32: return uint32;
    case ScalarType::UINT64: return uint64;
    default: return std::nullopt;
  }
}

}  // namespace

Dims TensorInfo::sizes() const {
  Dims out(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) out[order[i]] = descriptor.shape[i];
  return out;
}

Dims TensorInfo::order_of_sizes() const {
  Dims out(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) out[order[i]] = i;
  return out;
}

TensorInfo read_tensor_info(const Import& import, const pte::Tensor& t,
                            const std::string& subject) {
  const Source& source = import.source;
  const auto type = held_as(t.scalar_type());
  if (!type) {
    const char* name = pte::EnumNameScalarType(t.scalar_type());
    unsupported(source, fail("{}: WebNN has no type for {} ({})", subject, name,
                             static_cast<int>(t.scalar_type())));
  }
  const auto sizes = elements_of(t.sizes());
  const auto order = elements_of(t.dim_order());
  if (sizes.size() > max_rank)
    refuse(source, fail("{}: its rank ({}) is greater than {}", subject, sizes.size(), max_rank));
  if (!order.empty() && order.size() != sizes.size())
    refuse(source, fail("{}: its dim_order has {} dimensions, but it has {}", subject, order.size(),
                        sizes.size()));
  if (t.storage_offset() != 0)
    unsupported(source, fail("{}: its storage_offset is {}", subject, t.storage_offset()));
  TensorInfo out{.descriptor = {*type, {}},
                 .is_static = t.shape_dynamism() == pte::TensorShapeDynamism::STATIC,
                 .is_bool = t.scalar_type() == ScalarType::BOOL};
  std::uint32_t seen = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t d = order.empty() ? i : order[i];
    if (d >= sizes.size() || (seen >> d & 1))
      refuse(source, fail("{}: its dim_order is not a permutation", subject));
    seen |= 1u << d;
    if (sizes[d] < 1) unsupported(source, fail("{}: its dimension {} is {}", subject, d, sizes[d]));
    out.order.push_back(static_cast<std::uint32_t>(d));
    out.descriptor.shape.push_back(static_cast<std::uint32_t>(sizes[d]));
  }
  out.fixed.assign(sizes.size(), out.is_static);
  if (const auto* extra = t.extra_tensor_info()) out.name = text_of(extra->fully_qualified_name());
  return out;
}

}  // namespace webnn::inline v0_1::executorch
