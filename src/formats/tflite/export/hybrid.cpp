#include "src/formats/tflite/export/hybrid.h"

#include "src/formats/tflite/export/groups.h"

namespace webnn::inline v0_1::tflite::exporter {
namespace {

class Matcher {
 public:
  explicit Matcher(const Graph& graph) : graph_(graph) {}

  std::optional<Hybrid> run(const Node& node) const {
    const auto* sum = node.as<ops::add>();
    const auto* scaled = sum ? made<ops::mul>(sum->a) : node.as<ops::mul>();
    if (!scaled || !(made<ops::conv2d>(scaled->a) || made<ops::gemm>(scaled->a)))
      return std::nullopt;
    const auto* factors = made<ops::mul>(scaled->b);
    if (!factors || !factors->b.constant() || factors->b.dataType() != float32 ||
        factors->b.rank() != 1)
      return std::nullopt;

    Hybrid h;
    h.product = scaled->a.record().producer;
    for (const double v : elements_of(factors->b)) h.scales.push_back(static_cast<float>(v));
    if (sum) h.bias = sum->b;
    const auto* reshaped = made<ops::reshape>(factors->a);
    const MLOperand scale = reshaped ? reshaped->input : factors->a;
    if (!product(h, scaled->a)) return std::nullopt;
    if (const MLOperand x = symmetric(h.integers, scale)) {
      h.input = x;
    } else {
      h.input = asymmetric(h.integers, scale);
      h.asymmetric = true;
    }
    return h.input && fits(h, sum ? sum->b : MLOperand{}) ? std::optional(h) : std::nullopt;
  }

 private:
  template <class T> const T* made(const MLOperand& x) const {
    if (!x || x.record().kind != OperandKind::result) return nullptr;
    return graph_.producer_of(x).as<T>();
  }
  /// What an operator with one operand is applied to.
  template <class T> MLOperand from(const MLOperand& x) const {
    const auto* op = made<T>(x);
    return op ? op->input : MLOperand{};
  }
  static bool number(const MLOperand& x, double value) {
    return x.constant() && x.dataType() == float32 && element_count(x.shape()) == 1 &&
           elements_of(x).front() == value;
  }
  static bool same(const MLOperand& a, const MLOperand& b) { return a && b && a.is(b); }
  /// clamp(roundEven(..), low, high)
  MLOperand rounded(const MLOperand& x, double low, double high) const {
    const auto* op = made<ops::clamp>(x);
    if (!op || !op->options.minValue || !op->options.maxValue ||
        op->options.minValue->as_double() != low || op->options.maxValue->as_double() != high)
      return {};
    return from<ops::roundEven>(op->input);
  }
  /// range = where(range == 0, steps, range), and the other way round.
  MLOperand range(const MLOperand& width, double steps) const {
    const auto* op = made<ops::where>(width);
    const auto* zero = op ? made<ops::equal>(op->condition) : nullptr;
    if (!zero || !number(zero->b, 0) || !number(op->trueValue, steps) ||
        !same(zero->a, op->falseValue))
      return {};
    return op->falseValue;
  }
  /// The operand of a reduction of each index of the first dimension.
  template <class T> MLOperand each(const MLOperand& x) const {
    const auto* op = made<T>(x);
    if (!op || !op->options.axes || !op->options.keepDimensions ||
        op->options.axes->size() + 1 != op->input.rank() ||
        std::count(op->options.axes->begin(), op->options.axes->end(), 0u) != 0)
      return {};
    return op->input;
  }

  // The operand that is quantized, or nothing. The two forms are those of the importer.

  MLOperand symmetric(const MLOperand& integers, const MLOperand& scale) const {
    const auto* scaled = made<ops::mul>(rounded(integers, -127, 127));
    const auto* inverse = scaled ? made<ops::div>(scaled->b) : nullptr;
    const auto* quotient = made<ops::div>(scale);
    if (!inverse || !quotient || !number(inverse->a, 127) || !number(quotient->b, 127) ||
        !same(inverse->b, quotient->a))
      return {};
    const MLOperand largest = range(quotient->a, 127);
    const MLOperand x = from<ops::abs>(each<ops::reduceMax>(largest));
    return same(x, scaled->a) ? x : MLOperand{};
  }

  MLOperand asymmetric(const MLOperand& integers, const MLOperand& scale) const {
    const auto* shifted = made<ops::sub>(integers);
    if (!shifted) return {};
    const MLOperand offset = shifted->b;
    const auto* sum = made<ops::add>(rounded(shifted->a, -128, 127));
    const auto* scaled = sum && same(sum->b, offset) ? made<ops::mul>(sum->a) : nullptr;
    const auto* inverse = scaled ? made<ops::div>(scaled->b) : nullptr;
    const auto* start = made<ops::sub>(rounded(offset, -128, 127));
    const auto* steps = start && number(start->a, -128) ? made<ops::div>(start->b) : nullptr;
    const auto* quotient = made<ops::div>(scale);
    if (!inverse || !steps || !quotient || !number(inverse->a, 1) || !same(inverse->b, scale) ||
        !same(steps->b, scale) || !number(quotient->b, 255))
      return {};
    const auto* extent = made<ops::sub>(range(quotient->a, 255));
    if (!extent || !same(extent->b, steps->a)) return {};
    const auto* high = made<ops::max>(extent->a);
    const auto* low = made<ops::min>(extent->b);
    if (!high || !low || !number(high->b, 0) || !number(low->b, 0)) return {};
    const MLOperand x = each<ops::reduceMax>(high->a);
    return same(x, scaled->a) && same(each<ops::reduceMin>(low->a), x) ? x : MLOperand{};
  }

  bool product(Hybrid& h, const MLOperand& y) const {
    if (const auto* op = made<ops::conv2d>(y); op && !op->options.bias) {
      h.integers = op->input;
      h.filter = op->filter;
    } else if (const auto* gemm = made<ops::gemm>(y);
               gemm && !gemm->options.c && gemm->options.alpha == 1 && !gemm->options.aTranspose &&
               gemm->options.bTranspose) {
      h.integers = gemm->a;
      h.filter = gemm->b;
    }
    h.elements = from<ops::cast>(h.filter);
    return h.elements && h.elements.constant() && h.elements.dataType() == int8 &&
           h.filter.dataType() == float32;
  }

  /// Whether the runtime's operator quantizes in the same way.
  bool fits(const Hybrid& h, const MLOperand& bias) const {
    const Node node = graph_.node(h.product);
    const auto* conv = node.as<ops::conv2d>();
    const std::uint32_t channels = node.output().shape().back();
    const bool several = h.scales.size() > 1;
    if (several && h.scales.size() != channels) return false;
    if (bias && bias.shape() != Dims{channels}) return false;
    if (!conv) return !several;
    using enum MLConv2dFilterOperandLayout;
    const auto& o = conv->options;
    if (o.inputLayout != MLInputOperandLayout::nhwc) return false;
    const bool depthwise = o.groups > 1 && o.groups == conv->input.shape()[3];
    if (depthwise) return h.asymmetric && o.filterLayout == ihwo;
    return o.groups == 1 && o.filterLayout == ohwi && h.asymmetric == several;
  }

  const Graph& graph_;
};

}  // namespace

std::optional<Hybrid> find_hybrid(const Graph& graph, const Node& node) {
  return Matcher(graph).run(node);
}

}  // namespace webnn::inline v0_1::tflite::exporter
