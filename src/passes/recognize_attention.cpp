// Replaces attention by the fused operator attention, from the matmul with the values, or a
// where(left out, 0, that), back to what makes the scores:
//   softmax(matmul(queries, keys)) over the last dimension, where
// - queries, keys and scores may each be a product with a number or a quotient by one,
// - scores may be replaced by where(condition, scores, number) or where(condition, number, scores),
//   and a mask may be added to them after that,
// - scores may be reshaped before they are masked, and back later,
// - keys may be transposed, and keys and values may have each head several times: expanded or tiled
//   between two reshapes, or gathered.
#include <cmath>

#include "src/passes/passes.h"
#include "src/passes/written_out.h"

namespace webnn::inline v0_1 {
namespace {

using fused::Scaling;

/// An operand that is to be reshaped if it has another shape.
struct Source {
  MLOperand x{};
  Dims shape{};
};
/// Each index of a dimension of `from` several times in a row.
struct Repeat {
  Source from{};
  std::uint32_t axis = 0, times = 1;
};

/// The search for attention that ends in an operator.
class Search {
 public:
  Search(const Graph& graph, const std::vector<std::size_t>& readers)
      : graph_(graph), readers_(readers), parts_(graph, readers) {}

  /// Its operands are those of the graph; keys and values may have to be reshaped.
  struct Found {
    fused::attention op{};
    Dims keys{}, values{};  ///< their shapes
  };
  std::optional<Found> run(const MLOperand& y) {
    MLOperand product = y;
    if (const auto* where = parts_.take<ops::where>(y)) {
      const auto zero = number_of(where->trueValue);
      if (zero != 0 || std::signbit(*zero)) return std::nullopt;
      product = where->falseValue;
      found_.op.options.leftOut = where->condition;
    }
    const auto* op = parts_.take<ops::matmul>(product);
    if (!op || product.shape() != y.shape() || !probabilities(op->a)) return std::nullopt;
    values(op->b);
    if (!parts_.only_they_read() || reads_inside()) return std::nullopt;
    return std::move(found_);
  }

 private:
  /// The operator T that makes y, which becomes a part, unless something else reads y.
  template <class T> const T* take_only(const MLOperand& y) {
    return readers_[y.record().id] == 1 ? parts_.take<T>(y) : nullptr;
  }

  bool probabilities(const MLOperand& y) {
    const auto* softmax = parts_.take<ops::softmax>(parts_.take_reshapes(y));
    if (!softmax || softmax->axis + 1 != softmax->input.rank() ||
        softmax->input.shape().back() != y.shape().back())
      return false;
    const MLOperand x = parts_.take_reshapes(softmax->input);
    return masked(x) && (!is_masked() || found_.op.options.maskedShape.back() == y.shape().back());
  }
  bool is_masked() const {
    return found_.op.options.mask.has_value() || found_.op.options.condition.has_value();
  }

  /// y as scores to which a mask may have been added.
  bool masked(const MLOperand& y) {
    fused::AttentionOptions& o = found_.op.options;
    const std::size_t before = parts_.size();
    if (const auto* add = parts_.take<ops::add>(y)) {
      const std::size_t with_add = parts_.size();
      for (const bool first : {true, false}) {
        parts_.resize(with_add);
        const MLOperand &x = first ? add->a : add->b, &mask = first ? add->b : add->a;
        if (x.shape() == y.shape() && replaced(x)) {
          o.mask = mask;
          o.maskedShape = y.shape();
          return true;
        }
      }
      return false;
    }
    parts_.resize(before);
    return replaced(y);
  }
  /// y as scores of which some may have been replaced.
  bool replaced(const MLOperand& y) {
    fused::AttentionOptions& o = found_.op.options;
    o.condition.reset();
    const auto* where = parts_.take<ops::where>(y);
    if (!where) return scores(y);
    const auto right = number_of(where->falseValue), left = number_of(where->trueValue);
    if (!right == !left) return false;
    o.conditionKeeps = right.has_value();
    const double replacement = right ? *right : *left;
    o.replacement = replacement;
    o.condition = where->condition;
    o.maskedShape = y.shape();
    const MLOperand& x = right ? where->trueValue : where->falseValue;
    return !std::isnan(replacement) && x.shape() == y.shape() && scores(x);
  }
  bool scores(const MLOperand& y) {
    fused::AttentionOptions& o = found_.op.options;
    MLOperand x = parts_.take_reshapes(y);
    x = unscaled<false>(x, o.scoreScaling, o.scoreFactor);
    const auto* op = parts_.take<ops::matmul>(parts_.take_reshapes(x));
    if (!op) return false;
    found_.op.queries = unscaled<true>(op->a, o.queryScaling, o.queryFactor);
    keys(op->b);
    return true;
  }

  /// x of y = x * number or x / number, which is a part, or y. With `only` it is none where
  /// something else reads y.
  template <bool only> MLOperand unscaled(const MLOperand& y, Scaling& scaling, double& factor) {
    const std::size_t before = parts_.size();
    const auto make = [&](const MLOperand& x, const MLOperand& number, Scaling how) {
      const auto value = number_of(number);
      if (!value || !std::isfinite(*value) || x.shape() != y.shape()) return false;
      scaling = how;
      factor = *value;
      return true;
    };
    scaling = Scaling::none;
    factor = 1;
    if (only && readers_[y.record().id] != 1) return y;
    if (const auto* mul = parts_.take<ops::mul>(y)) {
      if (make(mul->a, mul->b, Scaling::product)) return mul->a;
      if (make(mul->b, mul->a, Scaling::product)) return mul->b;
    } else if (const auto* div = parts_.take<ops::div>(y)) {
      if (make(div->a, div->b, Scaling::quotient)) return div->a;
    }
    parts_.resize(before);
    return y;
  }

  /// What the keys y are made of, by a product with a number, transpositions, and repetition, in
  /// any order.
  void keys(MLOperand y) {
    fused::AttentionOptions& o = found_.op.options;
    const std::uint32_t rank = y.rank();
    Dims order(rank);  // by dimension of the keys, the one of y
    for (std::uint32_t d = 0; d < rank; ++d) order[d] = d;
    Dims shape = y.shape();
    o.keyRepeats = 1;
    o.keyScaling = Scaling::none;
    while (y.shape() == shape) {
      if (o.keyScaling == Scaling::none) {
        y = unscaled<true>(y, o.keyScaling, o.keyFactor);
        if (o.keyScaling != Scaling::none) continue;
      }
      if (const auto* transpose = take_only<ops::transpose>(y)) {
        const Dims permutation = ops::permutation_of(*transpose);
        for (std::uint32_t& d : order) d = permutation[d];
        y = transpose->input;
        shape = y.shape();
        continue;
      }
      const std::size_t before = parts_.size();
      const auto repeat = o.keyRepeats == 1 && rank > 2 ? take_repeat(y) : std::nullopt;
      if (!repeat || repeat->axis != order[rank - 3]) {
        parts_.resize(before);
        break;
      }
      o.keyRepeats = repeat->times;
      y = repeat->from.x;
      shape = repeat->from.shape;
    }
    o.keysPermutation = std::is_sorted(order.begin(), order.end()) ? Dims() : order;
    found_.op.keys = y;
    found_.keys = shape;
  }
  void values(const MLOperand& y) {
    found_.op.values = y;
    found_.values = y.shape();
    found_.op.options.valueRepeats = 1;
    const std::size_t before = parts_.size();
    const auto repeat = y.rank() > 2 ? take_repeat(y) : std::nullopt;
    if (!repeat || repeat->axis + 3 != y.rank()) return parts_.resize(before);
    found_.op.options.valueRepeats = repeat->times;
    found_.op.values = repeat->from.x;
    found_.values = repeat->from.shape;
  }

  std::optional<Repeat> take_repeat(const MLOperand& y) {
    const std::size_t before = parts_.size();
    auto repeat = take_gather(y);
    if (!repeat) {
      parts_.resize(before);
      repeat = take_expand(y);
    }
    if (!repeat) parts_.resize(before);
    return repeat;
  }
  std::optional<Repeat> take_gather(const MLOperand& y) {
    const auto* gather = take_only<ops::gather>(y);
    if (!gather || gather->indices.rank() != 1 || y.rank() != gather->input.rank())
      return std::nullopt;
    const auto indices = indices_of(gather->indices);
    const std::uint32_t axis = gather->options.axis, count = gather->input.shape()[axis];
    if (indices.empty() || indices.size() % count != 0 || indices.size() == count)
      return std::nullopt;
    const std::size_t times = indices.size() / count;
    for (std::size_t i = 0; i < indices.size(); ++i)
      if (indices[i] != static_cast<std::int64_t>(i / times)) return std::nullopt;
    return Repeat{{gather->input, gather->input.shape()}, axis, static_cast<std::uint32_t>(times)};
  }
  /// Elements with a new dimension that is expanded, which then becomes one with the one before it.
  std::optional<Repeat> take_expand(const MLOperand& y) {
    const auto* reshape = take_only<ops::reshape>(y);
    if (!reshape) return std::nullopt;
    const MLOperand& all = reshape->input;
    const MLOperand* one = nullptr;
    if (const auto* expand = take_only<ops::expand>(all)) one = &expand->input;
    else if (const auto* tile = take_only<ops::tile>(all)) one = &tile->input;
    if (!one || all.rank() != y.rank() + 1 || one->rank() != all.rank()) return std::nullopt;
    const Dims &from = one->shape(), &to = all.shape();
    std::uint32_t d = 0;
    while (d < all.rank() && from[d] == to[d]) ++d;
    if (d == 0 || d == all.rank() || from[d] != 1) return std::nullopt;
    Dims merged = to, shape = from;
    merged[d - 1] *= to[d];
    merged.erase(merged.begin() + d);
    shape.erase(shape.begin() + d);
    if (merged != y.shape() || !std::equal(from.begin() + d + 1, from.end(), to.begin() + d + 1))
      return std::nullopt;
    Repeat repeat{{*one, shape}, d - 1, to[d]};
    if (const auto* before = made_by<ops::reshape>(graph_, *one);
        before && before->input.shape() == shape)
      repeat.from.x = take_only<ops::reshape>(*one) ? before->input : *one;
    return repeat;
  }

  /// Whether an operand is the result of a part.
  bool reads_inside() const {
    const fused::attention& op = found_.op;
    bool inside = false;
    ops::for_each_operand(op, [&](const auto&, const auto& value) {
      ops::each(value, [&](const MLOperand& x) { inside |= parts_.makes(x); });
    });
    return inside;
  }

  const Graph& graph_;
  const std::vector<std::size_t>& readers_;
  Parts parts_;
  Found found_{};
};

/// The operator in the new graph.
fused::attention copied(const Search::Found& found, Rewriter& to) {
  fused::attention op = found.op;
  const auto source = [&](const MLOperand& x, const Dims& shape) {
    const MLOperand now = to(x);
    return now.shape() == shape ? now : to.add(ops::reshape{now, shape}, {x.dataType(), shape});
  };
  op.queries = to(op.queries);
  op.keys = source(op.keys, found.keys);
  op.values = source(op.values, found.values);
  for (std::optional<MLOperand>* x : {&op.options.condition, &op.options.mask, &op.options.leftOut})
    if (*x) *x = to(**x);
  return op;
}

}  // namespace

Graph recognize_attention(const Graph& graph) {
  if (!has_any<ops::softmax>(graph)) return graph;
  const auto readers = reader_counts(graph);
  return with_replaced(graph, [&](const Node& node, Rewriter& to) -> std::optional<MLOperand> {
    const MLOperand& y = node.output();
    if (y.dataType() != float32 || !(as<ops::matmul>(node) || as<ops::where>(node)))
      return std::nullopt;
    const auto found = Search(graph, readers).run(y);
    if (!found) return std::nullopt;
    fused::attention op = copied(*found, to);
    op.options.label = std::string(node.label());
    const auto shapes = shapes_of(op);
    if (!shapes) return std::nullopt;
    if (shapes->masked == shapes->scores) op.options.maskedShape.clear();
    auto result = infer(op);
    if (!result || result->front() != shape::sizes(y.shape())) return std::nullopt;
    return to.add(std::move(op), y.descriptor());
  });
}

}  // namespace webnn::inline v0_1
