// The declarations of all operators as data, for formats that treat all operators alike: what their
// rows are called, and how to read and write them without the operator's type. Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include "src/formats/common/value.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::formats {

/// How the values of a type of attributes are written and read.
struct ValueType {
  Value (*to_value)(const void* value);
  Bad (*from_value)(const Value& from, void* value);
  bool list = false;  ///< or may be one
  /// Those of an enumeration, or of the elements of a list.
  std::span<const std::string_view> names{};
};

struct OperatorRow {
  enum class Form : std::uint8_t { operand, optional_operand, operands, attribute };

  std::string_view name;
  Form form;
  bool required;              ///< an argument, else a member of the options
  void* (*member)(void* op);  ///< where an operator has it: an operand form, or a value of `type`
  const ValueType* type = nullptr;               ///< an attribute has one
  bool (*is_default)(const void* op) = nullptr;  ///< an attribute has one

  bool is_attribute() const { return form == Form::attribute; }
  const void* get(const void* op) const { return member(const_cast<void*>(op)); }
  Value value(const void* op) const { return type->to_value(get(op)); }
};

struct OperatorRows {
  std::string_view name;
  std::vector<OperatorRow> rows;  ///< operands and attributes; arguments in the order of the call
  std::shared_ptr<void> (*make)();
  std::string& (*label)(void* op);
  /// Moves an operator of WebNN into the builder, which may throw.
  std::vector<MLOperand> (*append)(MLGraphBuilder& builder, void* op);

  [[gnu::visibility("hidden")]] const OperatorRow* find(std::string_view row) const;
};

/// The rows of a kind, which may be that of a fused operator.
[[gnu::visibility("hidden")]] const OperatorRows& rows_of(std::size_t kind);
/// By the name of an operator of WebNN; null if there is none. `any_case`: isnan is isNaN.
[[gnu::visibility("hidden")]] const OperatorRows* find_operator(std::string_view name,
                                                                bool any_case = false);
/// Every operand of a row that is present.
[[gnu::visibility("hidden")]] std::vector<MLOperand> operands_of(const OperatorRow& row,
                                                                 const void* op);

}  // namespace webnn::inline v0_1::formats
