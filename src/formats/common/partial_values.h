// Values that follow from constants and from sizes that are known, element by element, while a file
// with open dimensions is imported. Private; a shared library of a format has its own copy and does
// not show it.
#pragma once

#include <unordered_map>

#include "src/formats/common/size.h"
#include "src/graph/graph_data.h"

namespace webnn::inline v0_1::formats {

class PartialValues {
 public:
  explicit PartialValues(MLGraphBuilder b) : builder_(std::move(b)) {}

  /// Of each element of an integer operand its value, if that does not depend on a size that is
  /// open. Nothing for operands of floats, of an open shape or of more than max_folded elements.
  [[gnu::visibility("hidden")]] std::optional<std::vector<std::optional<std::int64_t>>> elements(
      const MLOperand& x);
  /// The elements of an operand of integers with a rank of 0 or 1.
  [[gnu::visibility("hidden")]] SizeList list(const MLOperand& x);
  /// A constant, when all elements are known.
  [[gnu::visibility("hidden")]] std::optional<MLOperand> constant(const MLOperand& x);
  /// Whether x follows from constants and from the sizes of inputs, open ones or not, and not from
  /// the elements of an input.
  [[gnu::visibility("hidden")]] bool follows_from_shapes(const MLOperand& x);

 private:
  struct Value {
    MLOperand constant;  // the elements that are not known have any value
    std::vector<bool> unknown;
  };
  using Found = std::optional<Value>;

  [[gnu::visibility("hidden")]] const Found& find(const MLOperand& x, int depth = 0);
  [[gnu::visibility("hidden")]] Found work_out(const MLOperand& x, int depth);
  [[gnu::visibility("hidden")]] Found sizes(const MLOperand& x, const MLOperand& of,
                                            std::uint32_t first, std::size_t n);
  [[gnu::visibility("hidden")]] Found reshaped(const MLOperand& x, const Value&);
  [[gnu::visibility("hidden")]] Found evaluated(const MLOperand& x, const NodeData&,
                                                const std::vector<const Value*>& operands);
  [[gnu::visibility("hidden")]] std::optional<std::vector<bool>> unknown_in(
      const MLOperand& x, const NodeData&, const std::vector<const Value*>& operands);
  [[gnu::visibility("hidden")]] Constant run(const MLOperand& x, const NodeData&,
                                             const std::vector<MLOperand>& operands);
  [[gnu::visibility("hidden")]] MLOperand marks(const Value&);
  [[gnu::visibility("hidden")]] MLOperand add(const MLOperandDescriptor&, Constant);

  MLGraphBuilder builder_;
  GraphData scratch_{};
  std::unordered_map<const OperandRecord*, Found> known_{};
};

}  // namespace webnn::inline v0_1::formats
