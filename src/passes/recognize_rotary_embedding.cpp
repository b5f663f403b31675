// Replaces a rotary position embedding by the fused operator rotaryEmbedding. It is written as
//   x * cos + join(-b, a) * sin, with cos and sin for each element of a row, or
//   join(a * cos - b * sin, a * sin + b * cos), with cos and sin for each pair,
// where a and b are the first and the second elements of all pairs of x: both halves of each row,
// or all even and all odd elements. They are slices, results of a split, or of [..., pairs, 2], as
// which x is reshaped, slices, results of a split or gathered. join() is a concat of halves, or of
// columns, which is reshaped.
#include "src/passes/passes.h"
#include "src/passes/written_out.h"

namespace webnn::inline v0_1 {
namespace {

using fused::RotaryForm;
using fused::RotaryPairs;

/// Which elements of the rows of an operand another one has: `size` of them, each `stride`-th.
struct Selection {
  MLOperand from{};
  std::uint32_t start = 0, stride = 1, size = 0;
};

std::optional<Selection> selection_of(const ops::slice& op) {
  const Dims& shape = op.input.shape();
  const std::size_t last = shape.size() - 1;
  if (shape.empty()) return std::nullopt;
  const Dims strides = op.options.strides ? Dims(*op.options.strides) : Dims(shape.size(), 1);
  for (std::size_t d = 0; d < last; ++d)
    if (op.starts[d] != 0 || op.sizes[d] != shape[d] || strides[d] != 1) return std::nullopt;
  const std::uint32_t stride = strides[last];
  return Selection{op.input, op.starts[last], stride, (op.sizes[last] - 1) / stride + 1};
}
std::optional<Selection> selection_of(const ops::split& op, const Node& node, const MLOperand& y) {
  if (op.options.axis + 1 != op.input.rank()) return std::nullopt;
  Selection s{.from = op.input, .size = y.shape().back()};
  for (const MLOperand& output : node.outputs()) {
    if (output.is(y)) return s;
    s.start += output.shape().back();
  }
  return std::nullopt;
}
std::optional<Selection> selection_of(const ops::gather& op) {
  const auto indices = indices_of(op.indices);
  const std::uint32_t size = op.input.shape().back();
  if (indices.size() != 1 || op.options.axis + 1 != op.input.rank()) return std::nullopt;
  const std::int64_t start = indices[0] < 0 ? indices[0] + size : indices[0];
  if (start < 0 || start >= size) return std::nullopt;
  return Selection{op.input, static_cast<std::uint32_t>(start), 1, 1};
}

/// The search for an embedding that ends in an operator.
class Search {
 public:
  Search(const Graph& graph, const std::vector<std::size_t>& readers, const Dims& shape)
      : graph_(graph), parts_(graph, readers), shape_(shape), half_(shape) {
    half_.back() /= 2;
  }

  std::optional<fused::rotaryEmbedding> run(const MLOperand& y) {
    if (shape_.back() % 2 != 0 || !(rows(y) || pairs(y))) return std::nullopt;
    if (shape_.back() == 2) found_.options.pairs = RotaryPairs::halves;  // they are the same
    return parts_.only_they_read() ? std::optional(found_) : std::nullopt;
  }

 private:
  struct Join {
    MLOperand first, second;
  };

  template <class Op, class F> bool either_order(const Op& op, F matches) {
    const std::size_t before = parts_.size();
    if (matches(op.a, op.b)) return true;
    parts_.resize(before);
    return matches(op.b, op.a);
  }
  /// y = part * factor.
  bool is_product(const MLOperand& y, bool second, const MLOperand& factor) {
    const auto* mul = parts_.take<ops::mul>(y);
    return mul && either_order(*mul, [&](const MLOperand& x, const MLOperand& by) {
             return by.is(factor) && x.shape() == half_ && is_part(x, second);
           });
  }
  static bool is_factor(const MLOperand& x, std::uint32_t last) {
    return x.rank() > 0 && x.shape().back() == last;
  }

  bool rows(const MLOperand& y) {
    parts_.resize(0);
    found_.options.form = RotaryForm::rows;
    const auto* sum = parts_.take<ops::add>(y);
    return sum && either_order(*sum, [&](const MLOperand& plain, const MLOperand& turned) {
             const auto* mul = parts_.take<ops::mul>(turned);
             return mul && either_order(*mul, [&](const MLOperand& row, const MLOperand& sin) {
                      found_.input = {};
                      found_.sin = sin;
                      return is_factor(sin, shape_.back()) && is_turned(row) && is_plain(plain);
                    });
           });
  }
  /// y = join(-b, a).
  bool is_turned(const MLOperand& y) {
    if (y.shape() != shape_) return false;
    const auto join = join_of(y);
    const auto* neg = join ? parts_.take<ops::neg>(parts_.take_reshapes(join->first)) : nullptr;
    return neg && is_part(neg->input, true) && is_part(join->second, false);
  }
  /// y = x * cos.
  bool is_plain(const MLOperand& y) {
    const auto* mul = parts_.take<ops::mul>(y);
    return mul && y.shape() == shape_ &&
           either_order(*mul, [&](const MLOperand& x, const MLOperand& cos) {
             if (x.shape() != shape_ || !has_elements_of(x, found_.input)) return false;
             found_.input = x;
             found_.cos = cos;
             return is_factor(cos, shape_.back());
           });
  }
  /// Whether y is x, or reshaped from it.
  bool has_elements_of(MLOperand y, const MLOperand& x) const {
    while (!y.is(x)) {
      const auto* op = made_by<ops::reshape>(graph_, y);
      if (!op) return false;
      y = op->input;
    }
    return true;
  }

  bool pairs(const MLOperand& y) {
    parts_.resize(0);
    found_ = {};
    found_.options.form = RotaryForm::pairs;
    const auto join = join_of(y);
    if (!join) return false;
    const MLOperand first = parts_.take_reshapes(join->first),
                    second = parts_.take_reshapes(join->second);
    const auto* sub = parts_.take<ops::sub>(first);
    const auto* add = sub && first.shape() == half_ && second.shape() == half_
                          ? parts_.take<ops::add>(second)
                          : nullptr;
    if (!add || !difference(*sub)) return false;
    return either_order(*add, [&](const MLOperand& p, const MLOperand& q) {
      return is_product(p, false, found_.sin) && is_product(q, true, found_.cos);
    });
  }
  /// a * cos - b * sin.
  bool difference(const ops::sub& op) {
    const auto product = [&](const MLOperand& y, bool second, MLOperand& factor) {
      const auto* mul = parts_.take<ops::mul>(y);
      return mul && either_order(*mul, [&](const MLOperand& x, const MLOperand& by) {
               factor = by;
               return x.shape() == half_ && is_factor(by, half_.back()) && is_part(x, second);
             });
    };
    return product(op.a, false, found_.cos) && product(op.b, true, found_.sin);
  }

  /// y = join(first, second).
  std::optional<Join> join_of(const MLOperand& y) {
    found_.options.pairs = RotaryPairs::halves;
    const auto* concat = parts_.take<ops::concat>(y);
    if (!concat) {
      const auto* reshape = parts_.take<ops::reshape>(y);
      concat = reshape ? parts_.take<ops::concat>(reshape->input) : nullptr;
      found_.options.pairs = RotaryPairs::interleaved;
    }
    if (!concat || concat->inputs.size() != 2) return std::nullopt;
    const MLOperand &a = concat->inputs[0], &b = concat->inputs[1];
    const bool halves = found_.options.pairs == RotaryPairs::halves;
    if (a.shape() != b.shape() || concat->axis + 1 != a.rank() ||
        a.shape().back() != (halves ? half_.back() : 1))
      return std::nullopt;
    return Join{a, b};
  }

  /// Whether y has the first or the second elements of the pairs of the input. The first part that
  /// is found says what that is; it may have another shape, as the pairs of all rows are a list.
  bool is_part(const MLOperand& y, bool second) {
    const auto s = select(parts_.take_reshapes(y));
    if (!s) return false;
    const std::uint32_t n = shape_.back();
    MLOperand x = s->from;
    bool neighbors = s->stride == 2;
    if (x.shape() != shape_) {  // perhaps [..., pairs, 2]
      neighbors = true;
      if (x.rank() == 0 || x.shape().back() != 2 || s->size != 1) return false;
      x = before_reshapes(x);
      if (s->start != (second ? 1 : 0)) return false;
    } else if (s->size != n / 2 || s->start != (second ? (neighbors ? 1 : n / 2) : 0)) {
      return false;
    } else if (s->stride > 2) {
      return false;
    }
    const bool interleaved = found_.options.pairs == RotaryPairs::interleaved;
    if (n > 2 && neighbors != interleaved) return false;
    if (!found_.input) found_.input = x;
    return found_.input.is(x);
  }
  /// What has the shape of the result, or else is not reshaped; others may read it.
  MLOperand before_reshapes(MLOperand x) const {
    const ops::reshape* op = nullptr;
    while (x.shape() != shape_ && (op = made_by<ops::reshape>(graph_, x))) x = op->input;
    return x;
  }
  std::optional<Selection> select(const MLOperand& y) {
    if (const auto* slice = parts_.take<ops::slice>(y)) return selection_of(*slice);
    if (const auto* gather = parts_.take<ops::gather>(y)) return selection_of(*gather);
    const auto* split = parts_.take<ops::split>(y);
    return split ? selection_of(*split, graph_.producer_of(y), y) : std::nullopt;
  }

  const Graph& graph_;
  Parts parts_;
  const Dims& shape_;
  Dims half_;
  fused::rotaryEmbedding found_{};
};

}  // namespace

Graph recognize_rotary_embedding(const Graph& graph) {
  if (!has_any<ops::concat>(graph)) return graph;
  const auto readers = reader_counts(graph);
  return with_replaced(graph, [&](const Node& node, Rewriter& to) -> std::optional<MLOperand> {
    const MLOperand& y = node.output();
    if (y.rank() == 0 || y.dataType() != float32) return std::nullopt;
    auto found = Search(graph, readers, y.shape()).run(y);
    if (!found) return std::nullopt;
    found->input = to(found->input);
    if (found->input.shape() != y.shape())
      found->input = to.add(ops::reshape{found->input, y.shape()}, y.descriptor());
    found->cos = to(found->cos);
    found->sin = to(found->sin);
    found->options.label = std::string(node.label());
    return to.add(std::move(*found), y.descriptor());
  });
}

}  // namespace webnn::inline v0_1
