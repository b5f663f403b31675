// What operators of graphs with open dimensions are right in TFLite at every size.
#include "src/formats/common/open_numbers.h"

#include "src/formats/tflite/export/sliding_window.h"

namespace webnn::inline v0_1::tflite::exporter {
namespace {

using formats::is_open;
using formats::OpenRefusal;
using formats::WindowOf;

OpenRefusal refused(const formats::WritesSizesOnly auto&) { return {}; }

/// Of the two dimensions of an image, beginning with that one.
struct Windows {
  const MLOperand& x;
  std::uint32_t first;
  WindowOf rows, columns;

  const WindowOf& of(std::uint32_t i) const { return i == 0 ? rows : columns; }
};

Sliding sliding(const WindowOf& w, std::uint32_t in, std::uint32_t out) {
  return {in, out, w.size, w.stride, w.dilation, w.before};
}

/// Whether the padding is VALID, at all sizes if the dimension is open.
bool is_always_valid(const Windows& windows, std::uint32_t i) {
  const WindowOf& w = windows.of(i);
  if (!is_open(windows.x, windows.first + i)) return w.before == 0 && w.after == 0 && !w.up;
  bool valid = true;
  const auto look = [&](std::uint32_t in, std::uint32_t out) {
    valid = valid && is_valid(sliding(w, in, out));
    return 0;
  };
  return formats::is_same_at_all_sizes(w, look) && valid;
}

/// Padding is SAME, VALID, or zeros before the operator.
OpenRefusal refused_windows(const Windows& windows) {
  if (is_always_valid(windows, 0) && is_always_valid(windows, 1)) return {};
  for (std::uint32_t i = 0; i < 2; ++i) {
    if (!is_open(windows.x, windows.first + i)) continue;
    const auto written = [&](std::uint32_t in, std::uint32_t out) {
      return written_of(sliding(windows.of(i), in, out));
    };
    if (!formats::is_same_at_all_sizes(windows.of(i), written))
      return fail(
          "the padding that its windows reach follows from dimension {} of its input, which is "
          "open",
          windows.first + i);
  }
  return {};
}

template <class Op> OpenRefusal refused_pool(const Op& op) {
  const MLPool2dOptions& o = op.options;
  const std::uint32_t first = o.layout == MLInputOperandLayout::nhwc ? 1 : 2;
  if (!o.windowDimensions) return {};  // a size that is written
  for (std::uint32_t i = 0; i < 2; ++i)
    if (is_open(op.input, first + i) && o.outputSizes && o.strides[i] > 1)
      return fail(
          "its outputSizes ask for padding that follows from dimension {} of its input, which is "
          "open",
          first + i);
  const auto window = [&](std::uint32_t i) {
    return WindowOf{(*o.windowDimensions)[i], o.strides[i],
                    o.dilations[i],           o.padding[2 * i],
                    o.padding[2 * i + 1],     o.outputShapeRounding == MLRoundingType::ceil};
  };
  return refused_windows({op.input, first, window(0), window(1)});
}
OpenRefusal refused(const ops::averagePool2d& op) { return refused_pool(op); }
OpenRefusal refused(const ops::l2Pool2d& op) { return refused_pool(op); }
OpenRefusal refused(const ops::maxPool2d& op) { return refused_pool(op); }

/// Where the filter has its height.
std::uint32_t height_of(MLConv2dFilterOperandLayout layout) {
  using enum MLConv2dFilterOperandLayout;
  return layout == oihw ? 2 : layout == hwio ? 0 : 1;
}

/// TFLite has no groups: they follow from the channels of the input and of the filter.
OpenRefusal refused(const ops::conv2d& op) {
  const auto& o = op.options;
  const bool nhwc = o.inputLayout == MLInputOperandLayout::nhwc;
  const std::uint32_t first = nhwc ? 1 : 2, channels = nhwc ? 3 : 1;
  if (is_open(op.input, channels))
    return fail("its groups follow from the channels of its input, dimension {}, which is open",
                channels);
  if (is_open(op.filter))
    return fail("its padding and groups follow from its filter, which has open dimensions");
  const Dims filter = op.filter.shape();
  const std::uint32_t height = height_of(o.filterLayout);
  const auto window = [&](std::uint32_t i) {
    return WindowOf{filter[height + i], o.strides[i], o.dilations[i], o.padding[2 * i],
                    o.padding[2 * i + 1]};
  };
  return refused_windows({op.input, first, window(0), window(1)});
}
/// The size of the result is written.
OpenRefusal refused(const ops::convTranspose2d& op) {
  if (is_open(op.filter)) return fail("its filter has open dimensions");
  return {};
}

/// Whether c is the bias follows from its size.
OpenRefusal refused(const ops::gemm& op) {
  const auto& c = op.options.c;
  const std::uint32_t columns = op.options.bTranspose ? 0 : 1;
  if (!c || c->rank() == 0) return {};
  const std::uint32_t last = c->rank() - 1;
  if (!is_open(*c, last) && !is_open(op.b, columns)) return {};
  if (formats::are_same(*c, last, op.b, columns)) return {};
  return fail("whether c is broadcast follows from sizes that are open");
}

/// STRIDED_SLICE cuts off what lies behind the end, which SLICE refuses.
OpenRefusal refused(const ops::slice& op) {
  const auto& strides = op.options.strides;
  if (!strides || !is_open(op.input)) return {};
  for (std::uint32_t d = 0; d < strides->size(); ++d)
    if ((*strides)[d] > 1)
      return fail("TFLite's STRIDED_SLICE does not compare its ends with dimensions that are open");
  return {};
}

OpenRefusal refused(const ops::prelu& op) {
  return formats::refuse_broadcast_input(op.input, op.slope);
}
OpenRefusal refused(const ops::quantizeLinear& op) {
  return formats::refuse_blocks(op.input, op.scale);
}
OpenRefusal refused(const ops::dequantizeLinear& op) {
  return formats::refuse_blocks(op.input, op.scale);
}
OpenRefusal refused(const ops::gatherND& op) {
  return formats::refuse_open_coordinates(op.indices);
}
OpenRefusal refused(const ops::scatterND& op) {
  return formats::refuse_open_coordinates(op.indices);
}

/// The runtime computes in float where the nearest elements are.
OpenRefusal refused(const ops::resample2d& op) {
  const auto& o = op.options;
  if (o.mode != MLInterpolationMode::nearest_neighbor) return {};
  for (const std::uint32_t axis : o.axes)
    if (is_open(op.input, axis))
      return fail(
          "whether TFLite takes the same elements follows from dimension {} of its input, which is "
          "open",
          axis);
  return {};
}

template <class Op>
requires(ops::ShapeOps::contains<Op>()) OpenRefusal refused(const Op&) {
  return fail("TFLite does not compute with sizes");
}

}  // namespace

std::vector<std::string> open_refusals(const Graph& open) {
  return formats::open_refusals(open, [](const auto& op) { return refused(op); });
}

}  // namespace webnn::inline v0_1::tflite::exporter
