// Removes the first and the last rows and columns of kernels of conv2d that only ever read padding,
// as in dilated convolutions of small images.
#include <algorithm>
#include <cmath>

#include "src/kernels/common/sizes.h"
#include "src/kernels/common/small_weights.h"
#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {
namespace {

/// Height or width of a convolution. What infer() has checked bounds every index by 2^35.
struct Extent {
  std::int64_t in, out, kernel, beginning, ending, stride, dilation;

  /// Whether a tap reads the input for any place of the result.
  bool is_used(std::int64_t tap) const {
    const std::int64_t before = beginning - tap * dilation;  // the input
    const std::int64_t first = divide_up(std::max<std::int64_t>(before, 0), stride);
    return first < out && first * stride < before + in;
  }
};

/// The taps [first, last) of a kernel.
struct Taps {
  std::int64_t first, last;

  std::int64_t count() const { return last - first; }
};

/// All but unused ones at both ends, as many as leave paddings that are not negative.
Taps remaining_taps(const Extent& e) {
  Taps taps{0, e.kernel};
  while (taps.first < e.kernel && !e.is_used(taps.first)) ++taps.first;
  if (taps.first == e.kernel) return {0, e.kernel};
  while (!e.is_used(taps.last - 1)) --taps.last;
  return {std::min(taps.first, e.beginning / e.dilation),
          std::max(taps.last, e.kernel - e.ending / e.dilation)};
}

using Axes = std::array<std::size_t, 2>;  // the filter's height and width

/// Height and width are next to each other in every layout.
Constant cropped_filter(const Constant& filter, const MLOperandDescriptor& d, const Axes& axes,
                        const std::array<Taps, 2>& taps) {
  const auto [down, across] = taps;
  const std::size_t height = d.shape[axes[0]], width = d.shape[axes[1]];
  std::size_t outer = 1, inner = to_size(bits_of(d.dataType)) / 8;  // bytes
  for (std::size_t i = 0; i < axes[0]; ++i) outer *= d.shape[i];
  for (std::size_t i = axes[1] + 1; i < d.shape.size(); ++i) inner *= d.shape[i];
  const auto from = filter.bytes();
  std::vector<std::byte> kept;
  kept.reserve(outer * to_size(down.count()) * to_size(across.count()) * inner);
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t h = to_size(down.first); h < to_size(down.last); ++h) {
      const auto row = from.subspan((o * height + h) * width * inner, width * inner);
      kept.insert(kept.end(), row.begin() + across.first * static_cast<std::int64_t>(inner),
                  row.begin() + across.last * static_cast<std::int64_t>(inner));
    }
  return Constant::copy_of(kept);
}

/// A convolution, and the taps that remain down and across.
struct Crop {
  const ops::conv2d& conv;
  Axes axes;
  std::array<Taps, 2> taps;

  /// Infinity times padding is NaN, which remains.
  bool is_finite() const {
    const auto all_finite = [this]() -> std::uint64_t {
      const std::vector<double> weights = doubles_of(conv.filter);
      return std::all_of(weights.begin(), weights.end(), [](double w) { return std::isfinite(w); });
    };
    const std::string name = "finite/1 " + std::string(name_of(conv.filter.dataType()));
    return fact_of(*conv.filter.constant(), name, all_finite) != 0;
  }

  MLOperand filter(Rewriter& to) const {
    const MLOperandDescriptor d = conv.filter.descriptor();
    Dims shape = d.shape;
    for (std::size_t i : {0u, 1u}) shape[axes[i]] = static_cast<std::uint32_t>(taps[i].count());
    Recipe how("crop");
    how << d;
    for (std::size_t i : {0u, 1u}) how << axes[i] << taps[i].first << taps[i].last;
    return to.derived({d.dataType, shape}, how, *conv.filter.constant(),
                      [d, axes = axes, taps = taps](std::span<const Constant> from) {
                        return cropped_filter(from.front(), d, axes, taps);
                      });
  }

  ops::conv2d cropped(Rewriter& to) const {
    ops::conv2d op = conv;
    op.input = to(conv.input);
    op.filter = filter(to);
    if (conv.options.bias) op.options.bias = to(*conv.options.bias);
    for (std::size_t i : {0u, 1u}) {
      std::uint32_t& dilation = op.options.dilations[i];
      const std::int64_t kernel = conv.filter.shape()[axes[i]];
      op.options.padding[2 * i] -= static_cast<std::uint32_t>(taps[i].first * dilation);
      op.options.padding[2 * i + 1] -=
          static_cast<std::uint32_t>((kernel - taps[i].last) * dilation);
      if (taps[i].count() == 1) dilation = 1;
    }
    return op;
  }
};

std::optional<Crop> crop_of(const Node& node) {
  const auto* conv = as<ops::conv2d>(node);
  if (!conv || conv->filter.record().kind != OperandKind::constant) return std::nullopt;
  const MLConv2dOptions& o = conv->options;
  const shape::Image in = shape::image(conv->input.shape(), o.inputLayout);
  const shape::Image out = shape::image(node.output().shape(), o.inputLayout);
  const auto axes = *weight_axes(node).window;
  const auto taps = [&](std::uint64_t size, std::uint64_t result, std::size_t i) {
    return remaining_taps({static_cast<std::int64_t>(size), static_cast<std::int64_t>(result),
                           conv->filter.shape()[axes[i]], o.padding[2 * i], o.padding[2 * i + 1],
                           o.strides[i], o.dilations[i]});
  };
  const Crop crop{*conv, axes, {taps(in.height, out.height, 0), taps(in.width, out.width, 1)}};
  for (std::size_t i : {0u, 1u})
    if (crop.taps[i].count() < conv->filter.shape()[axes[i]]) return crop;
  return std::nullopt;
}

}  // namespace

Graph crop_kernels(const Graph& graph) {
  bool any = false;
  for (std::size_t i = 0; i < graph.size() && !any; ++i) any = crop_of(graph.node(i)).has_value();
  if (!any) return graph;
  return with_replaced(graph, [](const Node& node, Rewriter& to) -> std::optional<MLOperand> {
    const auto crop = crop_of(node);
    if (!crop || !crop->is_finite()) return std::nullopt;
    return to.add(crop->cropped(to), node.output().descriptor());
  });
}

}  // namespace webnn::inline v0_1
