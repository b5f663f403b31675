// Removes a transposition before an image is flattened for a gemm: the constant matrix of the gemm
// is permuted instead.
#include <cstring>

#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {
namespace {

struct Flatten {
  const ops::transpose* transpose;
  Dims order;
};

/// gemm(reshape(transpose(x), [rows, depth]), constant), where the transposition leaves the rows
/// alone.
std::optional<Flatten> flatten_of(const Graph& graph, const ops::gemm& gemm) {
  const auto made_by = [&](const MLOperand& x) -> std::optional<Node> {
    if (x.record().kind != OperandKind::result) return std::nullopt;
    return graph.producer_of(x);
  };
  if (gemm.options.aTranspose || gemm.b.record().kind != OperandKind::constant) return std::nullopt;
  const auto maker = made_by(gemm.a);
  const auto* reshape = maker ? maker->as<ops::reshape>() : nullptr;
  const auto before = reshape ? made_by(reshape->input) : std::nullopt;
  const auto* transpose = before ? before->as<ops::transpose>() : nullptr;
  if (!transpose) return std::nullopt;
  Dims order = ops::permutation_of(*transpose);
  const Dims& shape = transpose->input.shape();
  if (order.empty() || order[0] != 0 || shape[0] != gemm.a.shape()[0]) return std::nullopt;
  return Flatten{transpose, std::move(order)};
}

/// For each element of a row of x, where it is in a row of transpose(x).
std::vector<std::size_t> places_of(const Dims& shape, const Dims& order) {
  const std::size_t rank = shape.size();
  std::vector<std::size_t> stride(rank, 0);  // in transpose(x), by dimension of x
  std::size_t next = 1;
  for (std::size_t i = rank; i-- > 1; next *= shape[order[i]]) stride[order[i]] = next;
  std::vector<std::size_t> places(next);
  for (std::size_t k = 0; k < next; ++k)
    for (std::size_t d = rank, rest = k; d-- > 1; rest /= shape[d])
      places[k] += rest % shape[d] * stride[d];
  return places;
}

/// The constant matrix with its rows (columns if transposed) in another order.
Constant reordered(const Constant& b, const MLOperandDescriptor& d, bool transposed,
                   const std::vector<std::size_t>& places) {
  const std::size_t size = static_cast<std::size_t>(bits_of(d.dataType)) / 8;
  const std::size_t rows = d.shape[0], columns = d.shape[1];
  const auto from = b.bytes();
  std::vector<std::byte> to(from.size());
  for (std::size_t r = 0; r < rows; ++r) {
    if (transposed) {
      for (std::size_t c = 0; c < columns; ++c)
        std::memcpy(&to[(r * columns + c) * size], &from[(r * columns + places[c]) * size], size);
    } else {
      std::memcpy(&to[r * columns * size], &from[places[r] * columns * size], columns * size);
    }
  }
  return Constant::copy_of(to);
}

}  // namespace

Graph remove_redundant_reshapes(const Graph& graph) {
  if (!has_any<ops::gemm>(graph)) return graph;
  Rewriter to(graph);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    const auto* op = as<ops::gemm>(node);
    const auto flatten = op ? flatten_of(graph, *op) : std::nullopt;
    if (!flatten) {
      to.keep(i);
      continue;
    }
    const MLOperand& x = flatten->transpose->input;
    ops::gemm gemm = *op;
    gemm.a = to.add(ops::reshape{to(x), op->a.shape()}, op->a.descriptor());
    const MLOperandDescriptor d = op->b.descriptor();
    const bool transposed = op->options.bTranspose;
    Dims shape = x.shape();
    shape[0] = 1;  // the rows stay
    gemm.b =
        to.derived(d, Recipe("reorder") << d << transposed << shape << flatten->order,
                   *op->b.constant(), [=, order = flatten->order](std::span<const Constant> from) {
                     return reordered(from.front(), d, transposed, places_of(shape, order));
                   });
    if (op->options.c) gemm.options.c = to(*op->options.c);
    to.replace(node.output(), to.add(std::move(gemm), node.output().descriptor()));
  }
  return to.finish();
}

}  // namespace webnn::inline v0_1
