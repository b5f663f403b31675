// conv2d: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-conv2d
#pragma once

#include "webnn/shape/window.h"

namespace webnn::inline v0_1 {

enum class MLConv2dFilterOperandLayout { oihw, hwio, ohwi, ihwo };
constexpr auto names_of(MLConv2dFilterOperandLayout) {
  return names("oihw", "hwio", "ohwi", "ihwo");
}

struct MLConv2dOptions {
  Dims padding{0, 0, 0, 0};  ///< beginning height, ending height, beginning width, ending width
  Dims strides{1, 1};        ///< rows and columns from one window to the next
  Dims dilations{1, 1};      ///< rows and columns between elements of the filter
  std::uint32_t groups = 1;  ///< divides the channels of input and of the result
  MLInputOperandLayout inputLayout = MLInputOperandLayout::nchw;  ///< that of input and result
  MLConv2dFilterOperandLayout filterLayout = MLConv2dFilterOperandLayout::oihw;  ///< the filter's
  std::optional<MLOperand> bias{};  ///< [output channels]
  std::string label{};              ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct conv2d {
  MLOperand input;
  MLOperand filter;
  MLConv2dOptions options{};

  static constexpr auto declaration =
      declare("conv2d", operand<&conv2d::input>("input", allow(types::floats, {4, 4})),
              operand<&conv2d::filter>("filter", type_of("input", {4, 4})),
              operand<&MLConv2dOptions::bias>("bias", type_of("input", {1, 1})),
              attribute<&MLConv2dOptions::padding>("padding"),
              attribute<&MLConv2dOptions::strides>("strides"),
              attribute<&MLConv2dOptions::dilations>("dilations"),
              attribute<&MLConv2dOptions::groups>("groups"),
              attribute<&MLConv2dOptions::inputLayout>("inputLayout"),
              attribute<&MLConv2dOptions::filterLayout>("filterLayout"),
              result("output", same_as("input")));
};

/// The sizes of a filter, whatever its layout; `inputs` are the input channels of one group.
struct Filter {
  std::uint64_t outputs, inputs, height, width;
};
inline Filter filter_sizes(const Dims& f, MLConv2dFilterOperandLayout layout) {
  using enum MLConv2dFilterOperandLayout;
  switch (layout) {
    case oihw: return {f[0], f[1], f[2], f[3]};
    case hwio: return {f[3], f[2], f[0], f[1]};
    case ohwi: return {f[0], f[3], f[1], f[2]};
    case ihwo: return {f[3], f[0], f[1], f[2]};
  }
  return {};
}

inline Result<Shapes> infer(const conv2d& op) {
  const auto& [padding, strides, dilations, groups, layout, filter_layout, bias, label] =
      op.options;
  if (auto bad = shape::check_padding(padding)) return *bad;
  if (auto bad = shape::check_pair("strides", strides)) return *bad;
  if (auto bad = shape::check_pair("dilations", dilations)) return *bad;
  if (groups == 0) return detail::fail("groups is zero");

  shape::Image image = shape::image(op.input.shape(), layout);
  const Filter filter = filter_sizes(op.filter.shape(), filter_layout);
  if (image.channels % groups != 0)
    return detail::fail("the channels ({}) of input are not divisible by groups ({})",
                        image.channels, groups);
  if (image.channels / groups != filter.inputs)
    return detail::fail(
        "filter input channels ({}) times groups ({}) is not the channels ({}) of input",
        filter.inputs, groups, image.channels);
  if (filter.outputs % groups != 0)
    return detail::fail("the output channels ({}) of filter are not divisible by groups ({})",
                        filter.outputs, groups);
  if (auto bad = shape::check_shape("bias", bias, {filter.outputs})) return *bad;

  // spec: "calculate conv2d output sizes"
  const shape::Window down{filter.height, padding[0], padding[1], strides[0], dilations[0]};
  const shape::Window across{filter.width, padding[2], padding[3], strides[1], dilations[1]};
  image.channels = filter.outputs;
  image.height = shape::window_count(image.height, down, MLRoundingType::floor);
  image.width = shape::window_count(image.width, across, MLRoundingType::floor);
  if (image.height == 0 || image.width == 0)
    return detail::fail("the filter ({}) with dilations ({}) is larger than the padded input ({})",
                        Sizes{filter.height, filter.width}, dilations, op.input.shape());
  return image.in(layout);
}

struct Conv2dSection {
  using Operators = OpList<conv2d>;

  template <class Self, class Out, class... First> struct Methods {
    /// The convolution (without flipping the filter) of an image, plus bias. input and filter have
    /// rank 4, in the layouts of the options; float32, float16 or bfloat16, one type for all. Each
    /// size of the result is floor((in + padding - (filter - 1) * dilation - 1) / stride) + 1.
    /// Throws TypeError if the channels of input and filter do not match, groups do not divide
    /// them, or the filter is larger than the padded input.
    Out conv2d(First... input, const MLOperand& filter, MLConv2dOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::conv2d>(input..., filter,
                                                                  std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
