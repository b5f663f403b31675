#include "tests/formats/executorch/cases/cases_common.h"

namespace webnn::inline v0_1::executorch::test {
namespace {

// Convolutions: images [1, 6, 5, channels].

struct Conv {
  std::uint32_t groups, inputs, outputs;  // inputs and outputs of each group
  bool depthwise = false, transposed = false;
};
constexpr std::uint32_t conv_height = 6, conv_width = 5;

/// Filter [groups * outputs, 3, 2, inputs]; padding 1, 0, 1, 0 (top, right, bottom, left), stride 2
/// and 1, dilation 1 and 2; for the transposed one padding crops.
Tensor convolved(const Tensor& x, const Tensor& w, const std::vector<double>& bias, const Conv& c) {
  const std::int64_t top = 1, height = 3, width = 2, down = 2, across = 1, dh = 1, dw = 2;
  const std::int64_t in_h = conv_height, in_w = conv_width;
  const std::int64_t out_h = c.transposed ? (in_h - 1) * down + height - 2 * top
                                          : (in_h + 2 * top - height) / down + 1,
                     out_w = c.transposed ? (in_w - 1) * across + (width - 1) * dw + 1
                                          : (in_w - (width - 1) * dw - 1) / across + 1;
  const std::uint32_t channels = c.groups * c.outputs;
  Tensor y = webnn::test::filled(
      float32, {1, static_cast<std::uint32_t>(out_h), static_cast<std::uint32_t>(out_w), channels},
      0);
  std::vector<double> sum(y.size());
  const auto at = [&](std::int64_t r, std::int64_t s, std::uint32_t o) -> double& {
    return sum[static_cast<std::size_t>((r * out_w + s) * channels + o)];
  };
  for (std::int64_t r = 0; r < out_h; ++r)
    for (std::int64_t s = 0; s < out_w; ++s)
      for (std::uint32_t o = 0; o < channels; ++o) at(r, s, o) = bias.empty() ? 0 : bias[o];
  const auto u = [](std::int64_t v) { return static_cast<std::uint32_t>(v); };
  for (std::uint32_t o = 0; o < channels; ++o)
    for (std::uint32_t i = 0; i < c.inputs; ++i)
      for (std::int64_t kh = 0; kh < height; ++kh)
        for (std::int64_t kw = 0; kw < width; ++kw) {
          const std::uint32_t channel = o / c.outputs * c.inputs + i;
          const double f = c.depthwise ? w.at({0, u(kh), u(kw), o}) : w.at({o, u(kh), u(kw), i});
          const std::int64_t rows = c.transposed ? in_h : out_h,
                             columns = c.transposed ? in_w : out_w;
          for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t s = 0; s < columns; ++s) {
              const std::int64_t far_r = r * down + kh * dh - top, far_s = s * across + kw * dw;
              const bool inside = far_r >= 0 && far_s >= 0 &&
                                  far_r < (c.transposed ? out_h : in_h) &&
                                  far_s < (c.transposed ? out_w : in_w);
              if (!inside) continue;
              if (c.transposed) at(far_r, far_s, o) += f * x.at({0, u(r), u(s), channel});
              else at(r, s, o) += f * x.at({0, u(far_r), u(far_s), channel});
            }
        }
  for (std::size_t i = 0; i < sum.size(); ++i) y.set(i, sum[i]);
  return y;
}

xnn::NodeConvT conv_table(const Conv& c) {
  xnn::NodeConvT t;
  t.padding_top = t.padding_bottom = 1;
  t.kernel_height = 3;
  t.kernel_width = 2;
  t.subsampling_height = 2;
  t.subsampling_width = 1;
  t.dilation_height = 1;
  t.dilation_width = 2;
  t.groups = c.groups;
  t.group_input_channels = c.inputs;
  t.group_output_channels = c.outputs;
  t.bias_id = no_value;
  return t;
}

void add_convolutions(std::vector<Case>& all, Place place) {
  const std::pair<const char*, Conv> kinds[] = {
      {"Conv2d", {1, 3, 4}},
      {"Conv2d_groups", {2, 2, 3}},
      {"DepthwiseConv2d", {3, 1, 2, true}},
      {"DepthwiseConv2d_one_channel", {1, 1, 4, true}},
      {"ConvTranspose2d", {1, 3, 4, false, true}},
      {"ConvTranspose2d_groups", {2, 2, 3, false, true}},
  };
  for (const auto& [name, conv] : kinds) {
    Case c{.name = name};
    c.graph.place = place;
    const std::uint32_t outputs = conv.groups * conv.outputs;
    const Dims shape = conv.depthwise ? Dims{1, 3, 2, outputs} : Dims{outputs, 3, 2, conv.inputs};
    const Tensor w = sample(shape, -1, 1, 11), bias = sample({outputs}, -1, 1, 12);
    c.inputs = {sample({1, conv_height, conv_width, conv.groups * conv.inputs})};
    const Tensor like = convolved(c.inputs[0], w, {}, conv);
    xnn::NodeConvT t = conv_table(conv);
    t.input1_id = c.graph.input(c.inputs[0].shape);
    t.filter_id = c.graph.floats(shape, floats_of(w));
    t.bias_id = c.graph.floats({outputs}, floats_of(bias));
    t.output_id = c.graph.output(like.shape);
    c.graph.node(conv.transposed  ? Kind::ConvTranspose2d
                 : conv.depthwise ? Kind::DepthwiseConv2d
                                  : Kind::Conv2d,
                 t);
    c.graph.limits(-2, INFINITY);
    c.expected = [=, conv = conv](const Tensors& in) {
      Tensor y = convolved(in[0], w, doubles(bias), conv);
      for (std::size_t i = 0; i < y.size(); ++i) y.set(i, std::max(y[i], -2.0));
      return Tensors{y};
    };
    all.push_back(std::move(c));
  }
}

/// A convolution as upstream's exporter writes one of PyTorch: transposed before and behind.
void add_conv_between_transposes(std::vector<Case>& all, Place place) {
  Case c{.name = "Conv2d_between_transposes"};
  c.graph.place = place;
  const Conv conv{1, 3, 4};
  const Tensor w = sample({4, 3, 2, 3}, -1, 1, 11);
  c.inputs = {sample({1, 3, conv_height, conv_width})};
  const auto nhwc = [](const Tensor& t) {
    Tensor y = webnn::test::filled(float32, {1, t.shape[2], t.shape[3], t.shape[1]}, 0);
    std::size_t i = 0;
    for (std::uint32_t r = 0; r < t.shape[2]; ++r)
      for (std::uint32_t s = 0; s < t.shape[3]; ++s)
        for (std::uint32_t k = 0; k < t.shape[1]; ++k) y.set(i++, t.at({0, k, r, s}));
    return y;
  };
  const Dims out = convolved(nhwc(c.inputs[0]), w, {}, conv).shape;
  const auto x = c.graph.input(c.inputs[0].shape);
  xnn::NodeTransposeT before, behind;
  before.num_dims = behind.num_dims = 4;
  before.perm = {0, 2, 3, 1};
  behind.perm = {0, 3, 1, 2};
  before.input_id = x;
  // The exporter's dimensions of values between nodes may be in another order.
  before.output_id = c.graph.between({1, conv_width, conv_height, 3});
  xnn::NodeConvT t = conv_table(conv);
  t.input1_id = before.output_id;
  t.filter_id = c.graph.floats({4, 3, 2, 3}, floats_of(w));
  t.output_id = behind.input_id = c.graph.between(out);
  behind.output_id = c.graph.output({1, out[3], out[1], out[2]});
  c.graph.node(Kind::StaticTranspose, before);
  c.graph.node(Kind::Conv2d, t);
  c.graph.node(Kind::StaticTranspose, behind);
  c.expected = [=](const Tensors& in) {
    const Tensor y = convolved(nhwc(in[0]), w, {}, conv);
    Tensor z = webnn::test::filled(float32, {1, out[3], out[1], out[2]}, 0);
    std::size_t i = 0;
    for (std::uint32_t k = 0; k < out[3]; ++k)
      for (std::uint32_t r = 0; r < out[1]; ++r)
        for (std::uint32_t s = 0; s < out[2]; ++s) z.set(i++, y.at({0, r, s, k}));
    return Tensors{z};
  };
  all.push_back(std::move(c));
}

}  // namespace

void add_convolution_cases(std::vector<Case>& all, Place place) {
  add_convolutions(all, place);
  add_conv_between_transposes(all, place);
}

}  // namespace webnn::inline v0_1::executorch::test
