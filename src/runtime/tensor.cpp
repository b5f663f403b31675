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
void MLTensor::destroy() {
  if (state_) state_->destroyed = true;
}

TensorState& usable(const MLTensor& tensor, const ContextState& context, std::string_view method) {
  if (!tensor) raise(fail("the tensor is empty"), method);
  TensorState& t = *tensor.state();
  if (t.context.lock().get() != &context)
    raise(fail("the tensor belongs to another context"), method);
  if (t.destroyed) raise(fail("the tensor is destroyed"), method);
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
