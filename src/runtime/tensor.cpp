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
bool MLTensor::destroyed() const { return state_of(*this).destroyed(); }
void MLTensor::destroy() {
  if (state_) state_->destroy();
}

std::byte* TensorState::overwrite() {
  if (memory->snapshots.load(std::memory_order_acquire) != 0)
    memory = std::make_shared<TensorMemory>(memory->size);
  return memory->bytes.get();
}

Constant TensorState::take(std::shared_ptr<Snapshot> snapshot) const {
  memory->snapshots.fetch_add(1, std::memory_order_relaxed);
  snapshot->memory = memory;
  return Constant(std::move(snapshot), {values(), memory->size});
}

Use<TensorState> usable(const MLTensor& tensor, const ContextState& context,
                        std::string_view method) {
  if (!tensor) raise(fail("the tensor is empty"), method);
  if (tensor.state()->context.lock().get() != &context)
    raise(fail("the tensor belongs to another context"), method);
  Use<TensorState> t(tensor.state());
  if (!t)
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
  const Use<TensorState> use(tensor.state());
  if (!use) return fail("the tensor is destroyed");
  if (!t.constant) return fail("the tensor is not a constant");
  return *t.value;
}

}  // namespace webnn
