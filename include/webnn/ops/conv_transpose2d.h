// convTranspose2d: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-convtranspose2d
#pragma once

#include "webnn/ops/conv2d.h"

namespace webnn::inline v0_1 {

/// For `ohwi` the filter's own output channels come first, unlike in conv2d.
enum class MLConvTranspose2dFilterOperandLayout { iohw, hwoi, ohwi };
constexpr auto names_of(MLConvTranspose2dFilterOperandLayout) {
  return names("iohw", "hwoi", "ohwi");
}

struct MLConvTranspose2dOptions {
  Dims padding{0, 0, 0, 0};  ///< cropped: beginning height, ending height, beginning, ending width
  Dims strides{1, 1};        ///< rows and columns from one window to the next
  Dims dilations{1, 1};      ///< rows and columns between elements of the filter
  Dims outputPadding{0, 0};  ///< rows and columns added at the end; ignored with outputSizes
  OptionalList<std::uint32_t> outputSizes = std::nullopt;  ///< height and width of the result
  std::uint32_t groups = 1;  ///< divides the channels of input and of the result
  MLInputOperandLayout inputLayout = MLInputOperandLayout::nchw;  ///< that of input and result
  MLConvTranspose2dFilterOperandLayout filterLayout =
      MLConvTranspose2dFilterOperandLayout::iohw;  ///< the filter's
  std::optional<MLOperand> bias{};                 ///< [output channels]
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct convTranspose2d {
  MLOperand input;
  MLOperand filter;
  MLConvTranspose2dOptions options{};

  static constexpr auto declaration = declare(
      "convTranspose2d", operand<&convTranspose2d::input>("input", allow(types::floats, {4, 4})),
      operand<&convTranspose2d::filter>("filter", type_of("input", {4, 4})),
      operand<&MLConvTranspose2dOptions::bias>("bias", type_of("input", {1, 1})),
      attribute<&MLConvTranspose2dOptions::padding>("padding"),
      attribute<&MLConvTranspose2dOptions::strides>("strides"),
      attribute<&MLConvTranspose2dOptions::dilations>("dilations"),
      attribute<&MLConvTranspose2dOptions::outputPadding>("outputPadding"),
      attribute<&MLConvTranspose2dOptions::outputSizes>("outputSizes"),
      attribute<&MLConvTranspose2dOptions::groups>("groups"),
      attribute<&MLConvTranspose2dOptions::inputLayout>("inputLayout"),
      attribute<&MLConvTranspose2dOptions::filterLayout>("filterLayout"),
      result("output", same_as("input")));
};

/// `outputs` are the output channels of one group.
inline Filter filter_sizes(const Dims& f, MLConvTranspose2dFilterOperandLayout layout) {
  using enum MLConvTranspose2dFilterOperandLayout;
  switch (layout) {
    case iohw: return {f[1], f[0], f[2], f[3]};
    case hwoi: return {f[2], f[3], f[0], f[1]};
    case ohwi: return {f[0], f[3], f[1], f[2]};
  }
  return {};
}

inline shape::Check check_attributes(const MLConvTranspose2dOptions& o) {
  if (auto bad = shape::check_padding(o.padding)) return bad;
  if (auto bad = shape::check_pair("strides", o.strides)) return bad;
  if (auto bad = shape::check_pair("dilations", o.dilations)) return bad;
  if (auto bad = shape::check_length("outputPadding", o.outputPadding.size(), 2)) return bad;
  if (o.outputSizes) {
    if (auto bad = shape::check_length("outputSizes", o.outputSizes->size(), 2)) return bad;
  } else {
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
      if (o.outputPadding[i] >= o.strides[i])
        return detail::fail("outputPadding[{}] ({}) is not less than strides[{}] ({})", i,
                            o.outputPadding[i], i, o.strides[i]);
  }
  if (o.groups == 0) return detail::fail("groups is zero");
  return {};
}

/// The height (0) or width (1) of the result. Sums on both sides, for the difference may be
/// negative.
inline Result<std::uint64_t> output_size(std::size_t i, std::uint64_t input, const shape::Window& w,
                                         const MLConvTranspose2dOptions& o) {
  const std::uint64_t extent = shape::transposed_extent(input, w);
  const std::uint64_t cropped = w.beginning_padding + w.ending_padding;
  if (o.outputSizes) {
    const std::uint64_t given = (*o.outputSizes)[i];
    if (given + cropped < extent || given + cropped >= extent + w.stride)
      return detail::fail("outputSizes[{}] ({}) plus padding ({}) is not between {} and {}", i,
                          given, cropped, extent, extent + w.stride - 1);
    return given;
  }
  if (extent + o.outputPadding[i] <= cropped)
    return detail::fail("the padding ({}) leaves nothing of the {} ({})", cropped,
                        i == 0 ? "height" : "width", extent + o.outputPadding[i]);
  return extent + o.outputPadding[i] - cropped;
}

inline Result<Shapes> infer(const convTranspose2d& op, Rules rules = Rules::specification) {
  const MLConvTranspose2dOptions& o = op.options;
  if (auto bad = check_attributes(o)) return *bad;
  shape::Image image = shape::image(op.input.shape(), o.inputLayout);
  const Filter filter = filter_sizes(op.filter.shape(), o.filterLayout);
  if (image.channels != filter.inputs)
    return detail::fail("the input channels ({}) of filter are not the channels ({}) of input",
                        filter.inputs, image.channels);
  // differs from spec: the text forgets this test.
  if (rules != Rules::tests2025 && image.channels % o.groups != 0)
    return detail::fail("the channels ({}) of input are not divisible by groups ({})",
                        image.channels, o.groups);
  const std::uint64_t channels = filter.outputs * o.groups;
  if (!shape::valid_dimension(channels))
    return detail::fail(
        "the output channels ({}) of filter times groups ({}) is not a valid dimension",
        filter.outputs, o.groups);
  if (auto bad = shape::check_shape("bias", o.bias, {channels})) return *bad;

  const auto height =
      output_size(0, image.height,
                  {filter.height, o.padding[0], o.padding[1], o.strides[0], o.dilations[0]}, o);
  if (!height) return height.failure();
  const auto width = output_size(
      1, image.width, {filter.width, o.padding[2], o.padding[3], o.strides[1], o.dilations[1]}, o);
  if (!width) return width.failure();
  return shape::Image{image.batch, channels, *height, *width}.in(o.inputLayout);
}

struct ConvTranspose2dSection {
  using Operators = OpList<convTranspose2d>;

  template <class Self, class Out, class... First> struct Methods {
    /// The transposed convolution of an image: each input element adds its multiple of the filter
    /// to the result, which `padding` crops. input and filter have rank 4, in the layouts of the
    /// options; float32, float16 or bfloat16, one type for all. Throws TypeError if the channels
    /// differ or groups do not divide them, outputPadding is not below the stride, or no
    /// outputPadding gives outputSizes.
    Out convTranspose2d(First... input, const MLOperand& filter,
                        MLConvTranspose2dOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::convTranspose2d>(input..., filter,
                                                                           std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
