// Operators of a program outside of delegates, which ExecuTorch's portable kernels run:
// https://docs.pytorch.org/executorch/stable/ir-ops-set-definition.html. Private.
#pragma once

#include <functional>

#include "src/formats/executorch/import/tensor.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::executorch {

/// A call of an operator. Arguments are those of its schema, in their order; its result is one of
/// them. Operands have the order of the tensor's sizes, not that of memory.
class KernelCall {
 public:
  using Operand = std::function<MLOperand(std::int32_t value)>;

  KernelCall(Import& import, std::string name, std::span<const std::int32_t> args,
             const pte::ExecutionPlan& plan, Operand operand, TensorInfo result)
      : b(import.builder),
        result(std::move(result)),
        import_(import),
        name_(std::move(name)),
        args_(args),
        plan_(plan),
        operand_(std::move(operand)) {}

  mutable MLGraphBuilder b;
  const TensorInfo result;

  [[noreturn]] void refuse(const Failure&) const;       ///< the file is wrong
  [[noreturn]] void unsupported(const Failure&) const;  ///< WebNN has no counterpart

  MLOperand x(std::size_t i = 0) const;
  std::vector<MLOperand> tensors(std::size_t i) const;  ///< those of a list
  bool is_none(std::size_t i) const;
  std::optional<MLOperand> optional(std::size_t i) const;
  double number(std::size_t i) const;  ///< an integer, a float or a bool
  std::int64_t integer(std::size_t i) const;
  bool flag(std::size_t i) const { return number(i) != 0; }
  std::string_view text(std::size_t i) const;
  std::vector<std::int64_t> integers(std::size_t i) const;
  /// Dimensions of a tensor of that rank, which may be counted from the end.
  std::uint32_t dimension(std::size_t i, std::uint32_t rank) const;
  Dims dimensions(std::size_t i, std::uint32_t rank) const;

  MLOperandDataType type() const { return result.descriptor.dataType; }
  MLOperand cast(const MLOperand& x, MLOperandDataType to) const;
  /// Operand i in the type of the result, in which arithmetic is done.
  MLOperand promoted(std::size_t i) const;
  MLOperand scalar(double v) const { return b.constant(type(), v); }
  void require_arithmetic() const;

 private:
  const pte::EValue& value(std::int64_t index) const;
  const pte::EValue& argument(std::size_t i) const;
  std::uint32_t checked_dimension(std::int64_t d, std::uint32_t rank) const;

  Import& import_;
  std::string name_;
  std::span<const std::int32_t> args_;
  const pte::ExecutionPlan& plan_;
  Operand operand_;
};

struct KernelRow {
  std::string_view name;                   ///< "aten::add.out"
  MLOperand (*import)(const KernelCall&);  ///< the result in the order of its sizes
  int result = -1;                         ///< its place among the arguments; -1: the last
};

// The table of a family of operators, at the end of its file in kernels/.
std::span<const KernelRow> convolution_kernels();
std::span<const KernelRow> elementwise_kernels();
std::span<const KernelRow> movement_kernels();
std::span<const KernelRow> product_kernels();
std::span<const KernelRow> reduction_kernels();

/// Null for an operator that WebNN has no counterpart for.
const KernelRow* kernel_of(std::string_view name);

}  // namespace webnn::inline v0_1::executorch
