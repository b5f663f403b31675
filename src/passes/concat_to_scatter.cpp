// A concat of slices of an input of the graph, each at its own place, and one other operand is an
// assignment to the rest of that input: a scatterElements, which can be done in place.
#include <algorithm>

#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::uint64_t max_indices = 1 << 18;

/// The operand that a slice takes a part of, if the part is [begin, begin + size) along the axis
/// and all of it else.
std::optional<MLOperand> part_of(const Graph& graph, const MLOperand& x, std::uint32_t axis,
                                 std::uint32_t begin) {
  if (x.record().kind != OperandKind::result) return std::nullopt;
  const auto* slice = graph.producer_of(x).as<ops::slice>();
  if (!slice || slice->input.record().kind != OperandKind::input) return std::nullopt;
  for (std::uint32_t d = 0; d < x.rank(); ++d) {
    if (slice->options.strides && (*slice->options.strides)[d] != 1) return std::nullopt;
    if (slice->starts[d] != (d == axis ? begin : 0)) return std::nullopt;
    if (d != axis && slice->sizes[d] != slice->input.shape()[d]) return std::nullopt;
  }
  return slice->input;
}

/// The input, and what is written to it from `begin` on.
struct Assignment {
  MLOperand input{}, values{};
  std::uint32_t begin = 0;
};

std::optional<Assignment> assignment_of(const Graph& graph, const ops::concat& op,
                                        const MLOperand& result) {
  Assignment a;
  std::uint32_t at = 0;
  for (const MLOperand& x : op.inputs) {
    const auto whole = part_of(graph, x, op.axis, at);
    if (whole && (!a.input || a.input.is(*whole))) {
      a.input = *whole;
    } else {
      if (a.values) return std::nullopt;
      a.values = x;
      a.begin = at;
    }
    at += x.shape()[op.axis];
  }
  if (!a.input || !a.values || a.input.shape() != result.shape()) return std::nullopt;
  const std::uint64_t count = element_count(a.values.shape());
  if (count > max_indices || 4 * count > element_count(result.shape())) return std::nullopt;
  return a;
}

}  // namespace

Graph concat_to_scatter(const Graph& graph) {
  if (!has_any<ops::concat>(graph) || !has_any<ops::slice>(graph)) return graph;
  bool any = false;
  Rewriter to(graph);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    const auto* op = as<ops::concat>(node);
    const auto a = op ? assignment_of(graph, *op, node.output()) : std::nullopt;
    if (!a) {
      to.keep(i);
      continue;
    }
    any = true;
    const Dims& shape = a->values.shape();
    std::vector<std::int32_t> indices(element_count(shape));
    std::size_t inner = 1;
    for (std::size_t d = op->axis + 1; d < shape.size(); ++d) inner *= shape[d];
    for (std::size_t k = 0; k < indices.size(); ++k)
      indices[k] = static_cast<std::int32_t>(a->begin + k / inner % shape[op->axis]);
    to.replace(
        node.output(),
        to.add(
            ops::scatterElements{
                to(a->input),
                to.constant({int32, shape}, Constant::copy_of(std::as_bytes(std::span(indices)))),
                to(a->values),
                {.axis = op->axis, .label = op->options.label}},
            node.output().descriptor()));
  }
  return any ? to.finish() : graph;
}

}  // namespace webnn::inline v0_1
