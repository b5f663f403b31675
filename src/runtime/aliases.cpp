#include "src/runtime/aliases.h"

#include <algorithm>

#include "src/graph/op.h"
#include "src/passes/permutation.h"

namespace webnn::inline v0_1 {
namespace {

using Aliases = std::vector<std::optional<Alias>>;

Aliases whole(const MLOperand& x) { return {Alias{x.record().id, 0}}; }

/// The element at which a box begins, if the box is contiguous in a tensor of that shape: after
/// the first dimension of which it holds more than one but not all, it holds everything.
std::optional<std::size_t> contiguous(const Dims& shape, const Dims& starts, const Dims& sizes) {
  std::size_t first = 0;
  bool partial = false;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (partial && sizes[i] != 1) return std::nullopt;
    partial |= sizes[i] != shape[i];
  }
  for (std::size_t i = 0; i < shape.size(); ++i) first = first * shape[i] + starts[i];
  return first;
}

std::optional<Alias> box(const MLOperand& x, const Dims& starts, const Dims& sizes) {
  const auto first = contiguous(x.shape(), starts, sizes);
  const auto bits = static_cast<std::size_t>(bits_of(x.dataType()));
  if (!first || *first * bits % 8 != 0) return std::nullopt;
  return Alias{x.record().id, *first * bits / 8};
}

Aliases slice_alias(const ops::slice& op, const MLOperand& y) {
  if (op.options.strides)
    for (std::size_t i = 0; i < op.sizes.size(); ++i)
      if ((*op.options.strides)[i] != 1 && y.shape()[i] != 1) return {};
  if (auto v = box(op.input, op.starts, y.shape())) return {v};
  return {};
}

Aliases split_aliases(const ops::split& op, std::span<const MLOperand> parts) {
  Aliases all;
  Dims starts(op.input.rank());
  for (const MLOperand& y : parts) {
    all.push_back(box(op.input, starts, y.shape()));
    if (!all.back()) return {};
    starts[op.options.axis] += y.shape()[op.options.axis];
  }
  return all;
}

}  // namespace

Aliases aliases_of(const Node& node) {
  const MLOperand& y = node.output();
  if (const auto* op = as<ops::identity>(node)) return whole(op->input);
  if (const auto* op = as<ops::reshape>(node)) return whole(op->input);
  if (const auto* op = as<ops::cast>(node))
    return op->input.dataType() == op->dataType ? whole(op->input) : Aliases();
  if (const auto* op = as<ops::expand>(node))
    return element_count(op->input.shape()) == element_count(y.shape()) ? whole(op->input)
                                                                        : Aliases();
  if (const auto* op = as<ops::slice>(node)) return slice_alias(*op, y);
  if (const auto* op = as<ops::split>(node)) return split_aliases(*op, node.outputs());
  if (const auto* op = as<ops::transpose>(node))
    return keeps_order(op->input.shape(), ops::permutation_of(*op)) ? whole(op->input) : Aliases();
  return {};
}

std::vector<bool> computed_in_outputs(const Graph& graph) {
  std::vector<bool> found(graph.size());
  // By operand: whose memory it is, and whether that memory is given: of the caller, of a constant,
  // or a part of other memory.
  std::vector<std::size_t> owner(graph.operand_count());
  std::vector<bool> output(graph.operand_count()), given(graph.operand_count());
  for (const auto& [name, x] : graph.outputs()) output[x.record().id] = true;
  for (std::size_t id = 0; id < owner.size(); ++id) {
    owner[id] = id;
    given[id] = output[id] || graph.operand(id).record().kind != OperandKind::result;
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    const Aliases views = aliases_of(node);
    if (views.empty()) continue;
    const auto& results = node.outputs();
    const bool runs = std::any_of(results.begin(), results.end(),
                                  [&](const MLOperand& y) { return output[y.record().id]; });
    if (results.size() == 1) {
      const std::size_t y = results[0].record().id, x = owner[views[0]->operand];
      if (byte_length(graph.operand(x).descriptor()) == byte_length(results[0].descriptor())) {
        if (!runs) owner[y] = x;
        else if (!given[x]) found[i] = given[x] = true;
        continue;
      }
    }
    if (!runs)
      for (const MLOperand& y : results) given[y.record().id] = true;
  }
  return found;
}

}  // namespace webnn::inline v0_1
