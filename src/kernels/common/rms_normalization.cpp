#include "src/kernels/common/rms_normalization.h"

#include "src/kernels/common/chain_operands.h"

namespace webnn::inline v0_1 {
namespace {

/// The exponent of a power.
std::optional<double> exponent_of(const Node& node, const MLOperand& x) {
  const auto* pow = node.as<ops::pow>();
  return pow && pow->a.is(x) ? number_of(pow->b) : std::nullopt;
}

class Matcher {
 public:
  explicit Matcher(Chain chain) : chain_(chain) {}

  std::optional<RmsNormalization> run() {
    constexpr std::size_t shortest = 5;
    if (chain_.size() < shortest || !all_float32(chain_)) return std::nullopt;
    if (!square() || !mean() || !epsilon() || !quotient() || !weight()) return std::nullopt;
    return at_ == chain_.size() ? std::optional(n_) : std::nullopt;
  }

 private:
  const Node* next() const { return at_ < chain_.size() ? &chain_[at_] : nullptr; }
  /// The result of the node before the next one.
  const MLOperand& last() const { return chain_[at_ - 1].output(); }

  bool square() {
    const Node& node = chain_[at_++];
    if (const auto* mul = node.as<ops::mul>(); mul && mul->a.is(mul->b)) n_.x = mul->a;
    else if (const auto* pow = node.as<ops::pow>(); pow && number_of(pow->b) == 2) n_.x = pow->a;
    else return false;
    if (n_.x.shape() != node.output().shape() || n_.x.rank() == 0) return false;
    n_.row = n_.x.shape()[n_.x.rank() - 1];
    return true;
  }
  bool mean() {
    const auto* op = chain_[at_].as<ops::reduceMean>();
    const Dims axis{n_.x.rank() - 1};
    if (!op || !op->options.keepDimensions || !op->options.axes || Dims(*op->options.axes) != axis)
      return false;
    ++at_;
    return true;
  }
  bool epsilon() {
    const MLOperand number = other_operand<ops::add>(chain_[at_], last());
    const auto value = number ? number_of(number) : std::nullopt;
    if (!value || chain_[at_].output().shape() != last().shape()) return false;
    n_.epsilon = *value;
    ++at_;
    return true;
  }
  bool quotient() {
    if (exponent_of(chain_[at_], last()) == -0.5) return ++at_, product_with_x();
    if (!chain_[at_].as<ops::sqrt>()) return false;
    ++at_;
    const Node* node = next();
    if (!node) return false;
    if (const auto* div = node->as<ops::div>(); div && div->b.is(last())) {
      if (div->a.is(n_.x)) return ++at_, true;
      if (number_of(div->a) != 1 || node->output().shape() != last().shape()) return false;
    } else if (!node->as<ops::reciprocal>()) {
      return false;
    }
    ++at_;
    return product_with_x();
  }
  bool product_with_x() {
    const Node* node = next();
    if (!node) return false;
    const MLOperand x = other_operand<ops::mul>(*node, last());
    if (!x || !x.is(n_.x) || node->output().shape() != n_.x.shape()) return false;
    ++at_;
    return true;
  }
  bool weight() {
    const Node* node = next();
    if (!node) return true;
    n_.weight = other_operand<ops::mul>(*node, last());
    if (!n_.weight || node->output().shape() != n_.x.shape()) return false;
    const Dims& shape = n_.weight.shape();
    if (shape.size() == 0 || shape[shape.size() - 1] != n_.row || element_count(shape) != n_.row ||
        n_.weight.is(n_.x))
      return false;
    ++at_;
    return true;
  }

  Chain chain_;
  std::size_t at_ = 0;
  RmsNormalization n_{};
};

}  // namespace

std::optional<RmsNormalization> rms_normalization_of(Chain chain) { return Matcher(chain).run(); }

}  // namespace webnn::inline v0_1
