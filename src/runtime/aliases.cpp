#include "src/runtime/aliases.h"

#include "src/passes/permutation.h"

namespace webnn {
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
  if (const auto* op = node.as<ops::identity>()) return whole(op->input);
  if (const auto* op = node.as<ops::reshape>()) return whole(op->input);
  if (const auto* op = node.as<ops::cast>())
    return op->input.dataType() == op->dataType ? whole(op->input) : Aliases();
  if (const auto* op = node.as<ops::expand>())
    return element_count(op->input.shape()) == element_count(y.shape()) ? whole(op->input)
                                                                        : Aliases();
  if (const auto* op = node.as<ops::slice>()) return slice_alias(*op, y);
  if (const auto* op = node.as<ops::split>()) return split_aliases(*op, node.outputs());
  if (const auto* op = node.as<ops::transpose>())
    return keeps_order(op->input.shape(), ops::permutation_of(*op)) ? whole(op->input) : Aliases();
  return {};
}

}  // namespace webnn
