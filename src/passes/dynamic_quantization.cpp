#include "src/passes/dynamic_quantization.h"

#include <algorithm>
#include <unordered_set>

#include "src/passes/rewriter.h"
#include "src/passes/written_out.h"

namespace webnn::inline v0_1 {
namespace {

constexpr double steps = 255;  // from the least to the largest integer

using Quantization = DynamicQuantization;

class Search {
 public:
  Search(const Graph& graph, const Node& last) : graph_(graph) { found_.y = last.output(); }

  std::optional<Quantization> run(const Node& last) {
    if (found_.y.dataType() != uint8) return std::nullopt;
    found_.places.push_back(found_.y.record().producer);
    MLOperand scale, zero;
    if (const auto* op = as<ops::quantizeLinear>(last)) {
      if (element_count(op->scale.shape()) != 1) return std::nullopt;
      found_.op.input = op->input;
      scale = op->scale;
      zero = op->zeroPoint;
    } else if (!is_written_out(last, scale, zero)) {
      return std::nullopt;
    }
    if (found_.op.input.dataType() != float32 || !is_zero(zero, scale) || !is_scale(scale))
      return std::nullopt;
    found_.op.options.label = std::string(last.label());
    return std::move(found_);
  }

 private:
  /// The operator of this kind that makes x, which becomes one of the places.
  template <class Op> const Op* take(const MLOperand& x) {
    const Op* op = made_by<Op>(graph_, x);
    const std::size_t place = op ? x.record().producer : 0;
    if (op && std::ranges::count(found_.places, place) == 0) found_.places.push_back(place);
    return op;
  }
  /// x, a single element, before it is reshaped, as convert_to_nhwc also does with a transpose;
  /// `forms` gets it in each shape.
  MLOperand plain(MLOperand x, std::vector<MLOperand>* forms = nullptr) {
    for (;;) {
      if (forms && std::ranges::none_of(*forms, [&](const MLOperand& y) { return y.is(x); }))
        forms->push_back(x);
      if (element_count(x.shape()) != 1) return x;
      if (const auto* op = take<ops::reshape>(x)) x = op->input;
      else if (const auto* moved = take<ops::transpose>(x)) x = moved->input;
      else return x;
    }
  }
  static bool is_clamped(const ops::clamp* op) {
    return op && op->input.dataType() == float32 && op->options.minValue && op->options.maxValue &&
           op->options.minValue->as_double() == 0 && op->options.maxValue->as_double() == steps;
  }

  /// cast(clamp(roundEven(x / scale) + cast(zero)))
  bool is_written_out(const Node& last, MLOperand& scale, MLOperand& zero) {
    const auto* cast = as<ops::cast>(last);
    const auto* clamp = cast ? take<ops::clamp>(cast->input) : nullptr;
    const auto* add = is_clamped(clamp) ? take<ops::add>(clamp->input) : nullptr;
    if (!add) return false;
    found_.op.options.quotient = fused::Quotient::rounded;
    for (const bool swapped : {false, true}) {
      const auto* round = take<ops::roundEven>(swapped ? add->b : add->a);
      if (!round) continue;
      const auto* div = take<ops::div>(round->input);
      if (!div || element_count(div->b.shape()) != 1) return false;
      found_.op.input = div->a;
      scale = div->b;
      const auto* widened = take<ops::cast>(plain(swapped ? add->a : add->b));
      if (!widened || widened->dataType != float32) return false;
      zero = widened->input;
      return div->a.shape() == last.output().shape();
    }
    return false;
  }
  /// cast(clamp(roundEven(-(low / scale)))), where low is found.
  bool is_zero(const MLOperand& zero, const MLOperand& scale) {
    if (zero.dataType() != uint8 || element_count(zero.shape()) != 1) return false;
    const auto* cast = take<ops::cast>(plain(zero, &found_.zeros));
    const auto* clamp = cast ? take<ops::clamp>(cast->input) : nullptr;
    const auto* round = is_clamped(clamp) ? take<ops::roundEven>(clamp->input) : nullptr;
    const auto* neg = round ? take<ops::neg>(round->input) : nullptr;
    const auto* div = neg ? take<ops::div>(neg->input) : nullptr;
    if (!div) return false;
    low_ = div->a;
    return plain(div->b, &found_.scales).is(plain(scale, &found_.scales));
  }
  bool is_scale(const MLOperand& given) {
    MLOperand scale = plain(given), range;
    fused::DynamicQuantizeLinearOptions& o = found_.op.options;
    if (const auto* where = take<ops::where>(scale)) {
      const auto* equal = take<ops::equal>(where->condition);
      if (!equal || number_of(where->trueValue) != 1) return false;
      const bool swapped = number_of(equal->a) == 0;
      if (!swapped && number_of(equal->b) != 0) return false;
      range = swapped ? equal->b : equal->a;
      scale = where->falseValue;
      o.guarded = true;
    }
    const auto* div = take<ops::div>(scale);
    if (!div || number_of(div->b) != steps || (o.guarded && !div->a.is(range))) return false;
    const auto* sub = take<ops::sub>(div->a);
    return sub && sub->b.is(low_) && is_bound<ops::min, ops::reduceMin>(sub->b, o.zeroFirstInMin) &&
           is_bound<ops::max, ops::reduceMax>(sub->a, o.zeroFirstInMax);
  }
  /// The least or the largest element of x, or 0.
  template <class Choose, class Reduce> bool is_bound(const MLOperand& y, bool& zero_first) {
    const auto* op = take<Choose>(y);
    if (!op) return false;
    zero_first = number_of(op->a) == 0;
    if (!zero_first && number_of(op->b) != 0) return false;
    const auto* reduce = take<Reduce>(zero_first ? op->b : op->a);
    return reduce && reduce->input.is(found_.op.input) && element_count(y.shape()) == 1;
  }

  const Graph& graph_;
  MLOperand low_{};
  Quantization found_{};
};

/// By operand: the operators that read it, and whether it is an output of the graph.
class Readers {
 public:
  explicit Readers(const Graph& graph) : of_(graph.operand_count()), outputs_(of_.size()) {
    for (std::size_t i = 0; i < graph.size(); ++i)
      for (const MLOperand& x : graph.node(i).inputs()) of_[x.record().id].push_back(i);
    for (const auto& [name, x] : graph.outputs()) outputs_[x.record().id] = true;
  }
  /// Whether nothing else reads what the operators compute but the results.
  bool only_results(const Graph& graph, const Quantization& q) const {
    std::vector<MLOperand> results = q.scales;
    results.insert(results.end(), q.zeros.begin(), q.zeros.end());
    results.push_back(q.y);
    const std::unordered_set<std::size_t> inside(q.places.begin(), q.places.end());
    return std::ranges::all_of(q.places, [&](std::size_t place) {
      const Node node = graph.node(place);
      const MLOperand& y = node.output();
      const auto& readers = of_[y.record().id];
      return std::ranges::any_of(results, [&](const MLOperand& r) { return r.is(y); }) ||
             (!outputs_[y.record().id] &&
              std::ranges::all_of(readers, [&](std::size_t i) { return inside.contains(i); }));
    });
  }

 private:
  std::vector<std::vector<std::size_t>> of_;
  std::vector<bool> outputs_;
};

}  // namespace

std::vector<DynamicQuantization> dynamic_quantizations(const Graph& graph) {
  std::vector<DynamicQuantization> all;
  if (!has_any<ops::reduceMin>(graph) || !has_any<ops::cast, ops::quantizeLinear>(graph))
    return all;
  const Readers readers(graph);
  std::unordered_set<std::size_t> inside;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    if (!as<ops::cast>(node) && !as<ops::quantizeLinear>(node)) continue;
    auto q = Search(graph, node).run(node);
    if (!q || !readers.only_results(graph, *q)) continue;
    if (std::ranges::any_of(q->places, [&](std::size_t p) { return inside.contains(p); })) continue;
    inside.insert(q->places.begin(), q->places.end());
    std::ranges::sort(q->places);
    all.push_back(std::move(*q));
  }
  return all;
}

}  // namespace webnn::inline v0_1
