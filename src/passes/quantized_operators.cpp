#include "src/passes/quantized_operators.h"

#include <algorithm>

#include "src/graph/fused/operators.h"
#include "src/graph/op.h"
#include "src/kernels/common/fused.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t longest_tail = 6;

bool is_constant(const MLOperand& x) { return x.record().kind == OperandKind::constant; }

/// float8e4m3 is no integer: dequantizeLinear and quantizeLinear of it stay as they are.
const ops::dequantizeLinear* dequantizes_integers(const Node& node) {
  const auto* op = node.as<ops::dequantizeLinear>();
  return op && !is_float(op->input.dataType()) ? op : nullptr;
}

bool has_weights(const Node& node) {
  return as<ops::conv2d>(node) || as<ops::gemm>(node) || as<ops::matmul>(node);
}

}  // namespace

QuantizedOperators::QuantizedOperators(const Graph& graph, Between between)
    : graph_(graph), between_(between), reads_(graph.operand_count()) {
  for (std::size_t i = 0; i < graph.size(); ++i)
    for (const MLOperand& x : graph.node(i).inputs()) {
      Readers& r = reads_[x.record().id];
      ++r.count;
      r.node = i;
    }
  for (const auto& [name, x] : graph.outputs()) reads_[x.record().id].count += 2;
}

/// Adds the dequantizeLinear that an operand comes from; false if it comes from another operator.
bool QuantizedOperators::add_operand(const MLOperand& x, std::vector<std::size_t>& places,
                                     bool& computed) const {
  if (is_constant(x)) return true;
  if (x.record().kind != OperandKind::result) return false;
  std::vector<std::size_t> found{x.record().producer};
  const Node first = graph_.node(found[0]);
  const bool transposed = as<ops::transpose>(first);
  if (transposed || as<ops::reshape>(first)) {
    if (first.input(0).record().kind != OperandKind::result) return false;
    found.insert(found.begin(), first.input(0).record().producer);
  }
  const auto* dequantize = dequantizes_integers(graph_.node(found[0]));
  // convert_to_nhwc transposes the integers of weights.
  if (!dequantize) return false;
  if (transposed && between_ != Between::transpose && !is_constant(dequantize->input)) return false;
  computed |= !is_constant(dequantize->input);
  for (std::size_t i : found)
    if (std::find(places.begin(), places.end(), i) == places.end()) places.push_back(i);
  return true;
}

/// Adds what follows the operator, up to quantizeLinear; false if something else ends it.
bool QuantizedOperators::add_tail(std::vector<std::size_t>& places) const {
  for (std::size_t n = 0; n < longest_tail; ++n) {
    const Node node = graph_.node(places.back());
    if (as<ops::quantizeLinear>(node)) return !is_float(node.output().dataType());
    if (node.outputs().size() != 1) return false;
    const Readers& r = reads_[node.output().record().id];
    if (r.count != 1) return false;
    const Node next = graph_.node(r.node);
    if (next.kind() >= ops::AllOps::size) return false;
    for (const MLOperand& x : next.inputs())
      if (!is_constant(x) && !x.is(node.output())) return false;
    places.push_back(r.node);
  }
  return false;
}

/// Adds the operator at place i behind the dequantizeLinear of its operands, one of which is
/// computed; false if there is another operand.
bool QuantizedOperators::add_operands(std::size_t i, std::vector<std::size_t>& places) const {
  const Node node = graph_.node(i);
  if (as<ops::dequantizeLinear>(node) || as<ops::reshape>(node)) return false;
  if (node.kind() >= ops::AllOps::size) return false;  // no kernel has integers for one
  bool computed = false;
  if (has_weights(node) && is_constant(node.input(1))) return false;
  for (const MLOperand& x : node.inputs())
    if (!add_operand(x, places, computed)) return false;
  places.push_back(i);
  return computed;
}

std::optional<std::vector<std::size_t>> QuantizedOperators::chain_around(std::size_t i) const {
  std::vector<std::size_t> places;
  if (!add_operands(i, places) || !add_tail(places)) return std::nullopt;
  return places;
}

std::optional<QuantizedOperators::Product> QuantizedOperators::product_around(std::size_t i) const {
  const Node node = graph_.node(i);
  if (!has_weights(node) || node.output().dataType() != float32 || is_constant(node.input(0)))
    return std::nullopt;
  Product product;
  if (!add_operands(i, product.places)) return std::nullopt;
  std::vector<std::size_t> weights;
  bool computed = false;
  if (!add_operand(node.input(1), weights, computed) || computed) return std::nullopt;
  product.shortest = product.places.size();
  for (std::size_t n = 0; n < longest_tail; ++n) {
    const Readers& r = reads_[graph_.node(product.places.back()).output().record().id];
    if (r.count != 1) break;
    const Node next = graph_.node(r.node);
    const bool fits =
        as<ops::mul>(next) || as<ops::add>(next) || as<ops::reshape>(next) || activation_of(next);
    if (!fits) break;
    product.places.push_back(r.node);
  }
  return product;
}

bool dequantizes_constants(const Node& node) {
  const auto* op = as<ops::dequantizeLinear>(node);
  return op && is_constant(op->input) && is_constant(op->scale) && is_constant(op->zeroPoint);
}

}  // namespace webnn::inline v0_1
