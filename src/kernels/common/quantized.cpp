#include "src/kernels/common/quantized.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "src/graph/op.h"
#include "src/kernels/common/convolution.h"
#include "src/kernels/common/fused.h"

namespace webnn::inline v0_1 {
namespace {

using enum MLOperandDataType;

template <class T> std::vector<std::int32_t> copied(std::span<const std::byte> from) {
  std::vector<std::int32_t> to(from.size() / sizeof(T));
  for (std::size_t i = 0; i < to.size(); ++i) {
    T v;
    std::memcpy(&v, from.data() + i * sizeof(T), sizeof(T));
    to[i] = static_cast<std::int32_t>(v);
  }
  return to;
}

/// Returns the quantization of a tensor of that rank.
std::optional<QuantizationParams> quantization_of(MLOperandDataType type, std::uint32_t rank,
                                                  const MLOperand& scale, const MLOperand& zero) {
  const bool known =
      type == int4 || type == uint4 || type == int8 || type == uint8 || type == int32;
  if (!known || !scale.constant() || !zero.constant() || scale.dataType() != float32)
    return std::nullopt;
  const auto scales = floats_of(scale);
  QuantizationParams q{type, scale.shape(), {scales.begin(), scales.end()}, integers_of(zero)};
  q.shape.insert(q.shape.begin(), rank - scale.rank(), 1);
  // So that no quotient or product of a few of them overflows or loses precision.
  for (float s : q.scale)
    if (!(s >= 1e-12f && s <= 1e12f)) return std::nullopt;
  for (std::int32_t z : q.zero)
    if (std::abs(static_cast<std::int64_t>(z)) > 1 << 24) return std::nullopt;
  return q;
}

/// The operand of the operator, and its dequantizeLinear in the chain.
std::optional<QuantizedOperand> operand_of(const MLOperand& x, Chain chain,
                                           const std::vector<MLOperand>& inputs) {
  QuantizedOperand operand{.as_read = x};
  if (x.constant()) return operand;
  const auto maker = [&](const MLOperand& of) -> const Node* {
    for (const Node& node : chain)
      if (node.output().is(of)) return &node;
    return nullptr;
  };
  const Node* node = maker(x);
  if (node && node->as<ops::reshape>()) node = maker(node->as<ops::reshape>()->input);
  const auto* op = node ? node->as<ops::dequantizeLinear>() : nullptr;
  if (!op) return std::nullopt;
  auto q = quantization_of(op->input.dataType(), op->input.rank(), op->scale, op->zeroPoint);
  if (!q) return std::nullopt;
  operand.x = op->input;
  operand.q = std::move(*q);
  const auto found = std::find_if(inputs.begin(), inputs.end(),
                                  [&](const MLOperand& i) { return i.is(op->input); });
  operand.slot = static_cast<int>(found - inputs.begin());
  return operand;
}

/// Narrows the bounds by a node that follows the operator.
void add_between(QuantizedChain& c, const Node& node) {
  c.between.push_back(node);
  if (as<ops::reshape>(node)) return;
  const auto e = activation_of(node);
  if (!e || !e->clamps()) {
    c.clamps = false;
    return;
  }
  const std::int32_t low = quantized(e->lo, c.result), high = quantized(e->hi, c.result);
  c.low = std::min(std::max(c.low, low), high);
  c.high = std::min(std::max(c.high, low), high);
}

}  // namespace

std::pair<std::int64_t, std::int64_t> limits_of(MLOperandDataType type) {
  switch (type) {
    case int4: return {-8, 7};
    case uint4: return {0, 15};
    case int8: return {-128, 127};
    case uint8: return {0, 255};
    default: return {-2147483648LL, 2147483647LL};
  }
}

std::vector<std::int32_t> integers_of(const MLOperand& constant) {
  const auto bytes = constant.constant()->bytes();
  switch (constant.dataType()) {
    case int8: return copied<std::int8_t>(bytes);
    case uint8: return copied<std::uint8_t>(bytes);
    case int32: return copied<std::int32_t>(bytes);
    case int4:
    case uint4: break;
    default: return {};
  }
  std::vector<std::int32_t> to(element_count(constant.shape()));
  for (std::size_t i = 0; i < to.size(); ++i) {
    const int v = static_cast<int>(bytes[i / 2]) >> (i % 2 * 4) & 15;
    to[i] = constant.dataType() == int4 && v > 7 ? v - 16 : v;
  }
  return to;
}

std::int32_t quantized(double v, const QuantizationParams& q, std::size_t i) {
  const auto [low, high] = limits_of(q.type);
  const float quotient = static_cast<float>(v) / q.scale[i];
  const double r = std::nearbyint(double{quotient}) + q.zero[i];
  return static_cast<std::int32_t>(
      std::min(std::max(r, static_cast<double>(low)), static_cast<double>(high)));
}

std::variant<QuantizedChain, Refusal> quantized_chain(Chain chain) {
  const auto* last = chain.back().as<ops::quantizeLinear>();
  if (!last) return Refusal{"it does not end with quantizeLinear"};
  const auto is_operand = [&](std::size_t i) {
    if (chain[i].as<ops::dequantizeLinear>()) return true;
    if (i == 0 || !chain[i].as<ops::reshape>()) return false;
    return chain[i - 1].as<ops::dequantizeLinear>() != nullptr;
  };
  std::size_t first = 0;
  while (first + 1 < chain.size() && is_operand(first)) ++first;
  if (first == 0) return Refusal{"it does not begin with dequantizeLinear"};
  QuantizedChain c{.op = chain[first], .y = chain.back().output()};
  auto result =
      quantization_of(last->zeroPoint.dataType(), last->input.rank(), last->scale, last->zeroPoint);
  if (!result || !result->is_activation())
    return Refusal{"the result is not of 8 bits with one constant scale"};
  c.result = std::move(*result);
  c.low = quantized(-HUGE_VAL, c.result);
  c.high = quantized(HUGE_VAL, c.result);
  const auto inputs = inputs_of(chain);
  const bool requantizes = first + 1 == chain.size();
  for (const MLOperand& x : c.op.inputs()) {
    auto operand = operand_of(x, chain, inputs);
    if (!operand) return Refusal{"a scale or zero point that is not constant, or out of range"};
    c.operands.push_back(std::move(*operand));
    if (requantizes) break;  // without scale and zeroPoint
  }
  for (std::size_t i = first + 1; i + 1 < chain.size(); ++i) add_between(c, chain[i]);
  return c;
}

}  // namespace webnn::inline v0_1
