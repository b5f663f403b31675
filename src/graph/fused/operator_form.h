// An operator of WebNN without its operands.
#pragma once

#include <memory>
#include <span>

#include "src/graph/fused/declare.h"

namespace webnn::inline v0_1 {

class Op;

namespace fused {

/// How many operands each row of an operator of WebNN has, and its attributes.
class OperatorForm {
 public:
  OperatorForm() = default;  ///< of no operator
  /// The form of an operator of that kind, an index in ops::AllOps.
  OperatorForm(std::size_t kind, const void* op);

  explicit operator bool() const { return op_ != nullptr; }
  std::size_t kind() const { return kind_; }
  /// The operator, whose operands are empty handles.
  const void* get() const { return op_.get(); }
  std::string_view name() const;
  std::size_t operand_count() const;
  /// The operator with these operands, as many as it has.
  Op with(std::span<const MLOperand> operands, const std::string& label) const;

 private:
  std::size_t kind_ = 0;
  std::shared_ptr<const void> op_{};
};

/// Labels do not count.
bool operator==(const OperatorForm& a, const OperatorForm& b);

}  // namespace fused

template <> inline constexpr bool ops::is_value<fused::OperatorForm> = true;

}  // namespace webnn::inline v0_1
