// What nodes of graphs with open dimensions are right at every size.
#include "src/formats/common/open_numbers.h"
#include "src/formats/onnx/export/lower.h"

namespace webnn::inline v0_1::onnx::exporter {
namespace {

using formats::is_open;
using formats::OpenRefusal;

OpenRefusal refused(const formats::WritesSizesOnly auto&) { return {}; }

/// ONNX has the padding that windows reach. Where the number of windows is rounded down, what is
/// given is right at all sizes.
template <class Op> OpenRefusal refused_pool(const Op& op) {
  const auto& o = op.options;
  const std::uint32_t first = o.layout == MLInputOperandLayout::nhwc ? 1 : 2;
  for (std::uint32_t i = 0; i < 2; ++i) {
    if (!is_open(op.input, first + i) || o.strides[i] == 1) continue;
    if (o.outputSizes)
      return fail(
          "its outputSizes ask for padding that follows from dimension {} of its input, which is "
          "open",
          first + i);
    if (o.outputShapeRounding == MLRoundingType::ceil)
      return fail(
          "the number of its windows is rounded up, and the padding that this needs follows from "
          "dimension {} of its input, which is open",
          first + i);
  }
  return {};
}
OpenRefusal refused(const ops::averagePool2d& op) { return refused_pool(op); }
OpenRefusal refused(const ops::l2Pool2d& op) { return refused_pool(op); }
OpenRefusal refused(const ops::maxPool2d& op) { return refused_pool(op); }

/// Padding, strides and groups are those of the options.
OpenRefusal refused(const ops::conv2d&) { return {}; }
OpenRefusal refused(const ops::convTranspose2d&) { return {}; }
OpenRefusal refused(const ops::gemm&) { return {}; }
/// What is cut off behind the end is compared in a run.
OpenRefusal refused(const ops::slice&) { return {}; }
OpenRefusal refused(const ops::prelu& op) {
  return formats::refuse_broadcast_input(op.input, op.slope);
}
OpenRefusal refused(const ops::quantizeLinear& op) {
  return formats::refuse_blocks(op.input, op.scale);
}
OpenRefusal refused(const ops::dequantizeLinear& op) {
  return formats::refuse_blocks(op.input, op.scale);
}
/// Scales of open dimensions are whole, or the sizes that are written differ.
OpenRefusal refused(const ops::resample2d&) { return {}; }
OpenRefusal refused(const ops::gatherND& op) {
  return formats::refuse_open_coordinates(op.indices);
}
OpenRefusal refused(const ops::scatterND& op) {
  return formats::refuse_open_coordinates(op.indices);
}

/// Operators on shapes compute in a run.
template <class Op>
requires(ops::ShapeOps::contains<Op>()) OpenRefusal refused(const Op&) { return {}; }

}  // namespace

std::vector<std::string> open_refusals(const Graph& open) {
  return formats::open_refusals(open, [](const auto& op) { return refused(op); });
}

}  // namespace webnn::inline v0_1::onnx::exporter
