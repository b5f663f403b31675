#include "src/formats/executorch/import/kernels.h"

#include <algorithm>
#include <cstring>

namespace webnn::inline v0_1::executorch {

void KernelCall::refuse(const Failure& f) const {
  executorch::refuse(import_.source, {name_ + ": " + f.message});
}
void KernelCall::unsupported(const Failure& f) const {
  executorch::unsupported(import_.source, {name_ + ": " + f.message});
}

const pte::EValue& KernelCall::value(std::int64_t index) const {
  const auto* all = plan_.values();
  if (index < 0 || static_cast<std::uint64_t>(index) >= size_of(all))
    refuse(
        fail("an argument is value {}, but the method has {} values values", index, size_of(all)));
  return *all->Get(static_cast<fb::uoffset_t>(index));
}
const pte::EValue& KernelCall::argument(std::size_t i) const {
  if (i >= args_.size()) refuse(fail("it has {} arguments", args_.size()));
  return value(args_[i]);
}

MLOperand KernelCall::x(std::size_t i) const {
  if (!argument(i).val_as_Tensor()) refuse(fail("argument {} is not a tensor", i));
  return operand_(args_[i]);
}
std::vector<MLOperand> KernelCall::tensors(std::size_t i) const {
  const auto* list = argument(i).val_as_TensorList();
  if (!list) refuse(fail("argument {} is not a list of tensors", i));
  if (auto bad = import_.budget.count(size_of(list->items()))) refuse(*bad);
  std::vector<MLOperand> all;
  for (const std::int32_t v : elements_of(list->items())) {
    if (!value(v).val_as_Tensor()) refuse(fail("argument {} has an item that is not a tensor", i));
    all.push_back(operand_(v));
  }
  return all;
}
bool KernelCall::is_none(std::size_t i) const {
  return argument(i).val_type() == pte::KernelTypes::Null ||
         argument(i).val_type() == pte::KernelTypes::NONE;
}
std::optional<MLOperand> KernelCall::optional(std::size_t i) const {
  return is_none(i) ? std::nullopt : std::optional(x(i));
}

double KernelCall::number(std::size_t i) const {
  const pte::EValue& v = argument(i);
  if (const auto* n = v.val_as_Int()) return static_cast<double>(n->int_val());
  if (const auto* n = v.val_as_Double()) return n->double_val();
  if (const auto* n = v.val_as_Bool()) return n->bool_val() ? 1 : 0;
  refuse(fail("argument {} is not a number", i));
}
std::int64_t KernelCall::integer(std::size_t i) const {
  const auto* n = argument(i).val_as_Int();
  if (!n) refuse(fail("argument {} is not an integer", i));
  return n->int_val();
}
std::string_view KernelCall::text(std::size_t i) const {
  const auto* s = argument(i).val_as_String();
  if (!s) refuse(fail("argument {} is not a text", i));
  return text_of(s->string_val());
}

/// A list of numbers holds indices of values.
std::vector<std::int64_t> KernelCall::integers(std::size_t i) const {
  const auto* list = argument(i).val_as_IntList();
  if (!list) refuse(fail("argument {} is not a list of integers", i));
  if (size_of(list->items()) > 2 * max_rank)
    refuse(fail("argument {} has {} elements", i, size_of(list->items())));
  std::vector<std::int64_t> all;
  for (fb::uoffset_t k = 0; k < size_of(list->items()); ++k) {
    std::int64_t item = 0;  // the verifier sees to the alignment of smaller ones only
    std::memcpy(&item, list->items()->Data() + std::size_t{k} * 8, 8);
    const auto* n = value(item).val_as_Int();
    if (!n) refuse(fail("argument {} has an item that is not an integer", i));
    all.push_back(n->int_val());
  }
  return all;
}

std::uint32_t KernelCall::checked_dimension(std::int64_t d, std::uint32_t rank) const {
  const std::int64_t place = d < 0 ? d + rank : d;
  if (place < 0 || place >= rank) refuse(fail("dimension {} is not one of the {}", d, rank));
  return static_cast<std::uint32_t>(place);
}
std::uint32_t KernelCall::dimension(std::size_t i, std::uint32_t rank) const {
  return checked_dimension(integer(i), rank);
}
Dims KernelCall::dimensions(std::size_t i, std::uint32_t rank) const {
  Dims all;
  for (const std::int64_t d : integers(i)) {
    all.push_back(checked_dimension(d, rank));
    if (std::count(all.begin(), all.end(), all.back()) > 1)
      refuse(fail("dimension {} is in its list twice", d));
  }
  return all;
}

MLOperand KernelCall::cast(const MLOperand& x, MLOperandDataType to) const {
  return x.dataType() == to ? x : b.cast(x, to);
}
MLOperand KernelCall::promoted(std::size_t i) const { return cast(x(i), type()); }

void KernelCall::require_arithmetic() const {
  // Integers of 8 bits wrap in the portable kernels.
  if (bits_of(type()) < 16) unsupported(fail("arithmetic on {}", type()));
}

const KernelRow* kernel_of(std::string_view name) {
  for (const auto family : {convolution_kernels(), elementwise_kernels(), movement_kernels(),
                            product_kernels(), reduction_kernels()})
    for (const KernelRow& row : family)
      if (row.name == name) return &row;
  return nullptr;
}

}  // namespace webnn::inline v0_1::executorch
