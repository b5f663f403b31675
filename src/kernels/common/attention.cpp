#include "src/kernels/common/attention.h"

#include <cmath>

#include "src/kernels/common/chain_operands.h"

namespace webnn::inline v0_1 {
namespace {

class Matcher {
 public:
  explicit Matcher(Chain chain) : chain_(chain) {}

  std::optional<Attention> run() {
    constexpr std::size_t shortest = 3;
    if (chain_.size() < shortest || !all_float32(chain_)) return std::nullopt;
    const auto* scores = chain_[0].as<ops::matmul>();
    if (!scores || scores->a.is(scores->b)) return std::nullopt;
    a_.queries = scores->a;
    a_.keys = scores->b;
    a_.scores = chain_[0].output().shape();
    at_ = 1;
    skip_reshape();
    a_.masked = last().shape();
    if (a_.masked.size() < 2 || a_.masked.back() != a_.scores.back()) return std::nullopt;
    scale();
    if (!mask() || !softmax()) return std::nullopt;
    skip_reshape();
    return product() && left_out() && at_ == chain_.size() ? std::optional(a_) : std::nullopt;
  }

 private:
  const MLOperand& last() const { return chain_[at_ - 1].output(); }
  bool keeps_shape(const Node& node) const { return node.output().shape() == a_.masked; }

  void skip_reshape() {
    if (at_ < chain_.size() && chain_[at_].as<ops::reshape>()) ++at_;
  }

  void scale() {
    if (at_ == chain_.size()) return;
    const Node& node = chain_[at_];
    if (!keeps_shape(node)) return;
    if (const MLOperand other = other_operand<ops::mul>(node, last()))
      a_.multiplied_by = number_of(other);
    else if (const auto* div = node.as<ops::div>(); div && div->a.is(last()))
      a_.divided_by = number_of(div->b);
    if (a_.multiplied_by || a_.divided_by) ++at_;
  }
  /// False if there is one that does not fit.
  bool mask() {
    if (at_ == chain_.size()) return false;
    const Node& node = chain_[at_];
    a_.mask = other_operand<ops::add>(node, last());
    if (!a_.mask) return true;
    if (!keeps_shape(node) || a_.mask.is(last())) return false;
    ++at_;
    const Dims& shape = a_.mask.shape();
    const auto batches = shape.begin() + std::max<std::ptrdiff_t>(std::ssize(shape) - 2, 0);
    return a_.masked == a_.scores ||
           std::all_of(shape.begin(), batches, [](std::uint32_t n) { return n == 1; });
  }
  bool softmax() {
    if (at_ + 2 > chain_.size()) return false;
    const auto* op = chain_[at_].as<ops::softmax>();
    if (!op || !op->input.is(last()) || op->axis + 1 != a_.masked.size()) return false;
    ++at_;
    return true;
  }
  bool product() {
    if (at_ == chain_.size() || last().shape() != a_.scores) return false;
    const auto* op = chain_[at_].as<ops::matmul>();
    if (!op || !op->a.is(last()) || op->b.is(last())) return false;
    a_.values = op->b;
    const Dims& y = chain_[at_++].output().shape();
    return y.size() == a_.scores.size() && std::equal(y.begin(), y.end() - 1, a_.scores.begin());
  }

  /// False if there is an operator that does not fit.
  bool left_out() {
    if (at_ == chain_.size()) return true;
    const auto* op = chain_[at_].as<ops::where>();
    if (!op || !op->falseValue.is(last()) || op->condition.is(last())) return false;
    const auto zero = number_of(op->trueValue);
    if (zero != 0 || std::signbit(*zero)) return false;
    a_.left_out = op->condition;
    const Dims& shape = a_.left_out.shape();
    if (!shape.empty() && shape.back() != 1) return false;
    const Dims& y = last().shape();
    return chain_[at_++].output().shape() == y;
  }

  Chain chain_;
  std::size_t at_ = 0;
  Attention a_{};
};

}  // namespace

std::optional<Attention> attention_of(Chain chain) { return Matcher(chain).run(); }

}  // namespace webnn::inline v0_1
