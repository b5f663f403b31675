#include "src/formats/executorch/import/value.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::executorch {

using xnn::DataType;

float Scales::at(std::size_t i) const {
  float v;
  std::memcpy(&v, scale.bytes().data() + i * sizeof v, sizeof v);
  return v;
}
bool Scales::operator==(const Scales& other) const {
  return std::ranges::equal(scale.bytes(), other.scale.bytes()) && zero == other.zero &&
         group == other.group && (count == 1 || axis == other.axis);
}

std::string ValueInfo::text() const { return format("value {}", {id}); }

std::string name_of_type(DataType type) {
  const char* name = xnn::EnumNameDataType(type);
  return *name ? std::string(name) : "type " + std::to_string(static_cast<int>(type));
}

namespace {

std::optional<MLOperandDataType> held_as(DataType type) {
  switch (type) {
    case DataType::fp32:
    case DataType::pfp32:
    case DataType::bf16: return float32;
    case DataType::fp16: return float16;
    case DataType::qint8:
    case DataType::qcint8: return int8;
    case DataType::quint8: return uint8;
    case DataType::qint32:
    case DataType::qcint32:
    case DataType::int32: return int32;
    case DataType::qcint4:
    case DataType::qbint4: return uint4;
    case DataType::qdint8:
    case DataType::qpint8: return float32;  // written out in operators
    default: return std::nullopt;
  }
}

bool is_dynamic(DataType type) { return type == DataType::qdint8 || type == DataType::qpint8; }
bool needs_scales(DataType type) {
  return type != DataType::fp32 && type != DataType::fp16 && type != DataType::int32 &&
         type != DataType::pfp32 && type != DataType::bf16 && !is_dynamic(type);
}

/// A block with the alignment of the widest element.
struct Block {
  std::shared_ptr<std::vector<std::uint64_t>> owner;
  std::span<std::byte> bytes;

  explicit Block(std::uint64_t size)
      : owner(std::make_shared<std::vector<std::uint64_t>>(size / 8 + 1)),
        bytes(std::as_writable_bytes(std::span(*owner)).first(size)) {}
  Constant constant() const { return Constant::transferred(owner, bytes); }
};

Result<Block> new_block(Import& import, std::uint64_t size, std::string_view what) {
  if (auto bad = import.budget.spend(size, what)) return *bad;
  return Block(size);
}

void widen_bf16(std::span<const std::byte> from, std::span<std::byte> to) {
  for (std::size_t i = 0; i < to.size() / 4; ++i) {
    to[i * 4] = to[i * 4 + 1] = std::byte{0};
    to[i * 4 + 2] = from[i * 2];
    to[i * 4 + 3] = from[i * 2 + 1];
  }
}

/// The scales of an entry of the constants, or of the table itself.
Result<Scales> scales_from(Import& import, const Blob& blob, const fb::Vector<float>* listed,
                           std::uint32_t index, std::uint32_t count, bool in_bf16) {
  Scales s;
  if (index == 0) {
    s.count = static_cast<std::uint32_t>(size_of(listed));
    s.scale = Constant(blob.bytes.owner, std::as_bytes(elements_of(listed)));
  } else {
    auto bytes = constant_bytes(blob, index);
    if (!bytes) return bytes.failure();
    const std::uint64_t unit = in_bf16 ? 2 : 4;
    if (bytes->size() / unit < count)
      return fail("its {} scales exceed the {} bytes of its constant ({})", count, bytes->size(),
                  index);
    s.count = count;
    auto block = new_block(import, std::uint64_t{count} * 4, "scales");
    if (!block) return block.failure();
    if (in_bf16) widen_bf16(*bytes, block->bytes);
    else if (count > 0) std::memcpy(block->bytes.data(), bytes->data(), std::size_t{count} * 4);
    s.scale = block->constant();
  }
  if (auto bad = import.budget.count(s.count)) return *bad;
  for (std::size_t i = 0; i < s.count; ++i)
    if (const float v = s.at(i); !std::isfinite(v) || v < 0)
      return fail("its scale ({}) is not a positive number", v);
  return s;
}

Result<Scales> per_tensor(const xnn::PerTensorQuant& q, DataType type) {
  const auto [low, high] = type == DataType::quint8  ? std::pair(0, 255)
                           : type == DataType::qint8 ? std::pair(-128, 127)
                                                     : std::pair(INT32_MIN, INT32_MAX);
  if (!std::isfinite(q.scale()) || q.scale() < 0)
    return fail("its scale ({}) is not a positive number", q.scale());
  if (q.zero_point() < low || q.zero_point() > high)
    return fail("its zero point ({}) is not between {} and {}", q.zero_point(), low, high);
  auto scale = std::make_shared<float>(q.scale());
  const auto bytes = std::as_bytes(std::span(scale.get(), 1));
  return Scales{.scale = Constant(std::move(scale), bytes), .count = 1, .zero = q.zero_point()};
}

Result<Scales> per_channel(Import& import, const Blob& blob, const xnn::PerChannelQuant& q,
                           const ValueInfo& v) {
  auto s = scales_from(import, blob, q.scale(), q.scale_buffer_idx(), q.num_scales(), false);
  if (!s) return s;
  if (q.channel_dim() < 0 || static_cast<std::size_t>(q.channel_dim()) >= v.dims.size())
    return fail("its channel_dim ({}) is not below its rank ({})", q.channel_dim(), v.dims.size());
  s->axis = static_cast<std::uint32_t>(q.channel_dim());
  if (s->count != v.dims[s->axis])
    return fail("it has {} scales for dimension {} ({})", s->count, s->axis, v.dims[s->axis]);
  if (v.dataType == uint4) s->zero = 8;
  return s;
}

Result<Scales> per_group(Import& import, const Blob& blob, const xnn::PerChannelGroupQuant& q,
                         const ValueInfo& v) {
  if (v.dims.size() != 2 || q.channel_dim() != 0)
    return fail("its groups are not along the second of two dimensions");
  if (q.group_size() <= 0 || v.dims[1] % static_cast<std::uint32_t>(q.group_size()) != 0)
    return fail("its groups of {} elements do not divide dimension 1 ({})", q.group_size(),
                v.dims[1]);
  const bool in_bf16 = q.scale_buffer_idx() != 0;
  auto s = scales_from(import, blob, q.scale(), q.scale_buffer_idx(), q.num_scales(), in_bf16);
  if (!s) return s;
  if (s->count == 0 && size_of(q.scale_bf16()) > 0) {
    auto block = new_block(import, size_of(q.scale_bf16()) * std::uint64_t{4}, "scales");
    if (!block) return block.failure();
    widen_bf16(std::as_bytes(elements_of(q.scale_bf16())), block->bytes);
    s->count = static_cast<std::uint32_t>(size_of(q.scale_bf16()));
    s->scale = block->constant();
    for (std::size_t i = 0; i < s->count; ++i)
      if (const float x = s->at(i); !std::isfinite(x) || x < 0)
        return fail("its scale ({}) is not a positive number", x);
  }
  s->group = static_cast<std::uint32_t>(q.group_size());
  const std::uint64_t wanted = std::uint64_t{v.dims[0]} * (v.dims[1] / s->group);
  if (s->count != wanted) return fail("it has {} scales for {} groups", s->count, wanted);
  if (v.dataType == uint4) s->zero = 8;
  return s;
}

std::optional<Failure> read_quantization(Import& import, const Blob& blob,
                                         const xnn::QuantizedTensorValue& table, ValueInfo& v) {
  const auto set = [&](Result<Scales> s) -> std::optional<Failure> {
    if (!s) return s.failure();
    if (!needs_scales(v.type)) return fail("it is {} and has scales", name_of_type(v.type));
    v.scales = std::move(*s);
    return std::nullopt;
  };
  if (table.quant_params_type() != xnn::QuantParams::NONE && !table.quant_params())
    return fail("its quantization has no table");
  switch (table.quant_params_type()) {
    case xnn::QuantParams::PerTensorQuant:
      return set(per_tensor(*table.quant_params_as_PerTensorQuant(), v.type));
    case xnn::QuantParams::PerChannelQuant:
      return set(per_channel(import, blob, *table.quant_params_as_PerChannelQuant(), v));
    case xnn::QuantParams::PerChannelGroupQuant:
      return set(per_group(import, blob, *table.quant_params_as_PerChannelGroupQuant(), v));
    case xnn::QuantParams::PerTokenDynamicQuant: {
      const auto n = table.quant_params_as_PerTokenDynamicQuant()->num_nonbatch_dims();
      if (!is_dynamic(v.type))
        return fail("it is {} and quantized per token", name_of_type(v.type));
      if (n < 1 || n > static_cast<std::int32_t>(max_rank))
        return fail("its num_nonbatch_dims ({}) is not between 1 and {}", n, max_rank);
      v.dynamic_dims = static_cast<std::uint32_t>(n);
      return std::nullopt;
    }
    default:
      return fail("its kind of quantization ({}) is not one of the format",
                  static_cast<int>(table.quant_params_type()));
  }
}

std::optional<Failure> read_tensor(Import& import, const xnn::TensorValue& t, ValueInfo& v) {
  v.type = t.datatype();
  v.dataType = held_as(v.type);
  v.flags = t.flags();
  v.external_id = t.external_id();
  v.constant = t.constant_buffer_idx();
  const auto dims = elements_of(t.dims());
  if (!v.dataType)
    return Failure{"WebNN has no type for " + name_of_type(v.type), ErrorName::NotSupportedError};
  if (v.flags & ~(external_input | external_output))
    return fail("its flags ({}) are not of the format", v.flags);
  if (dims.size() > max_rank)
    return fail("its rank ({}) is greater than {}", dims.size(), max_rank);
  if (t.num_dims() > dims.size())
    return fail("it has {} dimensions, but lists {}", t.num_dims(), dims.size());
  if (auto bad = import.budget.count(dims.size())) return bad;
  v.dims.assign(dims.begin(), dims.begin() + t.num_dims());
  if (v.is_input() && v.constant) return fail("it is an input and a constant");
  return std::nullopt;
}

}  // namespace

Result<ValueInfo> read_value(Import& import, const Blob& blob, const xnn::Value& table) {
  ValueInfo v;
  const xnn::QuantizedTensorValue* quantized = table.value_as_QuantizedTensorValue();
  const xnn::TensorValue* tensor =
      quantized ? quantized->tensor_value() : table.value_as_TensorValue();
  if (!tensor) return fail("a value is neither a tensor nor a quantized one");
  v.id = tensor->id_out();
  const auto named = [&](const Failure& f) { return Failure{v.text() + ": " + f.message, f.name}; };
  if (auto bad = read_tensor(import, *tensor, v)) return named(*bad);
  if (quantized)
    if (auto bad = read_quantization(import, blob, *quantized, v)) return named(*bad);
  if (needs_scales(v.type) && !v.scales)
    return named(fail("it is {} and has no scales", name_of_type(v.type)));
  if (is_dynamic(v.type) && !v.dynamic_dims) v.dynamic_dims = 1;
  // The form of XN00: a float input whose readers see it quantized.
  if (tensor->dq_datatype() != DataType::invalid) {
    if (tensor->dq_datatype() != DataType::qint8 || !v.is_input() ||
        (v.type != DataType::fp32 && v.type != DataType::fp16))
      return named(fail("only a float input is quantized to {} in every run",
                        name_of_type(tensor->dq_datatype())));
    v.dynamic_dims = 1;
  }
  return v;
}

Result<MLOperandDescriptor> descriptor_of(const ValueInfo& v) {
  MLOperandDescriptor d{*v.dataType, {}};
  std::uint64_t elements = 1;
  for (std::size_t i = 0; i < v.dims.size(); ++i) {
    if (v.dims[i] == 0) return fail("{}: its dimension {} is 0", v.text(), i);
    elements *= v.dims[i];
    if (elements > max_tensor_byte_length)
      return fail("{}: its elements are more than {}", v.text(), max_tensor_byte_length);
    d.shape.push_back(v.dims[i]);
  }
  if (byte_length(d) > max_tensor_byte_length)
    return fail("{}: its {} bytes are more than {}", v.text(), byte_length(d),
                max_tensor_byte_length);
  return d;
}

namespace {

/// Rows of an odd number of 4-bit elements end with half a byte of padding, which WebNN's do not.
void pack_rows(std::span<const std::byte> from, std::uint64_t rows, std::uint32_t row,
               std::span<std::byte> to) {
  const std::size_t stride = (std::size_t{row} + 1) / 2;
  std::size_t at = 0;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < row; ++i, ++at) {
      const auto nibble = (from[r * stride + i / 2] >> (i % 2 * 4)) & std::byte{15};
      to[at / 2] |= nibble << (at % 2 * 4);
    }
}

}  // namespace

Result<Constant> constant_of(Import& import, const Blob& blob, const ValueInfo& v) {
  auto d = descriptor_of(v);
  if (!d) return d.failure();
  const auto named = [&](const Failure& f) { return Failure{v.text() + ": " + f.message, f.name}; };
  auto bytes = constant_bytes(blob, v.constant);
  if (!bytes) return named(bytes.failure());
  if (v.type == DataType::pfp32 || is_dynamic(v.type))
    return named({"it is constant and " + name_of_type(v.type), ErrorName::NotSupportedError});
  const std::uint64_t elements = element_count(d->shape);
  const bool four_bits = bits_of(d->dataType) == 4;
  const std::uint32_t row = four_bits && !d->shape.empty() ? d->shape.back() : 1;
  const std::uint64_t needed = v.type == DataType::bf16 ? elements * 2
                               : four_bits ? elements / row * ((std::uint64_t{row} + 1) / 2)
                                           : byte_length(*d);
  if (bytes->size() < needed)
    return named(fail("its constant ({}) has {} bytes, but shape {} of {} needs {}", v.constant,
                      bytes->size(), d->shape, name_of_type(v.type), needed));
  const auto from = bytes->first(static_cast<std::size_t>(needed));
  const std::size_t unit = static_cast<std::size_t>(std::max(8, bits_of(d->dataType))) / 8;
  const bool aligned = reinterpret_cast<std::uintptr_t>(from.data()) % unit == 0;
  const bool padded = four_bits && row % 2 == 1 && elements != row;
  if (v.type != DataType::bf16 && !padded && aligned) return Constant(blob.bytes.owner, from);
  auto block = new_block(import, byte_length(*d), "a constant of another type or alignment");
  if (!block) return named(block.failure());
  if (v.type == DataType::bf16) widen_bf16(from, block->bytes);
  else if (padded) pack_rows(from, elements / row, row, block->bytes);
  else std::memcpy(block->bytes.data(), from.data(), from.size());
  return block->constant();
}

}  // namespace webnn::inline v0_1::executorch
