#include "bench/networks/quantized.h"

#include <cmath>
#include <random>

namespace webnn::inline v0_1::bench {
namespace {

using enum MLOperandDataType;

/// A tensor between two operators: integers and what they stand for, or floats.
struct Value {
  MLOperand x{};
  float scale = 1;
  int zero = 0;
};

class Network {
 public:
  Network(MLGraphBuilder& b, Precision precision)
      : b_(b), quantized_(precision == Precision::int8) {}

  Value input(std::uint32_t side) {
    const Value v{{}, 1.f / 128, 0};
    return {b_.input("x", {type(), {1, side, side, 3}}), v.scale, v.zero};
  }
  struct Layer {
    std::uint32_t out, kernel = 1, stride = 1, groups = 1;
    bool relu6 = true;
  };
  Value conv(const Value& x, const Layer& l) {
    const std::uint32_t in = x.x.shape()[3], side = x.x.shape()[1];
    const std::uint32_t fan = in / l.groups * l.kernel * l.kernel;
    const std::uint32_t all = (((side + l.stride - 1) / l.stride) - 1) * l.stride + l.kernel;
    const std::uint32_t pad = all > side ? all - side : 0;
    const bool depthwise = l.groups > 1;
    const Dims shape =
        depthwise ? Dims{1, l.kernel, l.kernel, in} : Dims{l.out, l.kernel, l.kernel, in};
    const Dims scales = depthwise ? Dims{1, 1, 1, l.out} : Dims{l.out, 1, 1, 1};
    const float range = std::sqrt(6.f / static_cast<float>(fan));
    const auto [w, bias] = weights(x, shape, scales, l.out, range);
    MLOperand y = b_.conv2d(real(x), w,
                            {.padding = {pad / 2, pad - pad / 2, pad / 2, pad - pad / 2},
                             .strides = {l.stride, l.stride},
                             .groups = l.groups,
                             .inputLayout = MLInputOperandLayout::nhwc,
                             .filterLayout = depthwise ? MLConv2dFilterOperandLayout::ihwo
                                                       : MLConv2dFilterOperandLayout::ohwi,
                             .bias = bias});
    if (l.relu6) y = b_.clamp(y, {.minValue = 0, .maxValue = 6});
    return l.relu6 ? integers(y, 6.f / 255, -128) : integers(y, 4.f / 127, 0);
  }
  Value add(const Value& a, const Value& b, bool relu) {
    MLOperand y = b_.add(real(a), real(b));
    if (relu) y = b_.relu(y);
    return relu ? integers(y, 8.f / 255, -128) : integers(y, 6.f / 127, 3);
  }
  MLOperand classes(const Value& x, std::uint32_t out) {
    const std::uint32_t in = x.x.shape()[3];
    const Value mean = integers(b_.averagePool2d(real(x), {.layout = MLInputOperandLayout::nhwc}),
                                x.scale, x.zero);
    const Value flat{b_.reshape(mean.x, {1, in}), mean.scale, mean.zero};
    const auto [w, bias] =
        weights(flat, {out, in}, {1, 1}, out, std::sqrt(3.f / static_cast<float>(in)));
    const Value y = integers(b_.gemm(real(flat), w, {.c = bias, .bTranspose = true}), 8.f / 127, 0);
    return integers(b_.softmax(real(y), 1), 1.f / 256, -128).x;
  }

 private:
  MLOperandDataType type() const { return quantized_ ? int8 : float32; }
  MLOperand constant(MLOperandDataType type, Dims shape, const auto& values) {
    return b_.constant({type, std::move(shape)}, InputView(values));
  }
  template <class T> MLOperand filled(MLOperandDataType type, Dims shape, T value) {
    const std::vector<T> values(element_count(shape), value);
    return constant(type, std::move(shape), values);
  }
  MLOperand real(const Value& v) {
    if (!quantized_) return v.x;
    const Dims ones(v.x.rank(), 1);
    return b_.dequantizeLinear(v.x, filled(float32, ones, v.scale),
                               filled(int8, ones, static_cast<std::int8_t>(v.zero)));
  }
  Value integers(const MLOperand& x, float scale, int zero) {
    if (!quantized_) return {x, scale, zero};
    const Dims ones(x.rank(), 1);
    return {b_.quantizeLinear(x, filled(float32, ones, scale),
                              filled(int8, ones, static_cast<std::int8_t>(zero))),
            scale, zero};
  }

  std::pair<MLOperand, MLOperand> weights(const Value& x, const Dims& shape, const Dims& scales,
                                          std::uint32_t out, float range) {
    std::uniform_int_distribution<int> weight(-127, 127), addend(-2000, 2000);
    std::uniform_real_distribution<float> factor(0.5f, 1.f);
    std::vector<std::int8_t> w(element_count(shape));
    for (auto& v : w) v = static_cast<std::int8_t>(weight(random_));
    std::vector<std::int32_t> bias(out);
    for (auto& v : bias) v = addend(random_);
    std::vector<float> scale(element_count(scales));
    for (auto& v : scale) v = factor(random_) * range / 127;
    const std::size_t outer = scales.back() == 1 && scale.size() > 1 ? w.size() / out : 1;
    std::vector<float> bias_scale(scale);
    for (auto& v : bias_scale) v *= x.scale;
    const Dims bias_scales{static_cast<std::uint32_t>(scale.size())};
    if (quantized_)
      return {b_.dequantizeLinear(constant(int8, shape, w), constant(float32, scales, scale),
                                  filled<std::int8_t>(int8, scales, 0)),
              b_.dequantizeLinear(constant(int32, {out}, bias),
                                  constant(float32, bias_scales, bias_scale),
                                  filled<std::int32_t>(int32, bias_scales, 0))};
    std::vector<float> real_w(w.size()), real_bias(out);
    for (std::size_t i = 0; i < w.size(); ++i)
      real_w[i] = static_cast<float>(w[i]) * scale[i / outer % scale.size()];
    for (std::size_t i = 0; i < out; ++i)
      real_bias[i] = static_cast<float>(bias[i]) * bias_scale[i % scale.size()];
    return {constant(float32, shape, real_w), constant(float32, {out}, real_bias)};
  }

  MLGraphBuilder& b_;
  const bool quantized_;
  std::mt19937 random_{5};
};

}  // namespace

MLOperand mobilenet_v1(MLGraphBuilder& b, Precision precision, float width, std::uint32_t side) {
  Network n(b, precision);
  const auto channels = [&](std::uint32_t c) {
    return static_cast<std::uint32_t>(static_cast<float>(c) * width);
  };
  Value x = n.conv(n.input(side), {.out = channels(32), .kernel = 3, .stride = 2});
  struct Block {
    std::uint32_t out, stride;
  };
  for (const Block l : {Block{64, 1},
                        {128, 2},
                        {128, 1},
                        {256, 2},
                        {256, 1},
                        {512, 2},
                        {512, 1},
                        {512, 1},
                        {512, 1},
                        {512, 1},
                        {512, 1},
                        {1024, 2},
                        {1024, 1}}) {
    const std::uint32_t in = x.x.shape()[3];
    x = n.conv(x, {.out = in, .kernel = 3, .stride = l.stride, .groups = in});
    x = n.conv(x, {.out = channels(l.out)});
  }
  return n.classes(x, 1001);
}

MLOperand quantized_mobilenet_v2(MLGraphBuilder& b, Precision precision) {
  Network n(b, precision);
  Value x = n.conv(n.input(224), {.out = 32, .kernel = 3, .stride = 2});
  struct Stage {
    std::uint32_t expand, out, count, stride;
  };
  for (const Stage s : {Stage{1, 16, 1, 1},
                        {6, 24, 2, 2},
                        {6, 32, 3, 2},
                        {6, 64, 4, 2},
                        {6, 96, 3, 1},
                        {6, 160, 3, 2},
                        {6, 320, 1, 1}})
    for (std::uint32_t i = 0; i < s.count; ++i) {
      const std::uint32_t in = x.x.shape()[3], middle = in * s.expand, stride = i ? 1 : s.stride;
      Value y = s.expand > 1 ? n.conv(x, {.out = middle}) : x;
      y = n.conv(y, {.out = middle, .kernel = 3, .stride = stride, .groups = middle});
      y = n.conv(y, {.out = s.out, .relu6 = false});
      x = stride == 1 && in == s.out ? n.add(y, x, false) : y;
    }
  return n.classes(n.conv(x, {.out = 1280}), 1000);
}

MLOperand resnet_8(MLGraphBuilder& b, Precision precision) {
  Network n(b, precision);
  Value x = n.conv(n.input(32), {.out = 16, .kernel = 3});
  for (const std::uint32_t out : {16u, 32u, 64u}) {
    const std::uint32_t stride = out == 16 ? 1 : 2;
    Value y = n.conv(x, {.out = out, .kernel = 3, .stride = stride});
    y = n.conv(y, {.out = out, .kernel = 3, .relu6 = false});
    if (stride == 2) x = n.conv(x, {.out = out, .stride = 2, .relu6 = false});
    x = n.add(y, x, true);
  }
  return n.classes(x, 10);
}

}  // namespace webnn::inline v0_1::bench
