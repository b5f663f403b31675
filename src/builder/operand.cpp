#include "webnn/operand.h"

#include "webnn/error.h"

namespace webnn {

MLOperand::MLOperand() = default;
MLOperand::MLOperand(const MLOperand&) = default;
MLOperand::MLOperand(MLOperand&&) noexcept = default;
MLOperand& MLOperand::operator=(const MLOperand&) = default;
MLOperand& MLOperand::operator=(MLOperand&&) noexcept = default;
MLOperand::~MLOperand() = default;

void MLOperand::raise_empty() {
  raise({"the operand is empty", ErrorName::InvalidStateError}, "MLOperand");
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
  auto copy = std::make_shared<std::byte[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.get());
  const std::span<const std::byte> view(copy.get(), bytes.size());
  return Constant(std::move(copy), view);
}

}  // namespace webnn
