// Replaces a matmul whose second operand is one matrix for all batches by a gemm over all rows, and
// makes a constant vector that is added to the result the c of the gemm.
#include "src/kernels/common/small_weights.h"
#include "src/passes/passes.h"
#include "src/passes/quantized_operators.h"
#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {
namespace {

/// Whether all dimensions of x but the last two are 1.
bool is_matrix(const Dims& shape) {
  for (std::size_t d = 0; d + 2 < shape.size(); ++d)
    if (shape[d] != 1) return false;
  return true;
}

/// A constant, or a constant that is dequantized or cast.
bool is_weight(const Graph& graph, const MLOperand& x) {
  if (x.record().kind == OperandKind::constant) return true;
  if (x.record().kind != OperandKind::result) return false;
  return dequantizes_constants(graph.producer_of(x)) || expanding_operator(graph, x);
}

MLOperand reshaped(Rewriter& to, const MLOperand& x, const Dims& shape) {
  if (x.shape() == shape) return x;
  return to.add(ops::reshape{x, shape}, {x.dataType(), shape});
}

MLOperand product(Rewriter& to, const ops::matmul& op, const MLOperand& result) {
  const Dims &a = op.a.shape(), &b = op.b.shape();
  const std::uint32_t depth = a.back(), columns = b.back();
  const auto rows = static_cast<std::uint32_t>(element_count(a) / depth);
  const MLOperand y = to.add(ops::gemm{reshaped(to, to(op.a), {rows, depth}),
                                       reshaped(to, to(op.b), {depth, columns}),
                                       {.label = op.options.label}},
                             {result.dataType(), {rows, columns}});
  return reshaped(to, y, result.shape());
}

/// A constant with one element for each column, or one for all, and as many dimensions at most.
bool is_row(const MLOperand& x, const Dims& shape) {
  if (x.record().kind != OperandKind::constant || x.rank() > shape.size()) return false;
  const std::uint64_t count = element_count(x.shape());
  return count == 1 || (count == shape.back() && x.shape().back() == shape.back());
}

struct Sum {
  const ops::gemm* gemm;
  MLOperand row;
};

/// An add of a constant row to a gemm that has no c yet, perhaps with a reshape between them.
std::optional<Sum> sum_of(const Graph& graph, const Node& node,
                          const std::vector<std::size_t>& readers) {
  const auto* add = as<ops::add>(node);
  if (!add) return std::nullopt;
  const bool swapped = add->a.record().kind == OperandKind::constant;
  MLOperand x = swapped ? add->b : add->a;
  const MLOperand& row = swapped ? add->a : add->b;
  if (x.shape() != node.output().shape() || !is_row(row, x.shape())) return std::nullopt;
  const std::uint32_t columns = x.shape().empty() ? 0 : x.shape().back();
  const auto made_here = [&] {
    return x.record().kind == OperandKind::result && readers[x.record().id] == 1;
  };
  if (!made_here()) return std::nullopt;
  if (const auto* reshape = graph.producer_of(x).as<ops::reshape>()) x = reshape->input;
  if (!made_here()) return std::nullopt;
  const auto* gemm = graph.producer_of(x).as<ops::gemm>();
  if (!gemm || gemm->options.c || x.shape().back() != columns) return std::nullopt;
  return Sum{gemm, row};
}

}  // namespace

Graph matmul_to_gemm(const Graph& graph) {
  if (!has_any<ops::matmul>(graph)) return graph;
  return with_replaced(graph, [&](const Node& node, Rewriter& to) -> std::optional<MLOperand> {
    const auto* op = as<ops::matmul>(node);
    if (!op || !is_matrix(op->b.shape()) || !(is_weight(graph, op->b) || is_matrix(op->a.shape())))
      return std::nullopt;
    return product(to, *op, node.output());
  });
}

Graph fold_bias(const Graph& graph) {
  if (!has_any<ops::gemm>(graph)) return graph;
  const auto readers = reader_counts(graph);
  return with_replaced(graph, [&](const Node& node, Rewriter& to) -> std::optional<MLOperand> {
    const auto sum = sum_of(graph, node, readers);
    if (!sum) return std::nullopt;
    ops::gemm gemm = *sum->gemm;
    gemm.a = to(gemm.a);
    gemm.b = to(gemm.b);
    gemm.options.beta = 1;
    gemm.options.c = to.constant(
        {sum->row.dataType(), {static_cast<std::uint32_t>(element_count(sum->row.shape()))}},
        *sum->row.constant());
    const MLOperand& y = node.output();
    const std::uint32_t columns = y.shape().back();
    const auto rows = static_cast<std::uint32_t>(element_count(y.shape()) / columns);
    return reshaped(to, to.add(std::move(gemm), {y.dataType(), {rows, columns}}), y.shape());
  });
}

}  // namespace webnn::inline v0_1
