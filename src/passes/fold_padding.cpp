// Replaces a pad with zeros around an image by the padding of the convolution that reads it.
#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::uint32_t max_padding = 1 << 20;  // sums stay small

/// The zeros that make conv's input, if they surround height and width alone.
const ops::pad* padding_of(const Graph& graph, const ops::conv2d& conv) {
  if (conv.input.record().kind != OperandKind::result) return nullptr;
  const auto* pad = graph.producer_of(conv.input).as<ops::pad>();
  if (!pad || pad->options.mode != MLPaddingMode::constant) return nullptr;
  if (!(pad->options.value.to(conv.input.dataType()).as_double() == 0)) return nullptr;
  const bool nhwc = conv.options.inputLayout == MLInputOperandLayout::nhwc;
  for (std::size_t d : {std::size_t{0}, std::size_t{nhwc ? 3u : 1u}})
    if (pad->beginningPadding[d] || pad->endingPadding[d]) return nullptr;
  for (std::size_t d = 0; d < 4; ++d)
    if (pad->beginningPadding[d] > max_padding || pad->endingPadding[d] > max_padding)
      return nullptr;
  for (std::uint32_t p : conv.options.padding)
    if (p > max_padding) return nullptr;
  return pad;
}

}  // namespace

Graph fold_padding(const Graph& graph) {
  if (!has_any<ops::pad>(graph)) return graph;
  Rewriter to(graph);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    const auto* conv = as<ops::conv2d>(node);
    const ops::pad* pad = conv ? padding_of(graph, *conv) : nullptr;
    if (!pad) {
      to.keep(i);
      continue;
    }
    ops::conv2d wider = *conv;
    wider.input = to(pad->input);
    wider.filter = to(conv->filter);
    if (conv->options.bias) wider.options.bias = to(*conv->options.bias);
    const std::size_t h = conv->options.inputLayout == MLInputOperandLayout::nhwc ? 1 : 2;
    wider.options.padding[0] += pad->beginningPadding[h];
    wider.options.padding[1] += pad->endingPadding[h];
    wider.options.padding[2] += pad->beginningPadding[h + 1];
    wider.options.padding[3] += pad->endingPadding[h + 1];
    to.replace(node.output(), to.add(std::move(wider), node.output().descriptor()));
  }
  return to.finish();
}

}  // namespace webnn::inline v0_1
