#include "src/runtime/tensor.h"

#include "src/runtime/context_state.h"

namespace webnn {
namespace {

const TensorState& state_of(const MLTensor& tensor) {
  if (!tensor.state()) raise({"the tensor is empty", ErrorName::InvalidStateError}, "MLTensor");
  return *tensor.state();
}

}  // namespace

MLOperandDataType MLTensor::dataType() const { return state_of(*this).descriptor.dataType; }
const Dims& MLTensor::shape() const { return state_of(*this).descriptor.shape; }
bool MLTensor::readable() const { return state_of(*this).readable; }
bool MLTensor::writable() const { return state_of(*this).writable; }
bool MLTensor::constant() const { return state_of(*this).constant; }
bool MLTensor::destroyed() const { return state_of(*this).destroyed; }
void MLTensor::destroy() {
  if (state_) state_->destroyed = true;
}

std::byte* TensorState::overwrite() {
  if (memory->snapshots.load(std::memory_order_acquire) != 0)
    memory = std::make_shared<TensorMemory>(memory->size);
  return memory->bytes.get();
}

Constant TensorState::snapshot() const {
  const auto leave = [shared = memory](const void*) {
    shared->snapshots.fetch_sub(1, std::memory_order_release);
  };
  memory->snapshots.fetch_add(1, std::memory_order_relaxed);
  return Constant(std::shared_ptr<const void>(values(), leave), {values(), memory->size});
}

TensorState& usable(const MLTensor& tensor, const ContextState& context, std::string_view method) {
  if (!tensor) raise(fail("the tensor is empty"), method);
  TensorState& t = *tensor.state();
  if (t.context.lock().get() != &context)
    raise(fail("the tensor belongs to another context"), method);
  if (t.destroyed)
    raise({"the tensor is destroyed", context.options.rules == Rules::tests2025
                                          ? ErrorName::InvalidStateError
                                          : ErrorName::TypeError},
          method);
  return t;
}

Result<Constant> constant_of(const MLTensor& tensor, const MLContext& context) {
  if (!tensor) return fail("the tensor is empty");
  const TensorState& t = *tensor.state();
  if (t.context.lock() != context.state()) return fail("the tensor belongs to another context");
  if (t.destroyed) return fail("the tensor is destroyed");
  if (!t.constant) return fail("the tensor is not a constant");
  return *t.value;
}

}  // namespace webnn
