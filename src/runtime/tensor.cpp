#include "src/runtime/tensor.h"

#include <algorithm>
#include <cstring>

#include "src/graph/failure.h"
#include "src/runtime/context_state.h"

namespace webnn::inline v0_1 {
namespace {

const TensorState& required(const MLTensor& tensor) {
  if (!tensor) raise({"the tensor is empty", ErrorName::InvalidStateError}, "MLTensor");
  return *detail::state_of(tensor);
}

}  // namespace

MLOperandDataType MLTensor::dataType() const { return required(*this).descriptor.dataType; }
const Dims& MLTensor::shape() const { return required(*this).descriptor.shape; }
bool MLTensor::readable() const { return required(*this).readable; }
bool MLTensor::writable() const { return required(*this).writable; }
bool MLTensor::constant() const { return required(*this).constant; }
bool MLTensor::destroyed() const { return required(*this).destroyed(); }
void MLTensor::destroy() {
  if (state_) state_->destroy();
}

std::shared_ptr<TensorMemory> TensorMemory::another() const {
  return pages ? std::make_shared<TensorMemory>(size, source, Growing())
               : std::make_shared<TensorMemory>(size, source);
}

std::byte* TensorState::overwrite() {
  if (memory->snapshots.load(std::memory_order_acquire) != 0) memory = memory->another();
  memory->region.reset();
  memory->shared_rows = 0;
  return memory->get();
}

std::byte* TensorState::change(std::uint32_t intact_rows) {
  if (memory->snapshots.load(std::memory_order_acquire) != 0) {
    const std::shared_ptr<TensorMemory> before = memory;
    std::memcpy(overwrite(), before->get(), before->size);
  }
  memory->shared_rows = std::min(memory->shared_rows, intact_rows);
  return memory->get();
}

Constant TensorState::take(std::shared_ptr<Snapshot> snapshot) const {
  memory->snapshots.fetch_add(1, std::memory_order_relaxed);
  snapshot->memory = memory;
  return Constant(std::move(snapshot), {values(), memory->size});
}

Use<TensorState> usable(const MLTensor& tensor, const ContextState& context,
                        std::string_view method) {
  if (!tensor) raise(fail("the tensor is empty"), method);
  if (!same(detail::state_of(tensor)->context, context))
    raise(fail("the tensor belongs to another context"), method);
  Use<TensorState> t(detail::state_of(tensor));
  if (!t)
    raise({"the tensor is destroyed", context.options.rules == Rules::tests2025
                                          ? ErrorName::InvalidStateError
                                          : ErrorName::TypeError},
          method);
  return t;
}

Result<Constant> constant_of(const MLTensor& tensor, const MLContext& context) {
  if (!tensor) return fail("the tensor is empty");
  const TensorState& t = *detail::state_of(tensor);
  if (!same(t.context, *detail::state_of(context)))
    return fail("the tensor belongs to another context");
  const Use<TensorState> use(detail::state_of(tensor));
  if (!use) return fail("the tensor is destroyed");
  if (!t.constant) return fail("the tensor is not a constant");
  return *t.value;
}

}  // namespace webnn::inline v0_1
