#include "src/kernels/common/rotary_embedding.h"

#include "src/kernels/common/chain_operands.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t length = 7;

/// `producer(x)` is the node with the result x, if it may be one of the operators.
template <class Producer> class Matcher {
 public:
  explicit Matcher(Producer producer) : producer_(producer) {}

  RotaryEmbedding found{};
  std::vector<Node> nodes{};  // the last one first

  bool run(const Node& node) {
    const auto* sum = node.as<ops::add>();
    return sum && (matches(node, sum->a, sum->b) || matches(node, sum->b, sum->a));
  }

 private:
  template <class Op> const Op* take(const MLOperand& x) {
    const std::optional<Node> node = producer_(x);
    const Op* op = node ? node->template as<Op>() : nullptr;
    if (op) nodes.push_back(*node);
    return op;
  }

  bool matches(const Node& sum, const MLOperand& plain, const MLOperand& rotated) {
    for (const bool swapped : {false, true}) {
      nodes.assign(1, sum);
      const auto* mul = take<ops::mul>(rotated);
      if (!mul) return false;
      found.sin = swapped ? mul->a : mul->b;
      if (rotation(swapped ? mul->b : mul->a) && product(plain) && fits(sum)) return true;
    }
    return false;
  }
  bool rotation(const MLOperand& y) {
    const auto* concat = take<ops::concat>(y);
    if (!concat || concat->inputs.size() != 2 || concat->axis + 1 != y.rank()) return false;
    const auto* neg = take<ops::neg>(concat->inputs[0]);
    const auto* second = neg ? take<ops::slice>(neg->input) : nullptr;
    const auto* first = second ? take<ops::slice>(concat->inputs[1]) : nullptr;
    if (!first || !first->input.is(second->input)) return false;
    found.x = first->input;
    const std::uint32_t half = found.x.shape().back() / 2;
    return is_part(*first, 0, half) && is_part(*second, half, half) && y.shape() == found.x.shape();
  }
  /// Whether a slice is these elements of every row.
  static bool is_part(const ops::slice& op, std::uint32_t begin, std::uint32_t size) {
    const Dims& shape = op.input.shape();
    Dims starts(shape.size()), sizes = shape;
    starts.back() = begin;
    sizes.back() = size;
    const bool steps =
        op.options.strides && *op.options.strides != Dims(shape.size(), std::uint32_t{1});
    return !steps && op.starts == starts && op.sizes == sizes;
  }
  bool product(const MLOperand& y) {
    const auto* mul = take<ops::mul>(y);
    if (!mul) return false;
    found.cos = other_operand<ops::mul>(nodes.back(), found.x);
    return static_cast<bool>(found.cos);
  }
  bool fits(const Node& sum) const {
    const Dims& shape = found.x.shape();
    const auto rows = [&](const MLOperand& x) {
      return x.rank() > 0 && x.rank() <= shape.size() && x.shape().back() == shape.back() &&
             !std::any_of(nodes.begin(), nodes.end(),
                          [&](const Node& n) { return x.is(n.output()); });
    };
    return sum.output().shape() == shape && rows(found.cos) && rows(found.sin);
  }

  Producer producer_;
};

}  // namespace

std::vector<Node> rotary_embedding_before(const Graph& graph, const Node& sum) {
  Matcher match([&](const MLOperand& x) {
    const bool result = x.record().kind == OperandKind::result;
    return result ? std::optional(graph.producer_of(x)) : std::nullopt;
  });
  if (!match.run(sum)) return {};
  std::vector<Node> nodes = std::move(match.nodes);
  const auto place = [](const Node& n) { return n.output().record().producer; };
  std::sort(nodes.begin(), nodes.end(),
            [&](const Node& a, const Node& b) { return place(a) < place(b); });
  return all_float32(nodes) ? nodes : std::vector<Node>();
}

std::optional<RotaryEmbedding> rotary_embedding_of(Chain chain) {
  if (chain.size() != length || !all_float32(chain)) return std::nullopt;
  Matcher match([&](const MLOperand& x) {
    const auto found =
        std::find_if(chain.begin(), chain.end(), [&](const Node& n) { return x.is(n.output()); });
    return found == chain.end() ? std::nullopt : std::optional(*found);
  });
  return match.run(chain.back()) ? std::optional(match.found) : std::nullopt;
}

}  // namespace webnn::inline v0_1
