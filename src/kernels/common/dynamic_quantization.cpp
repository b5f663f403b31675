#include "src/kernels/common/dynamic_quantization.h"

#include "src/kernels/common/chain_operands.h"
#include "src/kernels/common/quantized.h"

namespace webnn::inline v0_1 {
namespace {

constexpr double steps = 255;           // from the least to the largest integer
constexpr std::size_t min_length = 12;  // operators

bool is_number(const MLOperand& x, double v) { return number_of(x) == v; }

/// `producer(x)` is the node with the result x, if it may be one of the operators.
template <class Producer> class Matcher {
 public:
  explicit Matcher(Producer producer) : producer_(producer) {}

  DynamicQuantization found{};
  std::vector<Node> nodes{};
  std::vector<QuantizationResult> results{};

  bool run(const Node& last) {
    const MLOperand& y = last.output();
    if (y.dataType() != uint8) return false;
    nodes.assign(1, last);
    results.assign(1, {y, QuantizationPart::quantized});
    MLOperand scale, zero;
    if (const auto* op = last.as<ops::quantizeLinear>()) {
      if (element_count(op->scale.shape()) != 1) return false;
      found.x = op->input;
      found.exact = true;
      scale = op->scale;
      zero = op->zeroPoint;
    } else if (!composed(last, scale, zero)) {
      return false;
    }
    if (found.x.dataType() != float32) return false;
    return is_zero(zero, scale) && is_scale(scale);
  }

 private:
  /// The operator of this kind with the result x, which becomes one of the nodes.
  template <class Op> const Op* take(const MLOperand& x) {
    const std::optional<Node> node = producer_(x);
    const Op* op = node ? node->template as<Op>() : nullptr;
    if (op) add(*node);
    return op;
  }
  void add(const Node& node) {
    const bool known = std::any_of(nodes.begin(), nodes.end(),
                                   [&](const Node& n) { return n.output().is(node.output()); });
    if (!known) nodes.push_back(node);
  }
  void add_result(const MLOperand& y, QuantizationPart part) {
    const bool known = std::any_of(results.begin(), results.end(),
                                   [&](const QuantizationResult& r) { return r.y.is(y); });
    if (!known) results.push_back({y, part});
  }
  /// x before it is reshaped.
  MLOperand plain(MLOperand x, std::optional<QuantizationPart> part = std::nullopt) {
    for (;;) {
      if (part) add_result(x, *part);
      const auto* op = take<ops::reshape>(x);
      if (!op) return x;
      x = op->input;
    }
  }
  bool is_clamped(const ops::clamp* op) const {
    return op && op->input.dataType() == float32 && op->options.minValue && op->options.maxValue &&
           op->options.minValue->as_double() == 0 && op->options.maxValue->as_double() == steps;
  }

  /// cast(clamp(roundEven(x / scale) + zero))
  bool composed(const Node& last, MLOperand& scale, MLOperand& zero) {
    const auto* cast = last.as<ops::cast>();
    const auto* clamp = cast ? take<ops::clamp>(cast->input) : nullptr;
    const auto* add = is_clamped(clamp) ? take<ops::add>(clamp->input) : nullptr;
    if (!add) return false;
    for (const bool swapped : {false, true}) {
      const auto* round = take<ops::roundEven>(swapped ? add->b : add->a);
      if (!round) continue;
      const auto* div = take<ops::div>(round->input);
      if (!div || element_count(div->b.shape()) != 1) return false;
      found.x = div->a;
      scale = div->b;
      const auto* widened = take<ops::cast>(plain(swapped ? add->a : add->b));
      if (!widened || widened->dataType != float32) return false;
      zero = widened->input;
      return found.x.shape() == last.output().shape();
    }
    return false;
  }
  /// cast(clamp(roundEven(-(low / scale)))), where low is found.
  bool is_zero(const MLOperand& zero, const MLOperand& scale) {
    if (zero.dataType() != uint8 || element_count(zero.shape()) != 1) return false;
    const auto* cast = take<ops::cast>(plain(zero, QuantizationPart::zero));
    const auto* clamp = cast ? take<ops::clamp>(cast->input) : nullptr;
    const auto* round = is_clamped(clamp) ? take<ops::roundEven>(clamp->input) : nullptr;
    const auto* neg = round ? take<ops::neg>(round->input) : nullptr;
    const auto* div = neg ? take<ops::div>(neg->input) : nullptr;
    if (!div) return false;
    low_ = div->a;
    return plain(div->b, QuantizationPart::scale).is(plain(scale, QuantizationPart::scale));
  }
  bool is_scale(const MLOperand& given) {
    MLOperand scale = plain(given);
    MLOperand range;
    if (const auto* where = take<ops::where>(scale)) {
      const auto* equal = take<ops::equal>(where->condition);
      if (!equal || !is_number(equal->b, 0) || !is_number(where->trueValue, 1)) return false;
      range = equal->a;
      scale = where->falseValue;
      found.guarded = true;
    }
    const auto* div = take<ops::div>(scale);
    if (!div || !is_number(div->b, steps)) return false;
    if (found.guarded && !div->a.is(range)) return false;
    const auto* sub = take<ops::sub>(div->a);
    return sub && sub->b.is(low_) && is_bound<ops::min, ops::reduceMin>(sub->b) &&
           is_bound<ops::max, ops::reduceMax>(sub->a);
  }
  /// The least or the largest element of x, or 0.
  template <class Choose, class Reduce> bool is_bound(const MLOperand& y) {
    const auto* op = take<Choose>(y);
    if (!op) return false;
    const bool swapped = is_number(op->a, 0);
    if (!swapped && !is_number(op->b, 0)) return false;
    const auto* reduce = take<Reduce>(swapped ? op->b : op->a);
    return reduce && reduce->input.is(found.x) && element_count(y.shape()) == 1;
  }

  Producer producer_;
  MLOperand low_{};
};

template <class F> auto matched(Chain chain, F f) {
  Matcher match([&](const MLOperand& x) {
    const auto found =
        std::find_if(chain.begin(), chain.end(), [&](const Node& n) { return x.is(n.output()); });
    return found == chain.end() ? std::nullopt : std::optional(*found);
  });
  const bool whole =
      chain.size() >= min_length && match.run(chain.back()) && match.nodes.size() == chain.size();
  return f(whole ? &match : nullptr);
}

}  // namespace

std::vector<Node> dynamic_quantization_before(const Graph& graph, const Node& last) {
  if (!last.as<ops::cast>() && !last.as<ops::quantizeLinear>()) return {};
  Matcher match([&](const MLOperand& x) {
    const bool result = x.record().kind == OperandKind::result;
    return result ? std::optional(graph.producer_of(x)) : std::nullopt;
  });
  if (!match.run(last)) return {};
  std::vector<Node> nodes = std::move(match.nodes);
  const auto place = [](const Node& n) { return n.output().record().producer; };
  std::sort(nodes.begin(), nodes.end(),
            [&](const Node& a, const Node& b) { return place(a) < place(b); });
  return nodes;
}

std::optional<DynamicQuantization> dynamic_quantization_of(Chain chain) {
  return matched(
      chain, [](const auto* match) { return match ? std::optional(match->found) : std::nullopt; });
}

std::vector<QuantizationResult> quantization_results(Chain chain) {
  return matched(chain, [](const auto* match) {
    return match ? match->results : std::vector<QuantizationResult>();
  });
}

std::vector<MLOperand> results_of(Chain chain) {
  std::vector<MLOperand> all;
  for (const QuantizationResult& r : quantization_results(chain)) all.push_back(r.y);
  if (!all.empty()) return all;
  const auto outputs = chain.back().outputs();
  return {outputs.begin(), outputs.end()};
}

}  // namespace webnn::inline v0_1
