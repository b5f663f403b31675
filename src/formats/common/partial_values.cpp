#include "src/formats/common/partial_values.h"

#include <cstring>
#include <unordered_set>

#include "src/builder/builder_state.h"
#include "src/formats/common/fold.h"
#include "src/graph/resolve.h"
#include "src/graph/traits.h"
#include "src/kernels/reference/evaluate.h"

namespace webnn::inline v0_1::formats {
namespace {

constexpr int max_depth = 256;  // of operators on the way to a value that is worked out at once

const NodeData& producer_of(const MLGraphBuilder& b, const MLOperand& x) {
  return detail::state_of(b)->data.nodes[x.record().producer];
}

template <class T> bool is(const NodeData& node) {
  return node.op.kind() == ops::DeclaredOps::index_of<T>();
}

bool is_small(const MLOperand& x) {
  return !x.is_open() && element_count(x.shape()) <= max_folded && bits_of(x.dataType()) >= 8;
}

std::size_t width_of(const MLOperand& x) {
  return static_cast<std::size_t>(bits_of(x.dataType())) / 8;
}

bool any(const std::vector<bool>& list) { return std::ranges::find(list, true) != list.end(); }

/// For each element of a result that element of an operand, which is broadcast to it.
std::vector<std::size_t> broadcast_places(const Dims& from, const Dims& to) {
  std::vector<std::size_t> places(element_count(to));
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::size_t rest = i, step = 1;
    for (std::size_t back = 1; back <= from.size(); ++back) {
      const std::size_t at = rest % to[to.size() - back], size = from[from.size() - back];
      places[i] += size == 1 ? 0 : at * step;
      rest /= to[to.size() - back];
      step *= size;
    }
  }
  return places;
}

}  // namespace

MLOperand PartialValues::add(const MLOperandDescriptor& d, Constant bytes) {
  return scratch_.add(
      {.descriptor = d, .kind = OperandKind::constant, .constant = std::move(bytes)});
}

/// 1 where an element is not known, else 0.
MLOperand PartialValues::marks(const Value& v) {
  const std::size_t width = width_of(v.constant);
  std::vector<std::byte> bytes(v.unknown.size() * width);
  for (std::size_t i = 0; i < v.unknown.size(); ++i)
    bytes[i * width] = static_cast<std::byte>(v.unknown[i]);
  return add(v.constant.descriptor(), Constant::copy_of(bytes));
}

PartialValues::Found PartialValues::sizes(const MLOperand& x, const MLOperand& of,
                                          std::uint32_t first, std::size_t n) {
  const auto dimensions = of.dimensions();
  if (!dimensions || first + n > dimensions->size()) return std::nullopt;
  std::vector<std::uint32_t> values;
  std::vector<bool> unknown;
  for (std::size_t d = first; d < first + n; ++d) {
    unknown.push_back((*dimensions)[d].is_open());
    values.push_back(unknown.back() ? 1 : (*dimensions)[d].size());
  }
  return Value{add(x.descriptor(), Constant::copy_of(std::as_bytes(std::span(values)))), unknown};
}

PartialValues::Found PartialValues::reshaped(const MLOperand& x, const Value& v) {
  return Value{add(x.descriptor(), *v.constant.constant()), v.unknown};
}

Constant PartialValues::run(const MLOperand& x, const NodeData& node,
                            const std::vector<MLOperand>& operands) {
  Op op = node.op.clone();
  std::size_t i = 0;
  for (MLOperand* operand : op.operands()) *operand = operands[i++];
  return evaluate(Node(op.kind(), op.get(), node.outputs))[x.record().output];
}

/// Which elements of the result follow from elements that are not known; nothing when that is not
/// clear.
std::optional<std::vector<bool>> PartialValues::unknown_in(
    const MLOperand& x, const NodeData& node, const std::vector<const Value*>& operands) {
  std::vector<bool> unknown(element_count(x.shape()));
  const ops::Traits& traits = traits_of(node.op.kind());
  if (traits.element_wise) {
    for (const Value* v : operands) {
      const auto places = broadcast_places(v->constant.shape(), x.shape());
      for (std::size_t i = 0; i < unknown.size(); ++i)
        if (v->unknown[places[i]]) unknown[i] = true;
    }
    return unknown;
  }
  if (!traits.rearranges) return std::nullopt;
  const bool indexed =
      is<ops::gather>(node) || is<ops::gatherElements>(node) || is<ops::gatherND>(node);
  std::vector<MLOperand> marked;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (indexed && i > 0 && any(operands[i]->unknown)) return std::nullopt;
    marked.push_back(indexed && i > 0 ? operands[i]->constant : marks(*operands[i]));
  }
  const Constant moved = run(x, node, marked);
  const std::size_t width = width_of(x);
  for (std::size_t i = 0; i < unknown.size(); ++i)
    unknown[i] = moved.bytes()[i * width] != std::byte{0};
  return unknown;
}

PartialValues::Found PartialValues::evaluated(const MLOperand& x, const NodeData& node,
                                              const std::vector<const Value*>& operands) {
  const bool known = std::ranges::none_of(operands, [](const Value* v) { return any(v->unknown); });
  auto unknown =
      known ? std::vector<bool>(element_count(x.shape())) : unknown_in(x, node, operands);
  if (!unknown) return std::nullopt;
  std::vector<MLOperand> values;
  for (const Value* v : operands) values.push_back(v->constant);
  return Value{add(x.descriptor(), run(x, node, values)), std::move(*unknown)};
}

PartialValues::Found PartialValues::work_out(const MLOperand& x, int depth) {
  if (!is_small(x) || depth > max_depth || x.record().kind == OperandKind::input)
    return std::nullopt;
  if (x.constant()) return Value{x, std::vector<bool>(element_count(x.shape()))};
  const NodeData& node = producer_of(builder_, x);
  const std::vector<const MLOperand*> operands = operands_of(node.op.kind(), node.op.get());
  if (is<ops::shapeOf>(node)) return sizes(x, *operands[0], 0, x.shape()[0]);
  if (is<ops::dimension>(node))
    return sizes(x, *operands[0], static_cast<const ops::dimension*>(node.op.get())->axis, 1);
  if (!std::ranges::all_of(node.outputs, is_small)) return std::nullopt;
  std::vector<const Value*> values;
  for (const MLOperand* operand : operands) {
    const Found& found = find(*operand, depth + 1);
    if (!found) return std::nullopt;
    values.push_back(&*found);
  }
  if (is<ops::squeeze>(node) || is<ops::unsqueeze>(node)) return reshaped(x, *values[0]);
  if (is_shape_op(node.op.kind()) ||
      !can_evaluate(Node(node.op.kind(), node.op.get(), node.outputs)))
    return std::nullopt;
  return evaluated(x, node, values);
}

const PartialValues::Found& PartialValues::find(const MLOperand& x, int depth) {
  if (const auto found = known_.find(&x.record()); found != known_.end()) return found->second;
  Found value = work_out(x, depth);
  return known_.emplace(&x.record(), std::move(value)).first->second;
}

std::optional<std::vector<std::optional<std::int64_t>>> PartialValues::elements(
    const MLOperand& x) {
  if (is_float(x.dataType())) return std::nullopt;
  const Found& found = find(x);
  if (!found) return std::nullopt;
  const auto bytes = found->constant.constant()->bytes();
  const std::size_t width = width_of(x);
  const bool is_signed = types::signed_numbers.contains(x.dataType());
  std::vector<std::optional<std::int64_t>> all;
  for (std::size_t i = 0; i < found->unknown.size(); ++i) {
    all.emplace_back();
    if (found->unknown[i]) continue;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &bytes[i * width], width);
    const auto shift = 64 - 8 * width;
    all.back() = is_signed ? static_cast<std::int64_t>(bits << shift) >> shift
                           : static_cast<std::int64_t>(bits);
  }
  return all;
}

SizeList PartialValues::list(const MLOperand& x) {
  const auto numbers = elements(x);
  const std::uint32_t n = x.rank() == 0 ? 1 : x.shape()[0];
  SizeList all;
  for (std::uint32_t k = 0; k < n; ++k)
    all.push_back(Size::element(x, k, numbers ? (*numbers)[k] : std::nullopt));
  return all;
}

std::optional<MLOperand> PartialValues::constant(const MLOperand& x) {
  if (x.constant()) return x;
  const Found& found = find(x);
  if (!found || any(found->unknown)) return std::nullopt;
  return builder_.constant(x.descriptor(), *found->constant.constant());
}

bool PartialValues::follows_from_shapes(const MLOperand& x) {
  std::unordered_set<const OperandRecord*> seen;
  std::vector<const MLOperand*> open{&x};
  while (!open.empty()) {
    const MLOperand& y = *open.back();
    open.pop_back();
    if (!seen.insert(&y.record()).second || y.constant()) continue;
    if (y.record().kind == OperandKind::input) return false;
    const NodeData& node = producer_of(builder_, y);
    if (is<ops::shapeOf>(node) || is<ops::rank>(node) || is<ops::dimension>(node)) continue;
    for (const MLOperand* operand : operands_of(node.op.kind(), node.op.get()))
      open.push_back(operand);
  }
  return true;
}

}  // namespace webnn::inline v0_1::formats
