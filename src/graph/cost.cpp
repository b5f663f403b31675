#include "src/graph/cost.h"

#include <algorithm>

#include "src/graph/traits.h"
#include "webnn/backend.h"

namespace webnn::inline v0_1 {
namespace {

double elements(const MLOperand& x) { return static_cast<double>(element_count(x.shape())); }
double bytes(const MLOperand& x) { return static_cast<double>(byte_length(x.descriptor())); }

/// A recurrent step multiplies the input and the hidden state with `gates` matrices.
template <class T> double recurrent(const T& op, double gates) {
  const double hidden = op.hiddenSize, width = op.input.shape().back();
  const double rows = elements(op.input) / width;  // steps times batch, or batch
  return rows * gates * hidden * (width + hidden);
}
double directions(const MLOperand& weight) { return weight.shape()[0]; }

double macs_of(const Node& node) {
  if (const auto* c = node.as<ops::conv2d>()) {
    const auto f = ops::filter_sizes(c->filter.shape(), c->options.filterLayout);
    return elements(node.output()) * static_cast<double>(f.inputs * f.height * f.width);
  }
  if (const auto* c = node.as<ops::convTranspose2d>()) {
    // Every element of the input meets all that its group of the filter has for its channel.
    const bool nchw = c->options.inputLayout == MLInputOperandLayout::nchw;
    return elements(c->input) * elements(c->filter) / c->input.shape()[nchw ? 1 : 3];
  }
  if (const auto* m = node.as<ops::matmul>())
    return elements(node.output()) * static_cast<double>(m->a.shape().back());
  if (const auto* g = node.as<ops::gemm>())
    return elements(node.output()) *
           static_cast<double>(g->a.shape()[g->options.aTranspose ? 0 : 1]);
  if (const auto* r = node.as<ops::gru>()) return recurrent(*r, 3) * directions(r->weight);
  if (const auto* r = node.as<ops::lstm>()) return recurrent(*r, 4) * directions(r->weight);
  if (const auto* r = node.as<ops::gruCell>()) return recurrent(*r, 3);
  if (const auto* r = node.as<ops::lstmCell>()) return recurrent(*r, 4);
  return 0;
}

/// Pairs of a position of a window and an element of the input under it, along one dimension.
double pairs(std::uint64_t in, std::uint64_t out, std::uint64_t kernel, std::uint64_t stride,
             std::uint64_t dilation, std::uint64_t padding) {
  double n = 0;
  for (std::uint64_t k = 0; k < kernel; ++k) {
    // Windows o with 0 <= o * stride + k * dilation - padding < in.
    const std::uint64_t at = k * dilation;
    const std::uint64_t first = at >= padding ? 0 : (padding - at + stride - 1) / stride;
    if (at >= in + padding) continue;
    const std::uint64_t end = std::min(out, (in + padding - at + stride - 1) / stride);
    n += end > first ? static_cast<double>(end - first) : 0;
  }
  return n;
}

double products_of(const Node& node) {
  const auto* c = node.as<ops::conv2d>();
  if (!c) return macs_of(node);
  const MLConv2dOptions& o = c->options;
  const bool nchw = o.inputLayout == MLInputOperandLayout::nchw;
  const std::size_t h = nchw ? 2 : 1, w = h + 1;
  const auto f = ops::filter_sizes(c->filter.shape(), o.filterLayout);
  const Dims &in = c->input.shape(), &out = node.output().shape();
  const double rows = pairs(in[h], out[h], f.height, o.strides[0], o.dilations[0], o.padding[0]);
  const double columns = pairs(in[w], out[w], f.width, o.strides[1], o.dilations[1], o.padding[2]);
  return rows * columns * static_cast<double>(out[0]) * static_cast<double>(f.outputs * f.inputs);
}

/// Nothing is computed where elements only move.
bool moves_only(const Node& node) { return traits_of(node).rearranges || node.as<ops::pad>(); }

double operations_of(const Node& node) {
  const double macs = macs_of(node);
  if (macs > 0) return 2 * macs;
  if (moves_only(node)) return 0;
  double n = 0;
  for (const MLOperand& y : node.outputs()) n += elements(y);
  // What summarises an input looks at all of it.
  for (const MLOperand& x : node.inputs()) n = x.constant() ? n : std::max(n, elements(x));
  return n;
}

/// How much of its operands the first operator of a chain needs: what is looked up in a table of
/// weights of few bits.
double share_of_first(std::span<const Node> chain) {
  if (chain.size() < 2 || !(chain[0].as<ops::dequantizeLinear>() || chain[0].as<ops::cast>()))
    return 1;
  const auto* gather = chain[1].as<ops::gather>();
  if (!gather || !gather->input.is(chain[0].output())) return 1;
  return std::min(1.0, elements(chain[1].output()) / elements(gather->input));
}

/// How much of an operand the chain has to read: not more than comes out of what is cut out or
/// looked up.
double bytes_read(const MLOperand& x, std::span<const Node> chain) {
  if (const double share = share_of_first(chain); share < 1)
    for (const MLOperand& of_first : chain[0].inputs())
      if (of_first.is(x)) return share * bytes(x);
  for (const Node& node : chain) {
    const std::vector<MLOperand> inputs = node.inputs();
    if (inputs.empty() || !inputs.front().is(x)) continue;
    double out = 0;
    for (const MLOperand& y : node.outputs()) out += bytes(y);
    if (node.as<ops::slice>() || node.as<ops::gather>() || node.as<ops::gatherElements>() ||
        node.as<ops::gatherND>())
      return std::min(bytes(x), out);
    if (node.as<ops::resample2d>()) return std::min(bytes(x), 4 * out);
  }
  return bytes(x);
}

}  // namespace

Cost& Cost::operator+=(const Cost& o) {
  macs += o.macs;
  products += o.products;
  operations += o.operations;
  read += o.read;
  written += o.written;
  return *this;
}

Cost cost_of(const Node& node) { return cost_of(std::span(&node, 1)); }

Cost cost_of(std::span<const Node> chain) {
  Cost c;
  double share = share_of_first(chain);
  for (const Node& node : chain) {
    c.macs += macs_of(node);
    c.products += products_of(node);
    c.operations += share * operations_of(node);
    share = 1;
  }
  for (const MLOperand& x : inputs_of(chain)) c.read += bytes_read(x, chain);
  for (const MLOperand& y : chain.back().outputs()) c.written += bytes(y);
  return c;
}

Cost cost_of(const Graph& graph) {
  Cost c;
  for (std::size_t i = 0; i < graph.size(); ++i) c += cost_of(graph.node(i));
  return c;
}

}  // namespace webnn::inline v0_1
