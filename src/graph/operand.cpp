#include "webnn/operand.h"

#include <algorithm>
#include <cstdint>
#include <new>

#include "src/graph/derived_constants.h"
#include "src/graph/failure.h"
#include "webnn/error.h"

namespace webnn::inline v0_1 {

MLOperand::MLOperand() = default;
MLOperand::MLOperand(const MLOperand&) = default;
MLOperand::MLOperand(MLOperand&&) noexcept = default;
MLOperand& MLOperand::operator=(const MLOperand&) = default;
MLOperand& MLOperand::operator=(MLOperand&&) noexcept = default;
MLOperand::~MLOperand() = default;

void MLOperand::raise_empty() {
  raise({"the operand is empty", ErrorName::InvalidStateError}, "MLOperand");
}

void MLOperand::raise_open() const {
  const OperandRecord& r = record();
  std::string name = r.kind == OperandKind::input ? r.name : "";
  raise({"the shape has open dimensions, whose sizes are known when the graph runs: dimensions() "
         "has their names",
         ErrorName::InvalidStateError},
        "MLOperand", name);
}

std::optional<MLDimensions> MLOperand::dimensions() const {
  const OperandRecord& r = record();
  if (!r.open) return MLDimensions(r.descriptor.shape);
  if (!r.open->ranked) return std::nullopt;
  return r.open->dimensions;
}

std::uint64_t element_count(const Dims& shape) {
  std::uint64_t count = 1;
  for (auto size : shape) count *= size;
  return count;
}
std::uint64_t byte_length(const MLOperandDescriptor& d) {
  return (element_count(d.shape) * static_cast<std::uint64_t>(bits_of(d.dataType)) + 7) / 8;
}

Constant Constant::copy_of(std::span<const std::byte> bytes) {
  // Aligned here: glibc before 2.38 does not reuse well what aligned_alloc has given, and a loop
  // that makes and frees constants would grow.
  constexpr std::size_t alignment = 64;
  const auto release = [](std::byte* p) { ::operator delete(p); };
  const std::shared_ptr<std::byte> memory(
      static_cast<std::byte*>(::operator new(bytes.size() + alignment)), release);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.get());
  std::byte* copy = memory.get() + (alignment - address % alignment);
  std::copy(bytes.begin(), bytes.end(), copy);
  return transferred(memory, {copy, bytes.size()});
}

void Constant::raise_released() {
  ReleasedReads::add();
  raise({"the bytes were released after build, because kernels hold them packed; "
         "the option keepConstants keeps them",
         ErrorName::InvalidStateError},
        "constant");
}

}  // namespace webnn::inline v0_1
