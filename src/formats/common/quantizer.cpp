#include "src/formats/common/quantizer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "src/graph/traits.h"

namespace webnn::inline v0_1::formats {

std::vector<double> elements_of(const MLOperand& x) {
  const auto bytes = x.constant()->bytes();
  std::vector<double> out(element_count(x.shape()));
  const auto read = [&]<class T>(T value) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
      out[i] = static_cast<double>(value);
    }
  };
  switch (x.dataType()) {
    case float32: read(float{}); break;
    case int32: read(std::int32_t{}); break;
    case uint32: read(std::uint32_t{}); break;
    case int8: read(std::int8_t{}); break;
    case uint8: read(std::uint8_t{}); break;
    default: out.clear();
  }
  return out;
}

std::optional<Quantizer> quantizer_of(const MLOperand& x, const MLOperand& scale,
                                      const MLOperand& zero_point) {
  if (!scale.constant() || !zero_point.constant() || scale.dataType() != float32)
    return std::nullopt;
  Quantizer q;
  const Dims& sizes = scale.shape();
  if (sizes.size() > x.rank()) return std::nullopt;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 1) continue;
    // The only dimension with more than one scale: one for each index.
    const std::size_t d = i + x.rank() - sizes.size();
    if (sizes[i] != element_count(sizes) || sizes[i] != x.shape()[d]) return std::nullopt;
    q.axis = static_cast<std::int32_t>(d);
  }
  for (const double v : elements_of(scale)) q.scale.push_back(static_cast<float>(v));
  for (const double v : elements_of(zero_point))
    q.zero_point.push_back(static_cast<std::int64_t>(v));
  if (q.zero_point.size() != q.scale.size()) return std::nullopt;
  for (const float v : q.scale)
    if (!(v > 0) || !std::isfinite(v)) return std::nullopt;
  return q;
}

const ops::dequantizeLinear* dequantized(const Graph& graph, const MLOperand& x) {
  if (x.record().kind != OperandKind::result) return nullptr;
  const auto* op = graph.producer_of(x).as<ops::dequantizeLinear>();
  return op && x.dataType() == float32 && quantizer_of(op->input, op->scale, op->zeroPoint)
             ? op
             : nullptr;
}

namespace {

/// Operators whose first operand and result have the same elements, and one quantization.
bool moves(const Node& node) {
  return traits_of(node).rearranges || node.as<ops::maxPool2d>() || node.as<ops::pad>() ||
         node.as<ops::resample2d>();
}

}  // namespace

std::vector<std::optional<Quantizer>> find_quantizers(const Graph& graph) {
  std::vector<std::optional<Quantizer>> found(graph.operand_count());
  const auto at = [&](const MLOperand& x) -> std::optional<Quantizer>& {
    return found[x.record().id];
  };
  const auto eight = [](const MLOperand& x) {
    return x.dataType() == int8 || x.dataType() == uint8;
  };
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    if (const auto* op = node.as<ops::quantizeLinear>(); op && eight(node.output()))
      at(node.output()) = quantizer_of(op->input, op->scale, op->zeroPoint);
    if (const auto* op = node.as<ops::dequantizeLinear>(); op && eight(op->input) && !at(op->input))
      at(op->input) = quantizer_of(op->input, op->scale, op->zeroPoint);
  }
  const auto pass = [&](const Node& node) {
    if (!moves(node) || !eight(node.output())) return;
    std::vector<MLOperand> all(node.outputs().begin(), node.outputs().end());
    const auto inputs = node.inputs();
    all.insert(all.end(), inputs.begin(),
               node.as<ops::concat>() ? inputs.end() : inputs.begin() + 1);
    const auto known = std::find_if(
        all.begin(), all.end(), [&](const MLOperand& x) { return at(x) && at(x)->per_tensor(); });
    if (known == all.end()) return;
    for (const MLOperand& x : all)
      if (!at(x)) at(x) = at(*known);
  };
  for (std::size_t i = graph.size(); i-- > 0;) pass(graph.node(i));
  for (std::size_t i = 0; i < graph.size(); ++i) pass(graph.node(i));
  return found;
}

Quantizer bias_quantizer(const Quantizer& input, const Quantizer& filter) {
  Quantizer q;
  for (const float scale : filter.scale) q.scale.push_back(input.scale[0] * scale);
  q.zero_point.assign(q.scale.size(), 0);
  return q;
}

std::vector<std::int32_t> quantized_bias(const MLOperand& constant, const Quantizer& q) {
  std::vector<std::int32_t> rounded;
  for (const double v : elements_of(constant)) {
    const double scale = q.scale[q.per_tensor() ? 0 : rounded.size()];
    rounded.push_back(static_cast<std::int32_t>(
        std::clamp(std::nearbyint(v / scale), -2147483648.0, 2147483647.0)));
  }
  return rounded;
}

bool quantizes(const Graph& graph) {
  for (std::size_t i = 0; i < graph.size(); ++i)
    if (graph.node(i).as<ops::quantizeLinear>()) return true;
  return false;
}

}  // namespace webnn::inline v0_1::formats
