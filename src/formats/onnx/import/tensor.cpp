// The elements of tensors in the file.
#include <bit>
#include <charconv>
#include <cstring>

#include "src/formats/common/failures.h"
#include "src/formats/onnx/import/importer.h"
#include "src/graph/mapped_memory.h"
#include "src/operators/narrow_types.h"
#include "webnn/float16.h"

namespace webnn::inline v0_1::onnx {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

std::string shown_type(ElementType t) {
  if (t == ElementType::FLOAT) return "float32";
  if (t == ElementType::DOUBLE) return "float64";
  return formats::lower_case(name_of_type(t));
}

namespace {

/// The type of WebNN that holds it: weights of DOUBLE and of other narrow floats than WebNN has
/// become float32, integers of 16 bits int32.
std::optional<MLOperandDataType> held_type(ElementType t) {
  if (is_narrow(t)) return wider_type_of(t);
  return t == ElementType::DOUBLE ? float32 : data_type_of(t);
}
std::uint64_t file_bits(ElementType t) {
  if (t == ElementType::DOUBLE) return 64;
  if (is_16_bits(t)) return 16;
  if (t == ElementType::INT2 || t == ElementType::UINT2) return 2;
  if (t == ElementType::FLOAT4E2M1) return 4;
  if (is_narrow(t)) return 8;
  return static_cast<std::uint64_t>(bits_of(*data_type_of(t)));
}

using formats::data_error;

Result<std::uint64_t> number(std::string_view text, std::string_view key) {
  std::uint64_t v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error == std::errc() && end == text.data() + text.size()) return v;
  return data_error(fail("the {} of its external data, {}, is not a number", key, in_quotes(text)));
}

Result<Constant> external_bytes(Import& import, const Tensor& t, std::uint64_t needed) {
  const ExternalData data = read_external_data(t);
  if (!import.file.folder)
    return Failure{"its data is in another file, but the model was not read from a file",
                   ErrorName::DataError};
  const auto named = [&](const Failure& f) {
    return data_error(fail("external data {}: {}", in_quotes(data.location), f.message));
  };
  if (data.repeated)
    return data_error(fail("its external data has the key {} twice", in_quotes(*data.repeated)));
  auto found = import.external.find(data.location);
  if (found == import.external.end()) {
    auto file = formats::map_beside(*import.file.folder, data.location);
    if (!file) return named(file.failure());
    import.budget.bytes_beside += file->bytes.size();
    found = import.external.emplace(std::string(data.location), std::move(*file)).first;
  }
  const Bytes bytes = found->second.bytes;
  std::uint64_t offset = 0;
  if (!data.offset.empty()) {
    const auto v = number(data.offset, "offset");
    if (!v) return v.failure();
    offset = *v;
  }
  std::uint64_t length = bytes.size() - std::min<std::uint64_t>(offset, bytes.size());
  if (!data.length.empty()) {
    const auto v = number(data.length, "length");
    if (!v) return v.failure();
    length = *v;
  }
  if (offset > bytes.size() || length > bytes.size() - offset)
    return named(
        fail("{} bytes at {} exceed the {} bytes of the file", length, offset, bytes.size()));
  if (length != needed)
    return named(fail("its length ({}) is not that of the tensor ({})", length, needed));
  return Constant(found->second.owner, bytes.subspan(offset, length));
}

/// The elements of a typed field, as bytes of the file's type.
template <class Field, class To> Result<Constant> packed(const Tensor& t, std::uint64_t count) {
  const auto values = typed_data<Field>(t, count);
  if (values.size() != count)
    return data_error(fail("it has {} elements, but its shape needs {}", values.size(), count));
  const Block block(count * sizeof(To));
  for (std::uint64_t i = 0; i < count; ++i) {
    const To v = static_cast<To>(values[i]);
    std::memcpy(&block.bytes[i * sizeof(To)], &v, sizeof(To));
  }
  return block.constant();
}

Result<Constant> typed_bytes(const Tensor& t, std::uint64_t elements) {
  using enum ElementType;
  switch (t.type) {
    case FLOAT: return packed<float, float>(t, elements);
    case DOUBLE: return packed<double, double>(t, elements);
    case INT64: return packed<std::int64_t, std::int64_t>(t, elements);
    case UINT64: return packed<std::uint64_t, std::uint64_t>(t, elements);
    case UINT32: return packed<std::uint64_t, std::uint32_t>(t, elements);
    case INT32: return packed<std::int32_t, std::int32_t>(t, elements);
    case FLOAT16:
    case BFLOAT16:
    case INT16:
    case UINT16: return packed<std::int32_t, std::uint16_t>(t, elements);
    case INT8:
    case UINT8:
    case FLOAT8E4M3FN:
    case FLOAT8E4M3FNUZ:
    case FLOAT8E5M2:
    case FLOAT8E5M2FNUZ:
    case FLOAT8E8M0:
    case BOOL: return packed<std::int32_t, std::uint8_t>(t, elements);
    case INT4:
    case FLOAT4E2M1:
    case UINT4: return packed<std::int32_t, std::uint8_t>(t, (elements + 1) / 2);
    case INT2:
    case UINT2: return packed<std::int32_t, std::uint8_t>(t, (elements + 3) / 4);
    default: return no_type(t.type);
  }
}

template <class From> void to_int32(Bytes from, std::span<std::byte> to) {
  for (std::size_t i = 0; i < to.size() / 4; ++i) {
    From v{};
    std::memcpy(&v, &from[i * sizeof v], sizeof v);
    const std::int32_t wide = v;
    std::memcpy(&to[i * 4], &wide, 4);
  }
}

/// Elements of at most 8 bits, the first ones in the low bits of a byte.
void to_wider(ElementType type, Bytes from, std::span<std::byte> to) {
  const std::string name = formats::lower_case(name_of_type(type));
  const operators::NarrowFloat* narrow = operators::narrow_float(name);
  const std::size_t bits = file_bits(type), in_byte = 8 / bits;
  const auto bits_at = [&](std::size_t i) {
    const auto byte = std::to_integer<std::uint32_t>(from[i / in_byte]);
    return byte >> (i % in_byte * bits) & ((1u << bits) - 1);
  };
  if (const operators::NarrowInteger* integer = operators::narrow_integer(name)) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      const auto v = static_cast<std::int64_t>(bits_at(i));
      to[i] = static_cast<std::byte>(v > integer->high() ? v - (1 << bits) : v);
    }
    return;
  }
  for (std::size_t i = 0; i < to.size() / 4; ++i) {
    const float v = narrow ? narrow->decoded(bits_at(i)) : operators::decoded_e8m0(bits_at(i));
    std::memcpy(&to[i * 4], &v, 4);
  }
}

void to_float32(Bytes from, std::span<std::byte> to) {
  for (std::size_t i = 0; i < to.size() / 4; ++i) {
    double v = 0;
    std::memcpy(&v, &from[i * sizeof v], sizeof v);
    const auto f = static_cast<float>(v);
    std::memcpy(&to[i * 4], &f, 4);
  }
}

}  // namespace

Failure no_type(ElementType t) {
  const std::string_view hint = t == ElementType::DOUBLE
                                    ? " (the option narrow_double of webnn/onnx.h makes it float32)"
                                    : "";
  return {format("WebNN has no type for {}{}", {name_of_type(t), hint}),
          ErrorName::NotSupportedError};
}

bool is_empty(const Tensor& t) {
  for (std::int64_t d : t.dims)
    if (d == 0) return true;
  return false;
}

Result<MLOperandDescriptor> descriptor_of(const Tensor& t) {
  const auto type = held_type(t.type);
  if (!type) return no_type(t.type);
  if (t.dims.size() > max_rank)
    return Failure{format("its rank ({}) is above {}", {t.dims.size(), max_rank}),
                   ErrorName::NotSupportedError};
  MLOperandDescriptor d{*type, {}};
  std::uint64_t elements = 1;
  for (std::int64_t size : t.dims) {
    if (size < 0) return data_error(fail("it has a dimension of {}", size));
    if (size > std::int64_t{max_tensor_byte_length})
      return Failure{format("its dimension {} is above {}", {size, max_tensor_byte_length}),
                     ErrorName::NotSupportedError};
    elements *= static_cast<std::uint64_t>(size);
    if (elements > max_tensor_byte_length)
      return Failure{format("its elements are more than {}", {max_tensor_byte_length}),
                     ErrorName::NotSupportedError};
    d.shape.push_back(static_cast<std::uint32_t>(size));
  }
  if (byte_length(d) > max_tensor_byte_length)
    return Failure{
        format("its {} bytes are more than {}", {byte_length(d), max_tensor_byte_length}),
        ErrorName::NotSupportedError};
  return d;
}

Result<Constant> constant_of(Import& import, const Tensor& t) {
  auto d = descriptor_of(t);
  if (!d) return d.failure();
  const std::uint64_t elements = element_count(d->shape);
  const std::uint64_t needed = (elements * file_bits(t.type) + 7) / 8;
  Constant raw(import.file.owner, t.raw);
  if (t.external) {
    auto bytes = external_bytes(import, t, needed);
    if (!bytes) return bytes;
    raw = std::move(*bytes);
  } else if (!t.has_raw) {
    if (auto bad = import.budget.spend(needed, "its elements")) return *bad;
    auto bytes = typed_bytes(t, elements);
    if (!bytes) return bytes;
    raw = std::move(*bytes);
  } else if (t.raw.size() != needed) {
    return data_error(fail("it has {} bytes, but shape {} of {} needs {}", t.raw.size(), d->shape,
                           name_of_type(t.type), needed));
  }
  const std::uint64_t held = byte_length(*d);
  const auto unit = static_cast<std::uint64_t>(std::max(8, bits_of(d->dataType))) / 8;
  const bool aligned = reinterpret_cast<std::uintptr_t>(raw.bytes().data()) % unit == 0;
  const bool same_type = data_type_of(t.type).has_value();
  if (same_type && aligned) return raw;
  if (auto bad = import.budget.spend(held, "a constant of another type or alignment")) return *bad;
  const Block block(held);
  if (same_type) std::memcpy(block.bytes.data(), raw.bytes().data(), held);
  else if (t.type == ElementType::INT16) to_int32<std::int16_t>(raw.bytes(), block.bytes);
  else if (t.type == ElementType::UINT16) to_int32<std::uint16_t>(raw.bytes(), block.bytes);
  else if (is_narrow(t.type)) to_wider(t.type, raw.bytes(), block.bytes);
  else to_float32(raw.bytes(), block.bytes);
  give_pages_back(raw);
  return block.constant();
}

}  // namespace webnn::inline v0_1::onnx
