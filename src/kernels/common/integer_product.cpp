#include "src/kernels/common/integer_product.h"

#include <cmath>

#include "src/kernels/common/chain_operands.h"
#include "src/kernels/common/fused.h"

namespace webnn::inline v0_1 {
namespace {

using enum MLOperandDataType;
using Shape = ProductTerm::Shape;

/// The dimension of the right operand whose elements are columns of the result.
std::optional<std::size_t> column_dimension(const Node& node) {
  if (const auto* op = node.as<ops::gemm>()) return op->options.bTranspose ? 0 : 1;
  if (const auto* op = node.as<ops::matmul>()) return op->b.rank() - 1;
  if (const auto* op = node.as<ops::conv2d>()) {
    using enum MLConv2dFilterOperandLayout;
    const auto layout = op->options.filterLayout;
    return layout == oihw || layout == ohwi ? 0 : 3;
  }
  return std::nullopt;
}

class Parser {
 public:
  explicit Parser(Chain chain) : chain_(chain) {}

  std::variant<IntegerProduct, Refusal> run() {
    std::size_t first = 0;
    while (first + 1 < chain_.size() && is_operand(first)) ++first;
    p_.op = chain_[first];
    const auto dimension = column_dimension(p_.op);
    if (!dimension)
      return Refusal{"integers: there is no kernel for this operator with a float result"};
    const std::vector<MLOperand> operands = p_.op.inputs();
    column_ = *dimension;
    p_.w_as_read = operands[1];
    p_.columns = operands[1].shape()[column_];
    const char* reason = left(operands[0]);
    if (!reason) reason = right(operands[1]);
    if (!reason && operands.size() > 2) reason = bias(operands[2]);
    p_.y = p_.op.output();
    for (std::size_t i = first + 1; !reason && i < chain_.size(); ++i) reason = follow(chain_[i]);
    if (reason) return Refusal{reason};
    return std::move(p_);
  }

 private:
  bool is_operand(std::size_t i) const {
    if (chain_[i].as<ops::dequantizeLinear>()) return true;
    return i > 0 && chain_[i].as<ops::reshape>() && chain_[i - 1].as<ops::dequantizeLinear>();
  }
  const Node* maker(const MLOperand& x) const {
    for (const Node& node : chain_)
      if (node.output().is(x)) return &node;
    return nullptr;
  }
  const ops::dequantizeLinear* source(const MLOperand& x) const {
    const Node* node = maker(x);
    if (node && node->as<ops::reshape>()) node = maker(node->input(0));
    const auto* op = node ? node->as<ops::dequantizeLinear>() : nullptr;
    return op && op->scale.dataType() == float32 ? op : nullptr;
  }
  int slot(const MLOperand& x) const { return static_cast<int>(slot_of(chain_, x)); }
  /// A scale that changes something.
  const char* add_scale(const MLOperand& scale, Shape shape, ProductTerm::ScaleOf of) {
    if (scale.constant())
      for (const float s : floats_of(scale))
        if (!(std::abs(s) <= IntegerProduct::max_scale)) return "integers: a scale is too large";
    if (number_of(scale) != 1)
      p_.terms.push_back({shape, true, slot(scale), {}, of, !scale.constant()});
    return nullptr;
  }

  const char* left(const MLOperand& x) {
    const auto* op = source(x);
    const auto known = [](MLOperandDataType t) { return t == int8 || t == uint8; };
    if (!op || op->input.constant() || !known(op->input.dataType()))
      return "integers: the left operand is not of 8 bits";
    if (element_count(op->scale.shape()) != 1)
      return "integers: the left operand has several scales";
    p_.x = op->input;
    p_.x_slot = slot(op->input);
    p_.x_zero_slot = slot(op->zeroPoint);
    return add_scale(op->scale, Shape::number, ProductTerm::ScaleOf::left);
  }
  const char* right(const MLOperand& x) {
    const auto* op = source(x);
    const auto known = [](MLOperandDataType t) {
      return t == int4 || t == uint4 || t == int8 || t == uint8;
    };
    if (!op || !op->input.constant() || !op->zeroPoint.constant() || !known(op->input.dataType()))
      return "integers: the right operand is not constant integers";
    const std::uint64_t count = element_count(op->scale.shape());
    // A reshape of the constant may move its columns.
    const bool by_column = op->scale.rank() == x.rank() && op->input.shape() == x.shape() &&
                           op->scale.shape()[column_] == p_.columns && count == p_.columns;
    if (count != 1 && !by_column)
      return "integers: the weights have neither one scale nor one for each column";
    p_.w = op->input;
    p_.w_slot = slot(op->input);
    p_.w_zero = integers_of(op->zeroPoint);
    return add_scale(op->scale, count == 1 ? Shape::number : Shape::row,
                     ProductTerm::ScaleOf::right);
  }
  /// The bias of a convolution, or c of a gemm.
  const char* bias(const MLOperand& x) {
    const std::uint64_t count = element_count(x.shape());
    if (count != 1 && (count != p_.columns || x.shape().back() != p_.columns))
      return "integers: the bias is not a row";
    ProductTerm term{.shape = count == 1 ? Shape::number : Shape::row};
    if (x.constant()) {
      if (x.dataType() != float32) return "integers: the bias is not float32";
      term.slot = slot(x);
    } else {
      const auto* op = source(x);
      const auto type = op ? op->input.dataType() : uint32;
      const bool known = op && op->input.constant() && op->scale.constant() &&
                         op->zeroPoint.constant() &&
                         (type == int8 || type == uint8 || type == int32);
      if (!known) return "integers: the bias is not constant";
      const auto values = integers_of(op->input), zeros = integers_of(op->zeroPoint);
      const auto scales = floats_of(op->scale);
      if (scales.size() != 1 && scales.size() != values.size())
        return "integers: the bias has neither one scale nor one for each element";
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t k = scales.size() == 1 ? 0 : i;
        const double distance = static_cast<double>(values[i]) - zeros[k];
        term.values.push_back(static_cast<float>(distance * static_cast<double>(scales[k])));
      }
    }
    p_.terms.push_back(std::move(term));
    return nullptr;
  }

  const char* follow(const Node& node) {
    const MLOperand before = p_.y;
    p_.y = node.output();
    if (node.as<ops::reshape>()) return nullptr;
    if (p_.activation.activation != Activation::none)
      return "integers: an operator follows the activation";
    if (const auto e = activation_of(node)) {
      p_.activation = *e;
      return nullptr;
    }
    const MLOperand factor = other_operand<ops::mul>(node, before),
                    summand = other_operand<ops::add>(node, before);
    const MLOperand& other = factor ? factor : summand;
    if (!other || other.is(before) || maker(other) || other.dataType() != float32)
      return "integers: an operator follows that is not fused";
    if (p_.terms.size() == IntegerProduct::max_terms) return "integers: too many operators follow";
    const Dims &shape = p_.y.shape(), &added = other.shape();
    if (shape != before.shape()) return "integers: an added operand is larger than the result";
    ProductTerm term{.multiplies = static_cast<bool>(factor), .slot = slot(other)};
    const std::uint64_t count = element_count(added);
    if (count != 1) {
      const bool rows = !added.empty() && added.back() == p_.columns &&
                        shape.back() == p_.columns && p_.columns > 1;
      if (rows && count == p_.columns) term.shape = Shape::row;
      else if (added == shape) term.shape = Shape::tensor;
      else return "integers: an added operand is neither a row nor a whole tensor";
    }
    p_.terms.push_back(std::move(term));
    return nullptr;
  }

  Chain chain_;
  std::size_t column_ = 0;
  IntegerProduct p_{.op = chain_.front()};
};

}  // namespace

std::variant<IntegerProduct, Refusal> integer_product(Chain chain) { return Parser(chain).run(); }

}  // namespace webnn::inline v0_1
