#include "webnn/operand.h"

#include <algorithm>
#include <new>

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

std::uint64_t element_count(const Dims& shape) {
  std::uint64_t count = 1;
  for (auto size : shape) count *= size;
  return count;
}
std::uint64_t byte_length(const MLOperandDescriptor& d) {
  return (element_count(d.shape) * static_cast<std::uint64_t>(bits_of(d.dataType)) + 7) / 8;
}

Constant Constant::copy_of(std::span<const std::byte> bytes) {
  constexpr std::align_val_t alignment{64};
  const auto release = [](std::byte* p) { ::operator delete(p, alignment); };
  const std::shared_ptr<std::byte> copy(
      static_cast<std::byte*>(::operator new(std::max<std::size_t>(bytes.size(), 1), alignment)),
      release);
  std::copy(bytes.begin(), bytes.end(), copy.get());
  return transferred(copy, {copy.get(), bytes.size()});
}

void Constant::raise_released() {
  raise({"the bytes were released after build, because kernels hold them packed; "
         "MLContextOptions::keepConstants keeps them",
         ErrorName::InvalidStateError},
        "constant");
}

}  // namespace webnn::inline v0_1
