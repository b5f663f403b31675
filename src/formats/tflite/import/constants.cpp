#include <cstring>

#include "src/formats/tflite/import/importer.h"
#include "src/graph/failure.h"
#include "src/graph/mapped_memory.h"
#include "src/kernels/common/sizes.h"

namespace webnn::inline v0_1::tflite {
namespace {

using schema::TensorType;

/// Bits of an element in the file.
std::uint64_t file_bits(const TensorInfo& t) {
  if (t.type == TensorType::INT16 || t.type == TensorType::UINT16) return 16;
  return static_cast<std::uint64_t>(bits_of(*t.dataType));
}

/// A block with the alignment of the widest element.
struct Block {
  std::shared_ptr<std::vector<std::uint64_t>> owner;
  std::span<std::byte> bytes;

  explicit Block(std::uint64_t size)
      : owner(std::make_shared<std::vector<std::uint64_t>>(divide_up(size, 8))),
        bytes(std::as_writable_bytes(std::span(*owner)).first(size)) {}
  Constant constant() const { return Constant::transferred(owner, bytes); }
};

template <class From> void widen(std::span<const std::byte> from, std::span<std::byte> to) {
  for (std::size_t i = 0; i < to.size() / 4; ++i) {
    From narrow;
    std::memcpy(&narrow, &from[i * sizeof narrow], sizeof narrow);
    const std::int32_t wide = narrow;
    std::memcpy(&to[i * 4], &wide, 4);
  }
}

}  // namespace

Result<MLOperandDescriptor> descriptor_of(const TensorInfo& t) {
  if (!t.dataType)
    return Failure{"WebNN has no type for " + name_of_type(t.type), ErrorName::NotSupportedError};
  if (t.empty)
    return Failure{"it has no elements, which WebNN does not allow", ErrorName::NotSupportedError};
  MLOperandDescriptor d{*t.dataType, {}};
  std::uint64_t elements = 1;
  for (std::size_t i = 0; i < t.shape.size(); ++i) {
    if (t.shape[i] < 1) return fail("its dimension {} is unknown", i);
    elements *= static_cast<std::uint64_t>(t.shape[i]);
    if (elements > max_tensor_byte_length)
      return fail("its elements are more than {}", max_tensor_byte_length);
    d.shape.push_back(static_cast<std::uint32_t>(t.shape[i]));
  }
  if (byte_length(d) > max_tensor_byte_length)
    return fail("its {} bytes are more than {}", byte_length(d), max_tensor_byte_length);
  return d;
}

Result<Constant> constant_of(Import& import, const TensorInfo& t) {
  auto d = descriptor_of(t);
  if (!d) return d.failure();
  const std::uint64_t needed = (element_count(d->shape) * file_bits(t) + 7) / 8;
  Constant raw(import.file.owner, t.bytes);
  if (t.table->sparsity()) {
    if (bits_of(*t.dataType) < 8)
      return Failure{"it is sparse and INT4", ErrorName::NotSupportedError};
    auto dense = densified(import, t, file_bits(t) / 8);
    if (!dense) return dense;
    raw = std::move(*dense);
  }
  if (raw.bytes().size() != needed)
    return fail("its buffer has {} bytes, but shape {} of {} needs {}", raw.bytes().size(),
                d->shape, name_of_type(t.type), needed);
  const std::uint64_t held = byte_length(*d);
  const auto unit = static_cast<std::uint64_t>(std::max(8, bits_of(d->dataType))) / 8;
  const bool aligned = reinterpret_cast<std::uintptr_t>(raw.bytes().data()) % unit == 0;
  if (held == needed && aligned) return raw;
  if (auto bad = import.budget.spend(held, "a constant of another type or alignment")) return *bad;
  const Block block(held);
  if (held == needed) std::memcpy(block.bytes.data(), raw.bytes().data(), held);
  else if (t.type == TensorType::INT16) widen<std::int16_t>(raw.bytes(), block.bytes);
  else widen<std::uint16_t>(raw.bytes(), block.bytes);
  give_pages_back(raw);
  return block.constant();
}

std::optional<Quantization> quantization_of(const TensorInfo& t) {
  if (!t.scales || t.scales->scale.size() != 1) return std::nullopt;
  return Quantization{t.scales->scale[0], static_cast<std::int32_t>(t.scales->zero(0))};
}

}  // namespace webnn::inline v0_1::tflite
