// averagePool2d, l2Pool2d, maxPool2d: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pool2d
// The text leaves windows that hold no element open: average and l2 are 0, the maximum is the
// lowest value. The maximum with a NaN is NaN.
#pragma once

#include "webnn/shape/window.h"

namespace webnn::inline v0_1 {

struct MLPool2dOptions {
  OptionalList<std::uint32_t> windowDimensions = std::nullopt;  ///< the whole image when absent
  Dims padding{0, 0, 0, 0};  ///< beginning height, ending height, beginning width, ending width
  Dims strides{1, 1};        ///< rows and columns from one window to the next
  Dims dilations{1, 1};      ///< rows and columns between elements of the window
  MLInputOperandLayout layout = MLInputOperandLayout::nchw;    ///< that of input and result
  MLRoundingType outputShapeRounding = MLRoundingType::floor;  ///< how sizes are rounded
  OptionalList<std::uint32_t> outputSizes = std::nullopt;      ///< instead of rounding
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

template <FixedString Name, DataTypes Allowed> struct Pool2d {
  MLOperand input;
  MLPool2dOptions options{};

  static constexpr auto declaration = declare(
      Name.view(), operand<&Pool2d::input>("input", allow(Allowed, {4, 4})),
      attribute<&MLPool2dOptions::windowDimensions>("windowDimensions"),
      attribute<&MLPool2dOptions::padding>("padding"),
      attribute<&MLPool2dOptions::strides>("strides"),
      attribute<&MLPool2dOptions::dilations>("dilations"),
      attribute<&MLPool2dOptions::layout>("layout"),
      attribute<&MLPool2dOptions::outputShapeRounding>("outputShapeRounding"),
      attribute<&MLPool2dOptions::outputSizes>("outputSizes"), result("output", same_as("input")));
};

/// spec: "calculate pool2d output sizes"
// differs from spec: padding is kept when outputSizes is given, and outputSizes is not compared
// with the strides.
inline Result<Shapes> infer_pool2d(const MLOperand& input, const MLPool2dOptions& o) {
  using enum MLRoundingType;
  if (o.windowDimensions)
    if (auto bad = shape::check_pair("windowDimensions", *o.windowDimensions)) return *bad;
  if (auto bad = shape::check_padding(o.padding)) return *bad;
  if (auto bad = shape::check_pair("strides", o.strides)) return *bad;
  if (o.outputSizes)
    if (auto bad = shape::check_length("outputSizes", o.outputSizes->size(), 2)) return *bad;
  if (auto bad = shape::check_pair("dilations", o.dilations)) return *bad;

  shape::Image image = shape::image(input.shape(), o.layout);
  const Sizes in{image.height, image.width};
  const Sizes window = o.windowDimensions ? shape::sizes(*o.windowDimensions) : in;
  const auto rounded = [&](MLRoundingType rounding) {
    Sizes out;
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
      out.push_back(shape::window_count(
          in[i], {window[i], o.padding[2 * i], o.padding[2 * i + 1], o.strides[i], o.dilations[i]},
          rounding));
    return out;
  };
  Sizes out = rounded(o.outputShapeRounding);
  if (o.outputSizes) {
    out = shape::sizes(*o.outputSizes);
    if (out != rounded(floor) && out != rounded(ceil))
      return detail::fail("outputSizes ({}) is neither {} (floor) nor {} (ceil)", out,
                          rounded(floor), rounded(ceil));
  }
  if (out[0] == 0 || out[1] == 0)
    return detail::fail("the window ({}) with dilations ({}) is larger than the padded input",
                        window, o.dilations);
  image.height = out[0];
  image.width = out[1];
  return image.in(o.layout);
}
template <FixedString N, DataTypes A> Result<Shapes> infer(const Pool2d<N, A>& op) {
  return infer_pool2d(op.input, op.options);
}

using averagePool2d = Pool2d<"averagePool2d", types::floats>;
using l2Pool2d = Pool2d<"l2Pool2d", types::floats>;
using maxPool2d = Pool2d<"maxPool2d", types::any>;

struct Pool2dSection {
  using Operators = OpList<averagePool2d, l2Pool2d, maxPool2d>;
  using Options = MLPool2dOptions;

  /// The result has the data type of input, whose rank is 4, in `layout`. Each size is (in +
  /// padding - (window - 1) * dilation - 1) / stride + 1, rounded as outputShapeRounding says;
  /// outputSizes may choose either rounding for both. Throws TypeError if the window is larger than
  /// the padded input.
  template <class Self, class Out, class... First> struct Methods {
    /// The mean of those elements of each window that lie in input, float32, float16 or bfloat16.
    Out averagePool2d(First... x, Options o = {}) { return pool<ops::averagePool2d>(x..., o); }
    /// The square root of the sum of squares of each window of input, float32, float16 or bfloat16.
    Out l2Pool2d(First... x, Options o = {}) { return pool<ops::l2Pool2d>(x..., o); }
    /// The largest element of each window of input, of any data type.
    Out maxPool2d(First... x, Options o = {}) { return pool<ops::maxPool2d>(x..., o); }

   private:
    template <class Op> Out pool(First... x, Options& o) {
      return static_cast<Self&>(*this).template call<Op>(x..., std::move(o));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
