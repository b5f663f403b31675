// One operation of a file. Private.
#pragma once

#include "src/formats/graphinfo/forms.h"
#include "src/graph/graph_data.h"
#include "webnn/graphinfo.h"

namespace webnn::inline v0_1::graphinfo {

struct OperandInfo {
  OperandKind kind = OperandKind::result;
  OperandType type{};
  std::string name{};  ///< that of an input or output of the graph
  MLOperand value{};   ///< empty before it is defined
};

/// kFloat32 among float32, float16, ...: its index.
Result<std::size_t> read_enumerator(const formats::Value& value,
                                    std::span<const std::string_view> names);
/// The index of an operand: its id as a number, or in an object {"id": 0}.
Result<std::size_t> read_id(const formats::Value& value, std::size_t count, bool from_one);

/// Makes the operator of an operation.
class OperationReader {
 public:
  OperationReader(const MLGraphBuilder& builder, std::vector<OperandInfo>& operands, Schema schema,
                  MLInputOperandLayout layout)
      : builder_(builder), operands_(operands), schema_(schema), layout_(layout) {}

  /// Adds it to the builder and its results to the operands.
  formats::Bad add(const std::string& name, const formats::Value& fields);

 private:
  formats::Bad operand(const formats::OperatorRow& row);
  formats::Bad one_operand(const formats::Value& id, MLOperand& x, bool is_input = false);
  formats::Bad results();
  formats::Bad attribute(const formats::OperatorRow& row);
  formats::Bad same(const formats::OperatorRow& row, const formats::Value& value);
  formats::Bad implied(const formats::OperatorRow& row);
  formats::Bad implied_unless_open(const formats::OperatorRow& row, const formats::Value* found);
  bool has_form() const;
  formats::Bad implied_sizes(const formats::OperatorRow& row);
  formats::Bad splits(const formats::OperatorRow& row);
  formats::Bad bound(const formats::OperatorRow& row, const formats::Value& value);
  formats::Bad ranges();
  formats::Bad padding_mode(const formats::Value& value);
  formats::Bad filter(const formats::OperatorRow& row);
  formats::Bad number(const formats::Value& value, MLNumber& v) const;
  formats::Bad append();

  const OperandType& result(std::size_t i = 0) const { return operands_[results_[i]].type; }
  template <class T> T& member(std::string_view name) {
    return *static_cast<T*>(rows_->find(name)->member(op_.get()));
  }

  MLGraphBuilder builder_;
  std::vector<OperandInfo>& operands_;
  const Schema schema_;
  MLInputOperandLayout layout_;
  const formats::OperatorRows* rows_ = nullptr;
  const formats::Value* fields_ = nullptr;
  std::shared_ptr<void> op_{};
  std::vector<std::size_t> results_{};  // indices of operands
  std::size_t input_ = 0;               // that of the operand `input`, if there is one
};

}  // namespace webnn::inline v0_1::graphinfo
